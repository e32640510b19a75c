#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# P50: communicators that are duplicated, split and freed by the hundred, used with
# host buffers, with Open MPI's own components below ours, above ours (han replaces
# ours then, and ours must let it), and few of them. See t_comm_churn.c.
. "$ASC_TOP_SRCDIR/tests/lib.sh"

# run NAME=VALUE...
run() {
    env "$@" mpirun -n 3 "$ASC_TOP_BUILDDIR/tests/mpi_glue/t_comm_churn" host >log 2>&1 ||
        { cat log >&2; t_fail "$*: gave $?"; }
    [ ! -s log ] || { cat log >&2; t_fail "$*: a healthy run printed something"; }
}

[ -n "${ASC_OMPI_COMPONENT_DIR:-}" ] || t_skip "built without Open MPI"
run OMPI_MCA_coll_tuned_priority=30
run OMPI_MCA_coll_han_priority=80
run OMPI_MCA_coll_han_priority=95
run OMPI_MCA_coll=ascend,basic,libnbc,inter,self
run OMPI_MCA_coll_ascend_priority=20
