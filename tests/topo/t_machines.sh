#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Protects: hwloc's own tools read the shipped machines, without a word on stderr, and
# find the sockets, NUMA nodes, CPUs and NPUs that the README promises.
. "$ASC_TOP_SRCDIR/tests/lib.sh"
t_need_program hwloc-info lstopo-no-graphics
dir=$ASC_TOP_BUILDDIR/topo/machines
fail=0

check() { # file packages nodes cpus npus
    out=$(hwloc-info -i "$dir/$1" 2>&1) || { echo "$1: hwloc-info: $out"; fail=1; return; }
    for want in "$2 Package" "$3 NUMANode" "$4 PU" "$5 PCIDev"; do
        printf '%s\n' "$out" | grep -q "[^0-9]$want " || {
            echo "$1: no '$want' in:"; echo "$out"; fail=1
        }
    done
    out=$(lstopo-no-graphics -i "$dir/$1" --of console 2>&1 >/dev/null)
    [ -z "$out" ] || { echo "$1: lstopo said: $out"; fail=1; }
    n=$(lstopo-no-graphics -i "$dir/$1" --of console | grep -c ProcessingAccelerator)
    [ "$n" = "$5" ] || { echo "$1: $n NPUs, not $5"; fail=1; }
}

check 910-8npu.xml 4 8 192 8
check a2-8npu.xml 2 8 192 8
check a3-16die.xml 4 8 640 16
exit $fail
