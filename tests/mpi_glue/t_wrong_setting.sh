#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A wrong value of a variable, or a wrong library named, is told by name, and
# the job loses nothing: device buffers of point to point and collective calls
# are copied through host memory or refused, never touched by the CPU.
. "$ASC_TOP_SRCDIR/tests/lib.sh"
tests=$ASC_TOP_BUILDDIR/tests/mpi_glue

for program in t_p2p t_coll_mixed; do
    ASCEND_WHITELIST=maybe t_mpirun 2 "$tests/$program" > out 2>&1 ||
        { cat out; t_fail "$program with ASCEND_WHITELIST=maybe: exit status $?"; }
    t_contains out "ASCEND_WHITELIST has the value 'maybe', but must be y or n"
done

status=0
ASCEND_ACL_LIBRARY=/lib/x86_64-linux-gnu/libm.so.6 t_mpirun 2 "$tests/t_p2p" > out 2>&1 || status=$?
t_contains out "libm.so.6"
t_lacks out "Segmentation fault|signal 11"
