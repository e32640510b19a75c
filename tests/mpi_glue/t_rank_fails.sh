#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# P56: copies fail on rank 1 alone (t_rank_fails.c says the rest).
. "$ASC_TOP_SRCDIR/tests/lib.sh"

out=$TMPDIR/out
for n in 2 3; do
    NPUSIM_FAULT='aclrtMemcpy:*=507011@1,aclrtMemcpyAsync:*=507011@1' \
        t_mpirun "$n" "$ASC_TOP_BUILDDIR/tests/mpi_glue/t_rank_fails" >"$out" 2>&1 ||
        { cat "$out"; t_fail "$n ranks failed"; }
    t_contains "$out" 'MPI_Allreduce on the communicator MPI_COMM_WORLD cannot be made'
    t_contains "$out" 'rank 1: MPI_Allreduce, 20000 bytes of .* could not use its device buffer'
done
