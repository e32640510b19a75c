/* SPDX-License-Identifier: BSD-3-Clause */
/* P29: on the warm path neither messages nor collectives on host buffers make
 * a call of the runtime to find out what a pointer is, nor do those on device
 * buffers. UCX's own receive buffers are host memory that is asked about once,
 * so the path is warm when its pool has been around. */
#include "coll_harness.h"

#include "tests/helpers/t_helpers.h"

enum {
    COUNT = 500,
    WARM = 1500
};

#ifdef __SANITIZE_ADDRESS__
/* Freed memory held back would give every heap buffer of Open MPI a page that
 * nobody has asked about. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "quarantine_size_mb=0";
}
#endif

static void round_trip(int *buf, int rounds)
{
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < rounds; i++) {
        if (0 == rank % 2) {
            MPI_Send(buf, COUNT, MPI_INT, rank ^ 1, 0, MPI_COMM_WORLD);
            MPI_Recv(buf, COUNT, MPI_INT, rank ^ 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(buf, COUNT, MPI_INT, rank ^ 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(buf, COUNT, MPI_INT, rank ^ 1, 0, MPI_COMM_WORLD);
        }
        MPI_Allreduce(MPI_IN_PLACE, buf, COUNT, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        MPI_Bcast(buf, COUNT, MPI_INT, 0, MPI_COMM_WORLD);
    }
}

static long long queries(void)
{
    return (long long)t_counter("attr_query");
}

int main(int argc, char **argv)
{
    static int host[COUNT];
    long long before;
    int *device;

    t_mpi_start(argc, argv, MPI_THREAD_SINGLE);
    /* Called directly, as programs do, so that the allocation is seen. */
    t_acl_ok(aclrtMalloc((void **)&device, sizeof(host), ACL_MEM_MALLOC_HUGE_FIRST));
    round_trip(host, 20);
    round_trip(device, WARM);
    before = queries();
    round_trip(host, 100);
    t_check(queries() == before, "%lld queries for host buffers", queries() - before);
    round_trip(device, 100);
    t_check(queries() == before, "%lld queries for device buffers", queries() - before);
    MPI_Finalize();
    return 0;
}
