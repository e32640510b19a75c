#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# P40: ranks in user and IPC namespaces of their own, where no process may look
# into another's descriptors or System V segments: messages and collectives of
# device buffers are right by other ways, nobody crashes or waits.
. "$ASC_TOP_SRCDIR/tests/lib.sh"
t_need_program unshare

unshare -U -r -i true 2>err || t_skip "user namespaces are not allowed here: $(cat err)"
prog=$ASC_TOP_BUILDDIR/tests/mpi_glue

# inside FLAGS PROGRAM
inside() {
    # The shell stands between mpirun and unshare, which is no MPI program.
    t_mpirun 2 unshare $1 "$prog/$2" >log 2>&1 || { cat log >&2; t_fail "$2 under unshare $1: $?"; }
    [ "$(grep -c 'ascend: warn' log)" -le 2 ] || { cat log >&2; t_fail "$2: more than one line a rank"; }
}

inside "-i" t_p2p_halo
inside "-U -r -i" t_p2p_halo
inside "-U -r -i" t_coll_mixed
