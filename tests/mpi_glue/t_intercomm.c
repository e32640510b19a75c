/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectives of an intercommunicator on device buffers: MPI_ROOT and
 * MPI_PROC_NULL decide whose buffers matter; scans do not exist there. */
#include "coll_harness.h"

static int root_for(int left, int rank, int root_is_left)
{
    if (left == root_is_left) {
        return (0 == rank) ? MPI_ROOT : MPI_PROC_NULL;
    }
    return 0;
}

/* With 8 ranks the groups are of 5 and 3. */
static int make(MPI_Comm *half, MPI_Comm *both)
{
    int size, rank, nleft, left;

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    nleft = (5 * size + 4) / 8;
    left = rank < nleft;
    MPI_Comm_split(MPI_COMM_WORLD, left, rank, half);
    MPI_Intercomm_create(*half, 0, MPI_COMM_WORLD, left ? nleft : 0, 5, both);
    return left;
}

static void check_counts(t_case_t c)
{
    int remote;

    MPI_Comm_remote_size(c.comm, &remote);
    for (int count = t_many_ranks() ? 57 : 0; count < 60; count = 7 * count + 1) {
        /* Both groups must have the same number of elements in all. */
        c.count = (T_REDUCE_SCATTER_BLOCK == c.coll) ? count * remote : count;
        t_case_check(&c);
    }
}

int main(int argc, char **argv)
{
    t_case_t c = {.device_send = true, .device_recv = true};
    int left, local;
    MPI_Comm half;

    t_mpi_start(argc, argv, MPI_THREAD_SINGLE);
    left = make(&half, &c.comm);
    MPI_Comm_rank(half, &local);
    for (int form = 0; form < 2 * T_FORMS; form++) {
        c.form = (t_form_t)(form % T_FORMS);
        c.root = root_for(left, local, form < T_FORMS);
        for (c.coll = T_ALLGATHER; c.coll < T_COLLS; c.coll = (t_coll_t)(c.coll + 1)) {
            if (T_SCAN == c.coll || T_EXSCAN == c.coll) {
                continue;
            }
            for (c.type = t_types(); c.type->name; c.type++) {
                if (MPI_OP_NULL != c.type->op || !t_coll_reduces(c.coll)) {
                    check_counts(c);
                }
            }
        }
    }
    MPI_Comm_free(&c.comm);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
