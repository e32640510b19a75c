#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Where the user excludes osc/ascend, device memory is kept out of windows with an
# error, and not given to components that would touch it by CPU.
. "$ASC_TOP_SRCDIR/tests/lib.sh"

out=$TMPDIR/out
t_mpirun 2 --mca osc ^ascend,ucx,pt2pt "$ASC_TOP_BUILDDIR/tests/mpi_glue/t_onesided" excluded \
    >"$out" 2>&1 || { cat "$out"; t_fail "gave $?"; }
t_contains "$out" 'osc/ascend'
