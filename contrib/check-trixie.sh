#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Build and test with UCX 1.18.1, as Debian 13 packages it: in a Debian 13 system
# of its own (debootstrap and chroot; 2 GB). Without Open MPI, whose version there
# is not supported. Root only; takes half an hour the first time, because the system
# is made then and kept for the next run.
#
# usage: contrib/check-trixie.sh [--root DIR] [--ucx-src DIR] [MAKE-ARGUMENT...]
#   --root DIR      where the system is or is made [/var/tmp/ucx-ascend-trixie]
#   --ucx-src DIR   source tree of its UCX, where contrib/get-ucx-src.sh finds none
#   MAKE-ARGUMENT   for "make check", e.g. TESTS="ucx_tl/t_matrix ucx_tl/t_rma"
# JOBS in the environment: how many processes may build [one per processor]
#
# Exit status: that of "make check"; 77 where this cannot be done at all.
set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
root=/var/tmp/ucx-ascend-trixie
ucx_src=
while [ $# -gt 0 ]; do
    case $1 in
    --root) root=${2:?--root needs a folder}; shift 2 ;;
    --ucx-src) ucx_src=$(cd "${2:?--ucx-src needs a folder}" && pwd); shift 2 ;;
    --help) sed -n 's/^# \{0,1\}//p' "$0" | sed -n '2,$p'; exit 0 ;;
    *) break ;;
    esac
done

skip() {
    echo "check-trixie: skipped, $*" >&2
    exit 77
}
die() {
    printf 'check-trixie: %s\n' "$@" >&2
    exit 1
}
[ "$(id -u)" = 0 ] || skip "only root can make a system in a folder"
for tool in debootstrap unshare chroot apt-get git; do
    command -v "$tool" >/dev/null || skip "'$tool' is not installed"
done
unshare --mount true 2>/dev/null || skip "no mounts of its own are allowed here"
git -C "$top" rev-parse --git-dir >/dev/null 2>&1 || skip "this is not a clone, which tells its files"

# The archive that this system itself uses.
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' |
    grep -v security | sed -n 1p)
[ -n "$mirror" ] || skip "apt knows no archive of Debian's (apt-get update?)"

if [ ! -e "$root/.ucx-ascend-made" ]; then
    if [ -e "$root" ] && [ -n "$(ls -A "$root")" ]; then
        die "'$root' holds something else; remove it or name another folder with --root"
    fi
    mkdir -p "$root"
    debootstrap --variant=minbase trixie "$root" "$mirror"
    touch "$root/.ucx-ascend-made"
fi

# What the repository holds, as it lies in the tree; nothing that was built in it.
mkdir -p "$root/src/ucx-ascend" "$root/build"
git -C "$top" ls-files -z --cached --others --exclude-standard |
    (cd "$top" && xargs -0 ls -d 2>/dev/null | tar -c -T -) | tar -x -C "$root/src/ucx-ascend"
if [ -n "$ucx_src" ]; then
    [ -f "$ucx_src/src/uct/base/uct_iface.h" ] || die "'$ucx_src' is not a source tree of UCX"
    rm -rf "$root/src/ucx-src"
    cp -a "$ucx_src" "$root/src/ucx-src"
fi

export ucx_src
# The mounts end with the namespace.
exec unshare --mount bash -c '
    set -eu
    root=$1
    shift
    mount --make-rprivate /
    mount -t proc proc "$root/proc"
    mount --rbind /sys "$root/sys"
    mount --rbind /dev "$root/dev"
    # Names that this system knows and the new one has to find as well.
    cp /etc/resolv.conf /etc/hosts "$root/etc/"
    exec chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
        given="${ucx_src:+yes}" JOBS="${JOBS:-$(nproc)}" \
        bash /src/ucx-ascend/contrib/check-trixie-inside.sh "$@"
' check-trixie "$root" "$@"
