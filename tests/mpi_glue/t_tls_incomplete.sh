#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# P41: with a UCX_TLS that lacks what asc_copy and asc_ipc need, the user is told
# once what is missing and which list works; that list works and is silent.
. "$ASC_TOP_SRCDIR/tests/lib.sh"

out=$TMPDIR/out
prog=$ASC_TOP_BUILDDIR/tests/mpi_glue/t_p2p

# told LIST PATTERN: said once, whether or not the job can run
told() {
    UCX_TLS=$1 t_mpirun 2 "$prog" >"$out" 2>&1
    t_contains "$out" "^UCX_TLS=$1 lacks $2"
    t_contains "$out" 'UCX_TLS=posix,self,asc_copy,asc_ipc'
    [ "$(grep -c "UCX_TLS=$1 lacks" "$out")" = 1 ] || t_fail "$1: told more than once"
}

told asc_ipc 'asc_copy, and a transport'
told cma,asc_ipc 'asc_copy, and a transport'
told posix,self,asc_ipc 'asc_copy, which'
told asc_copy,asc_ipc 'a transport for messages'

# As in the message. A pml that is not ucx does not care.
for tls in posix,self,asc_copy,asc_ipc all; do
    UCX_TLS=$tls t_mpirun 2 "$prog" >"$out" 2>&1 || t_fail "UCX_TLS=$tls: exit status $?"
    t_lacks "$out" 'UCX_TLS'
done
UCX_TLS=asc_ipc t_mpirun 2 --mca pml ob1 "$prog" >"$out" 2>&1 || t_fail "pml ob1: $?"
t_lacks "$out" ' lacks '
