#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Protects: whichever call of the runtime fails, and on whichever rank, an MPI job
# (t_faults.c: messages, derived types, collectives of device buffers) ends within
# seconds with the right data or by an error that is told: no hang, crash, wrong
# data. A sample of (call, number, rank); ASC_FAULT_SWEEP=full takes many more.
. "$ASC_TOP_SRCDIR/tests/lib.sh"

program=$ASC_TOP_BUILDDIR/tests/mpi_glue/t_faults
out=$TMPDIR/out
code=507899
runs=0 right=0 told=0
bad=()

# try RULES
try() {
    local rc
    NPUSIM_FAULT=$1 timeout -k 2 40 mpirun -n 2 "$program" >"$out" 2>&1 </dev/null
    rc=$?
    runs=$((runs + 1))
    if [ "$rc" -eq 0 ]; then
        right=$((right + 1))
    elif [ "$rc" -eq 124 ] || [ "$rc" -gt 128 ] ||
        grep -Eq 'WRONG|Segmentation|signal (6|7|8|11|14)\b|Sanitizer|assert' "$out"; then
        bad+=("$1: status $rc")
        echo "--- $1: status $rc"
        tail -n 15 "$out" | sed 's/^/  | /'
    else
        told=$((told + 1))
        # one failure of a call that only our libraries make is got over
        case $1 in
        aclrtMalloc:* | aclrtFree:* | aclrtMemcpy:* | *+=*) ;;
        *) bad+=("$1: an error where there is another way") ;;
        esac
        grep -Eq 'ascend: error|MPI_ERR|refused' "$out" || bad+=("$1: an error without a word")
        [ -z "${ASC_FAULT_SHOW:-}" ] || { echo "told: $1"; sed 's/^/  | /' "$out"; }
    fi
}

t_mpirun 2 "$program" count >"$out" 2>&1 || { cat "$out"; t_fail "without a plan"; }
grep -E '^[01] [a-zA-Z0-9]+ [0-9]+ [0-9]+$' "$out" | sort -k2,2 -k1,1 >"$TMPDIR/calls"
[ "$(wc -l <"$TMPDIR/calls")" -ge 20 ] || { cat "$out"; t_fail "too few calls were counted"; }

turn=0
last_call=
while read -r rank call first last; do
    [ "$call" = "$last_call" ] || turn=$((turn + 1))
    last_call=$call
    middle=$(((first + last) / 2))
    if [ "${ASC_FAULT_SWEEP:-}" = full ]; then
        for n in "$first" $((first + 1)) "$middle" "$last"; do
            [ "$n" -gt "$last" ] || try "$call:$n=$code@$rank"
        done
        try "$call:$first+=$code@$rank"
    elif [ $((turn / 2 % 2)) -eq "$rank" ]; then
        [ $((turn % 2)) -eq 0 ] && n=$first || n=$middle
        try "$call:$n=$code@$rank"
    fi
done <"$TMPDIR/calls"
try copy:2=507053@1
try copy:4=507053@0

echo "$runs plans: $right right, $told with an error, ${#bad[@]} bad"
[ ${#bad[@]} -eq 0 ] || { printf '  %s\n' "${bad[@]}"; t_fail "see above"; }
