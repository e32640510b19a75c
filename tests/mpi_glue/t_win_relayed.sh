#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Windows whose memory cannot be imported, and host memory that the kernel does not
# reach: the target takes part, and all is as it is otherwise.
. "$ASC_TOP_SRCDIR/tests/lib.sh"

out=$TMPDIR/out
export NPUSIM_MAX_EXPORT=0 OMPI_MCA_osc_ascend_kernel=0 OMPI_MCA_osc_ascend_verbose=10

for test in t_win_sync t_win_accumulate t_win_dynamic t_win_errors; do
    t_mpirun 2 "$ASC_TOP_BUILDDIR/tests/mpi_glue/$test" >"$out" 2>&1 ||
        { cat "$out"; t_fail "$test gave $?"; }
    t_contains "$out" 'could not export'
done
