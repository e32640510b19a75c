#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# MPI functions that touch the user's buffer themselves are redirected also where
# the UCX module does not help: with another pml, and without the module.
. "$ASC_TOP_SRCDIR/tests/lib.sh"

out=$TMPDIR/out
tests=$ASC_TOP_BUILDDIR/tests/mpi_glue

run() {
    t_mpirun 2 "$@" >"$out" 2>&1 || { cat "$out"; t_fail "mpirun -n 2 $* gave $?"; }
    t_lacks "$out" 'get in front of them'
}

for test in t_redirected t_onesided t_pack; do
    run --mca pml ob1 "$tests/$test"
    ASCEND_UCX_MODULE=/nonexistent run --mca pml ob1 "$tests/$test"
    ASCEND_UCX_MODULE=/nonexistent run "$tests/$test"
done
