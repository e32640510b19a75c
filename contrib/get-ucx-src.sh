#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Fetch the distribution's source package of the *installed* UCX and unpack it,
# because its transport-layer headers are not part of libucx-dev.
#
# The system's package lists stay as they are: apt runs on a private state that
# is derived from the system's own sources (same archives, same keys), with
# every "deb" turned into "deb-src".
#
# usage: contrib/get-ucx-src.sh [DIR]      default DIR: ucx-src beside configure
set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
dest=${1:-$top/ucx-src}
case $dest in /*) ;; *) dest=$PWD/$dest ;; esac
stamp=$dest/.source-version

die() {
    printf 'get-ucx-src: %s\n' "$@" >&2
    exit 1
}

for tool in dpkg-query apt-get apt-config; do
    command -v "$tool" >/dev/null ||
        die "'$tool' not found: this script needs a Debian-like system." \
            "Elsewhere unpack the source of the installed UCX yourself and use" \
            "configure --with-ucx-src=DIR."
done
command -v dpkg-source >/dev/null ||
    die "'dpkg-source' not found: install the package dpkg-dev (contrib/install-deps.sh does)."

version=$(dpkg-query -W -f '${source:Version}' libucx0 2>/dev/null) || version=
[ -n "$version" ] ||
    die "the package libucx0 is not installed, so there is no version to fetch;" \
        "run contrib/install-deps.sh first."

if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$version" ]; then
    echo "get-ucx-src: $dest already holds the source of ucx $version"
    exit 0
fi
if [ -e "$dest" ] && [ ! -f "$stamp" ]; then
    die "'$dest' exists and was not made by this script; move it away or name another directory."
fi

work=$(mktemp -d "${TMPDIR:-/tmp}/get-ucx-src.XXXXXX")
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
mkdir -p "$work"/{state/lists/partial,cache/archives/partial,etc/parts,get}
# apt's unprivileged download user must be able to write here.
if [ "$(id -u)" = 0 ] && id _apt >/dev/null 2>&1; then
    chown _apt "$work/get"
fi

# Where the system keeps its sources, by apt's own account.
list="" parts="" status=""
eval "$(apt-config shell list Dir::Etc::sourcelist/f parts Dir::Etc::sourceparts/d \
    status Dir::State::status/f)"
n=0
for f in "$list" "$parts"/*.list "$parts"/*.sources; do
    [ -f "$f" ] || continue
    n=$((n + 1))
    case $f in
    *.sources)
        sed -E 's/^Types:.*/Types: deb-src/' "$f" >"$work/etc/parts/$n.sources" ;;
    *)
        sed -nE 's/^[[:space:]]*deb(-src)?([[:space:]].*)$/deb-src\2/p' "$f" |
            sort -u >"$work/etc/parts/$n.list" ;;
    esac
done
[ "$n" -gt 0 ] || die "apt has no package sources ($list and $parts are empty)."

cat >"$work/apt.conf" <<CONF
Dir::State "$work/state";
Dir::Cache "$work/cache";
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "$work/etc/parts";
APT::Get::List-Cleanup "true";
Acquire::Languages "none";
Acquire::Retries "3";
CONF
printf 'Dir::State::status "%s";\n' "$status" >>"$work/apt.conf"
export APT_CONFIG=$work/apt.conf

echo "get-ucx-src: fetching the source of ucx $version"
# A third-party archive without a source index makes this fail as a whole;
# what counts is whether the one package is found afterwards.
apt-get -q update >"$work/update.log" 2>&1 </dev/null || true
if ! (cd "$work/get" && apt-get -q source --download-only "ucx=$version") \
    >"$work/source.log" 2>&1 </dev/null; then
    sed 's/^/  /' "$work/update.log" "$work/source.log" | grep -E '  (E|W|Err)' >&2 || true
    die "the archives of this system do not offer the source of ucx $version." \
        "They offer: $(apt-cache showsrc ucx 2>/dev/null | sed -n 's/^Version: //p' | sort -u | tr '\n' ' ')" \
        "Either upgrade the installed packages to such a version" \
        "  apt-get install --only-upgrade libucx0 libucx-dev ucx-utils" \
        "or unpack the source of $version yourself and use configure --with-ucx-src=DIR."
fi

set -- "$work"/get/*.dsc
[ -f "$1" ] || die "apt-get source left no .dsc file."
# apt has verified the files against the archive's signature already.
dpkg-source --no-check -x "$1" "$work/src" >"$work/unpack.log" 2>&1 || {
    cat "$work/unpack.log" >&2
    die "cannot unpack $(basename "$1")."
}
[ -f "$work/src/src/uct/base/uct_iface.h" ] ||
    die "the source package of ucx $version has an unexpected layout."
printf '%s\n' "$version" >"$work/src/.source-version"

rm -rf "$dest"
mkdir -p "$(dirname "$dest")"
mv "$work/src" "$dest"
echo "get-ucx-src: $dest holds the source of ucx $version"
