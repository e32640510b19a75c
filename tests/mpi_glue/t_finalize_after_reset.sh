#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# P72: MPI_Finalize after the application has reset its device and finalised
# the runtime prints nothing (t_finalize_after_reset.c says the rest).
. "$ASC_TOP_SRCDIR/tests/lib.sh"

out=$TMPDIR/out
t_mpirun 2 "$ASC_TOP_BUILDDIR/tests/mpi_glue/t_finalize_after_reset" >"$out" 2>&1 ||
    { cat "$out"; t_fail "it failed"; }
[ ! -s "$out" ] || { cat "$out"; t_fail "it printed something"; }
