/* SPDX-License-Identifier: BSD-3-Clause */
/* P72: the application resets its device and finalises the runtime before
 * MPI_Finalize, with messages and collectives just done and a persistent
 * request not freed. MPI_Finalize is silent and quick. */
#include "coll_harness.h"

#include "tests/helpers/t_helpers.h"

#include <time.h>

int main(int argc, char **argv)
{
    struct timespec a, b;
    MPI_Status status;
    int rank, size, other, *send, *recv;

    t_mpi_start(argc, argv, MPI_THREAD_SINGLE);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    other = rank ^ 1;
    send = t_dev_alloc(1 << 20);
    recv = t_dev_alloc(1 << 20);
    t_dev_fill(send, 1 << 20, (uint64_t)rank);
    if (other < size) {
        MPI_Sendrecv(send, 1 << 18, MPI_INT, other, 0, recv, 1 << 18, MPI_INT, other, 0,
                     MPI_COMM_WORLD, &status);
        t_dev_verify(recv, 1 << 20, (uint64_t)other, 0);
    }
    MPI_Allreduce(MPI_IN_PLACE, recv, 1 << 18, MPI_INT, MPI_BXOR, MPI_COMM_WORLD);
    t_acl_ok(T_ACL(aclrtResetDevice)(0));
    t_acl_ok(T_ACL(aclFinalize)());
    clock_gettime(CLOCK_MONOTONIC, &a);
    MPI_Finalize();
    clock_gettime(CLOCK_MONOTONIC, &b);
    t_check(b.tv_sec - a.tv_sec < 20, "MPI_Finalize took %ld s", (long)(b.tv_sec - a.tv_sec));
    return 0;
}
