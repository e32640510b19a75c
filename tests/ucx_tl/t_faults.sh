#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Protects: whichever call of the runtime fails, and on whichever side, messages
# between device and host memory of two processes (t_faults.c) end within seconds
# on both sides, with the right data or a clear error: no hang, crash, wrong data.
# P05 (an import that is refused falls back) and P15 (an export that fails) are
# among them.
#
# The calls are those that the exchange makes, found by npusim's counters. `make
# check` takes a sample of (call, number, rank); ASC_FAULT_SWEEP=full takes all.
. "$ASC_TOP_SRCDIR/tests/lib.sh"

program=$ASC_TOP_BUILDDIR/tests/ucx_tl/t_faults
out=$TMPDIR/out
code=507899
runs=0 right=0 told=0
bad=()

# try RULES [ARG...]
try() {
    local rules=$1 rc
    shift
    NPUSIM_FAULT=$rules timeout -s KILL 60 "$program" "$@" >"$out" 2>&1
    rc=$?
    runs=$((runs + 1))
    case $rc in
    0) right=$((right + 1)) ;;
    3)
        told=$((told + 1))
        # one failure of a call that only our libraries make is got over
        case $rules in
        aclrtMalloc:* | aclrtFree:* | aclrtMemcpy:* | *+=*) ;;
        *) bad+=("$rules $*: an error where there is another way") ;;
        esac
        grep -Eq '^ascend: |ascend: error|UCX +(ERROR|WARN)|rank [01]: ' "$out" ||
            bad+=("$rules $*: an error without a word")
        [ -z "${ASC_FAULT_SHOW:-}" ] || { echo "told: $rules $*"; sed 's/^/  | /' "$out"; }
        ;;
    *)
        bad+=("$rules $*: status $rc")
        echo "--- $rules $*: status $rc"
        tail -n 12 "$out" | sed 's/^/  | /'
        ;;
    esac
}

"$program" count >"$out" 2>&1 || { cat "$out"; t_fail "without a plan"; }
grep -E '^[01] [a-zA-Z0-9]+ [0-9]+ [0-9]+$' "$out" | sort -k2,2 -k1,1 >"$TMPDIR/calls"
[ "$(wc -l <"$TMPDIR/calls")" -ge 40 ] || { cat "$out"; t_fail "too few calls were counted"; }

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
        try "$call:$middle=$code@$rank" plain
    elif [ $((turn / 3 % 2)) -eq "$rank" ]; then
        # ranks make much the same calls
        case $((turn % 3)) in
        0) try "$call:$first=$code@$rank" ;;
        1) try "$call:$middle=$code@$rank" ;;
        2) try "$call:$first=$code@$rank" plain ;;
        esac
    fi
done <"$TMPDIR/calls"
# what fails when it runs, and what goes on failing
for rules in copy:2=507053@1 copy:1=507053@0 notify:1=507053@1 'aclrtMemcpyAsync:2+=507899@1'; do
    try "$rules"
done

echo "$runs plans: $right right, $told with an error, ${#bad[@]} bad"
[ ${#bad[@]} -eq 0 ] || { printf '  %s\n' "${bad[@]}"; t_fail "see above"; }
