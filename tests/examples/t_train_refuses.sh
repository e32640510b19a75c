#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Whatever is wrong with the training example's arguments, data or result is said
# once, by its value, and all ranks end: no hang, no crash, exit status not 0.
# shellcheck source=tests/lib.sh
. "$ASC_TOP_SRCDIR/tests/lib.sh"

train=$ASC_TOP_BUILDDIR/examples/train/train
out=$TMPDIR/out

# refuses RANKS STATUS PATTERN ARGUMENT...: one rank says PATTERN. One rank runs
# without mpirun, which needs a second to end a job that failed.
refuses() {
    local ranks=$1 status=$2 pattern=$3 rc
    shift 3
    if [ "$ranks" -eq 1 ]; then
        "$train" "$@" >"$out" 2>&1
    else
        t_mpirun "$ranks" "$train" "$@" >"$out" 2>&1
    fi
    rc=$?
    [ "$rc" -eq "$status" ] || { cat "$out"; t_fail "'$*' ended with $rc, not $status"; }
    t_contains "$out" "$pattern"
    [ "$(grep -Ec -- "$pattern" "$out")" -eq 1 ] || { cat "$out"; t_fail "said more than once"; }
    t_lacks "$out" 'signal|Segmentation|MPI_ABORT'
}

refuses 2 2 "--epochs '0': expected a whole number" --epochs 0
refuses 1 2 "--epochs '3x': expected" --epochs 3x
refuses 1 2 "--batch '-1': expected" --batch -1
refuses 1 2 "--lr 'nan': expected a number above 0" --lr nan
refuses 1 2 "--hidden '100000': expected .* to 4096" --hidden 100000
refuses 1 2 "--seed 'one': expected" --seed one
refuses 1 2 "--csv: its value is missing" --csv
refuses 1 2 "unknown argument '--epoch'" --epoch 3
refuses 2 2 "cannot open the data file '/no/such/digits.csv'.*--data FILE" --data /no/such/digits.csv
refuses 2 2 "--csv '/no/such/curve.csv': cannot write it" --csv /no/such/curve.csv

printf '%s\n' "1,2,3" >"$TMPDIR/short.csv"
refuses 2 2 "'$TMPDIR/short.csv', line 1: expected 64 pixels" --data "$TMPDIR/short.csv"
head -3 "$ASC_TOP_SRCDIR/examples/train/data/digits.csv" >"$TMPDIR/few.csv"
refuses 1 2 "'$TMPDIR/few.csv' has 3 samples, at least 50" --data "$TMPDIR/few.csv"

# One epoch cannot reach the accuracy wanted, and must not be called a success.
refuses 2 1 "BELOW 95 %.*bit-identical" --epochs 1

t_mpirun 2 "$train" --help >"$out" 2>&1 || t_fail "--help ended with an error"
t_contains "$out" '^usage: .*train'
