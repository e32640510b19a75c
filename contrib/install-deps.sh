#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Install what building and running needs, from the distribution's packages;
# only what is missing, so that a second run changes nothing.
#
# usage: contrib/install-deps.sh [--dev | --without-ompi]
#   --dev            also what only the style checks use
#   --without-ompi   what a build without Open MPI needs
set -euo pipefail

packages=(
    gcc libc6-dev make autoconf automake libtool pkg-config # the build
    dpkg-dev xz-utils ca-certificates                       # UCX's source, make dist
    libucx-dev ucx-utils                                    # UCX
    libhwloc-dev                                            # where devices are
)
ompi=(libopenmpi-dev openmpi-bin)
case ${1:-} in
'') packages+=("${ompi[@]}") ;;
--dev) packages+=("${ompi[@]}" clang-14 clang-format-14 clang-tidy-14 shellcheck) ;;
--without-ompi) ;;
*)
    echo "usage: $0 [--dev | --without-ompi]" >&2
    exit 2
    ;;
esac

command -v apt-get >/dev/null || {
    echo "install-deps: 'apt-get' not found; install by hand what corresponds to: ${packages[*]}" >&2
    exit 1
}

missing=()
for p in "${packages[@]}"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null)" = installed ] || missing+=("$p")
done
[ ${#missing[@]} -gt 0 ] || exit 0

root=()
if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || {
        echo "install-deps: neither root nor sudo; have these installed: ${missing[*]}" >&2
        exit 1
    }
    root=(sudo)
fi
echo "install-deps: installing ${missing[*]}"
"${root[@]}" apt-get -q update </dev/null
"${root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -q install -y --no-install-recommends "${missing[@]}" </dev/null
