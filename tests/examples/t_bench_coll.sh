#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# asc_coll -c: every operation on NPU and host buffers, with 2 and 3 ranks, gives
# the right result; --json is what it promises and has the host's time beside.
# shellcheck source=tests/lib.sh
. "$ASC_TOP_SRCDIR/tests/lib.sh"
# shellcheck source=tests/examples/bench_lib.sh
. "$ASC_TOP_SRCDIR/tests/examples/bench_lib.sh"

for op in allreduce bcast barrier reduce allgather alltoall gather scatter reduce_scatter; do
    for ranks in 2 3; do
        t_mpirun "$ranks" "$coll" -o "$op" -d npu -m 4:700000 -i 2 -w 1 -c --json >"$out" ||
            t_fail "$op with $ranks ranks ended with an error"
        lines=19
        [ "$op" != barrier ] || lines=1
        bench_json "$out" "$lines"
        [ "$op" = barrier ] || bench_checked "$out"
        [ "$(grep -Ec '"host":[0-9].*"npu_over_host":[0-9]' "$out")" -eq "$lines" ] ||
            { cat "$out"; t_fail "no host column"; }
    done
    t_mpirun 2 "$coll" -o "$op" -d host -m 4:4096 -i 2 -c >"$out" || t_fail "$op on the host"
    t_lacks "$out" 'npu/host'
done
