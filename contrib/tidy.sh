#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# clang-tidy over our sources; "make tidy" calls it. Include paths and defines are
# those of each folder's Makefile, all of them for every file.
#
# usage: contrib/tidy.sh BUILDDIR [FILE...]
set -euo pipefail

cd "$(dirname "$0")/.."
build=$1
shift
command -v clang-tidy-14 >/dev/null || {
    echo "tidy: clang-tidy-14 not found (contrib/install-deps.sh --dev)" >&2
    exit 1
}
[ $# -gt 0 ] || set -- $(find acl topo link plan npusim ucx_tl mpi_glue tools bench examples tests \
    -name '*.c' | sort)

flags_of() {
    make -s -C "$build/$1" --no-print-directory --eval='asc-flags: ; @printf "%s\n" \
$(DEFS) $(DEFAULT_INCLUDES) $(AM_CPPFLAGS) $(UCX_SRC_CPPFLAGS) $(OMPI_CPPFLAGS) $(HWLOC_CFLAGS) \
$(filter -D% -I%,$(foreach v,$(filter %_CPPFLAGS,$(.VARIABLES)),$($(v))))' asc-flags |
        sed -E "s#^(-I)?(\.\.?)(/|\$)#\1$build/$1/\2\3#"
}

status=0
last=
for file in "$@"; do
    folder=${file%%/*}
    [ "$folder" = "$last" ] || mapfile -t flags < <(flags_of "$folder")
    last=$folder
    clang-tidy-14 --quiet --warnings-as-errors='*' "$file" -- -std=gnu11 "${flags[@]}" \
        2> >(grep -vE '^[0-9]+ warnings? (generated|treated)' >&2) || status=1
done
exit "$status"
