#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Without an Ascend runtime the components leave a job alone: no word, the pml
# that stock Open MPI would take, coll/ascend on no communicator. A runtime that
# was asked for by name and cannot be used is named once.
. "$ASC_TOP_SRCDIR/tests/lib.sh"

out=$TMPDIR/out
prog=$ASC_TOP_BUILDDIR/tests/mpi_glue/t_host_only

env -u ASCEND_ACL_LIBRARY LD_LIBRARY_PATH="$ASC_TOP_BUILDDIR/link/.libs" \
    mpirun -n 2 "$prog" >"$out" 2>&1 || { cat "$out"; t_fail "the job failed"; }
[ ! -s "$out" ] || { cat "$out"; t_fail "it printed something"; }

env -u ASCEND_ACL_LIBRARY LD_LIBRARY_PATH="$ASC_TOP_BUILDDIR/link/.libs" \
    mpirun -n 2 --mca coll_base_verbose 10 --mca pml_base_verbose 10 "$prog" >"$out" 2>&1
t_lacks "$out" 'selecting +ascend'
t_lacks "$out" 'selected ucx'

ASCEND_ACL_LIBRARY=/nonexistent/libascendcl.so t_mpirun 2 "$prog" >"$out" 2>&1 ||
    { cat "$out"; t_fail "a wrong library name ended the job"; }
t_contains "$out" '/nonexistent/libascendcl.so'
[ "$(grep -c 'runtime that was asked for' "$out")" = 1 ] || t_fail "it was not told exactly once"
