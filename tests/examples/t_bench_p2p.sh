#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# asc_p2p -c: in all three tests, for every pair of memories, from no byte to
# sizes beyond every threshold, all bytes of all messages arrive; the lines are
# what --json promises.
# shellcheck source=tests/lib.sh
. "$ASC_TOP_SRCDIR/tests/lib.sh"
# shellcheck source=tests/examples/bench_lib.sh
. "$ASC_TOP_SRCDIR/tests/examples/bench_lib.sh"

for test in lat bw bibw; do
    for places in "D D" "D H" "H D" "H H"; do
        first=1
        [ "$test" != lat ] || first=0
        # every power of two to 64 KiB and an odd size, then to an odd size above 2 MiB
        for range in "$first:70001" 100000:2500001; do
            # shellcheck disable=SC2086
            t_mpirun 2 "$p2p" -t "$test" -b $places -m "$range" -i 2 -w 1 -W 6 -c --json >"$out" ||
                t_fail "$test $places $range ended with an error"
            cat "$out"
            lines=6
            [ "$range" != "$first:70001" ] || lines=$((19 - first))
            bench_json "$out" "$lines"
            bench_checked "$out"
            [ "$(grep -c "\"buffers\":\"$places\"" "$out")" -eq "$lines" ] || t_fail "not $places"
        done
    done
done

# The table for people has a line for each size, and a ratio that is a number.
t_mpirun 2 "$p2p" -t bw -b DD -m 1K:4K -i 5 >"$out" || t_fail "no table"
cat "$out"
[ "$(grep -Ec '^ +[0-9]+ +[0-9.]+ +[0-9.]+ +[0-9.]+$' "$out")" -eq 3 ] || t_fail "not three lines"
