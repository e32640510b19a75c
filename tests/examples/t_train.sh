#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The training example: 1, 2 and 4 ranks learn the same curve within rounding,
# end above 95 % test accuracy and hold bit-identical parameters. Protects the
# main job: what goes wrong with device buffers in MPI shows here as a curve that
# differs.
# shellcheck source=tests/lib.sh
. "$ASC_TOP_SRCDIR/tests/lib.sh"

train=$ASC_TOP_BUILDDIR/examples/train/train
epochs=20

for n in 1 2 4; do
    t_mpirun "$n" "$train" --epochs "$epochs" --csv "$TMPDIR/$n.csv" >"$TMPDIR/$n.out" 2>"$TMPDIR/$n.err" || {
        cat "$TMPDIR/$n.out" "$TMPDIR/$n.err"
        t_fail "training with $n ranks ended with an error"
    }
    cat "$TMPDIR/$n.out"
    t_contains "$TMPDIR/$n.out" "^epoch +$epochs +loss [0-9.]+ +test accuracy [0-9.]+ %"
    t_contains "$TMPDIR/$n.out" "at least 95 %.*parameters bit-identical on all ranks"
    [ ! -s "$TMPDIR/$n.err" ] || t_contains "$TMPDIR/$n.err" '^train: epoch [0-9]+ of'
done

# Curves: as many lines as epochs, losses within 0.2 %, accuracies within two of
# the 360 test samples, and a loss that falls to less than a tenth.
for n in 2 4; do
    paste -d, "$TMPDIR/1.csv" "$TMPDIR/$n.csv" | awk -F, -v epochs="$epochs" '
        function off(a, b) { return a > b ? a - b : b - a }
        NR == 1 { next }
        NR == 2 { first = $5 }
        $1 != $4 { print "line " NR ": epochs " $1 " and " $4; bad = 1 }
        off($2, $5) > 0.002 * $2 { print "epoch " $1 ": losses " $2 " and " $5; bad = 1 }
        off($3, $6) > 2.5 / 360 { print "epoch " $1 ": accuracies " $3 " and " $6; bad = 1 }
        END {
            if (NR != epochs + 1) { print NR - 1 " epochs instead of " epochs; bad = 1 }
            if ($5 > first / 10) { print "the loss fell only from " first " to " $5; bad = 1 }
            if ($6 < 0.95) { print "accuracy " $6; bad = 1 }
            exit bad
        }' || t_fail "the curve with $n ranks is not that of one rank"
done
