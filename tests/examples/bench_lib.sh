# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# For the tests of the benchmarks, after tests/lib.sh.
# shellcheck disable=SC2034
p2p=$ASC_TOP_BUILDDIR/bench/asc_p2p
coll=$ASC_TOP_BUILDDIR/bench/asc_coll
out=$TMPDIR/out

# bench_refuses PATTERN RANKS PROGRAM ARGUMENT...: exit status 2, said once. One
# rank runs without mpirun, which needs a second to end a job that failed.
bench_refuses() {
    local pattern=$1 ranks=$2 rc
    shift 2
    if [ "$ranks" -eq 1 ]; then
        "$@" >"$out" 2>&1
    else
        t_mpirun "$ranks" "$@" >"$out" 2>&1
    fi
    rc=$?
    [ "$rc" -eq 2 ] || { cat "$out"; t_fail "'$*' ended with $rc, not 2"; }
    t_contains "$out" "$pattern"
    [ "$(grep -Ec -- "$pattern" "$out")" -eq 1 ] || { cat "$out"; t_fail "'$*' said it twice"; }
    t_lacks "$out" 'signal|Segmentation|MPI_ABORT'
}

# bench_json FILE LINES: every line is one flat object with the promised members
bench_json() {
    local number='-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?' member key
    [ "$(wc -l <"$1")" -eq "$2" ] || { cat "$1"; t_fail "not $2 lines"; }
    member="\"[a-z0-9_]+\":(\"[^\"\\]*\"|$number)"
    if grep -Evn "^\\{$member(,$member)*\\}\$" "$1"; then
        t_fail "the lines above are not flat JSON objects"
    fi
    for key in size value memcpy ratio; do
        [ "$(grep -Ec "\"$key\":${number}[,}]" "$1")" -eq "$2" ] || { cat "$1"; t_fail "no $key"; }
    done
    [ "$(grep -Ec '"unit":"(us|MB/s)"' "$1")" -eq "$2" ] || { cat "$1"; t_fail "no unit"; }
}

# bench_checked FILE: -c looked at something in every line and found nothing wrong
bench_checked() {
    if grep -Evn '"checked":[1-9][0-9]*,"wrong":0\}' "$1"; then
        t_fail "the lines above were not verified"
    fi
}
