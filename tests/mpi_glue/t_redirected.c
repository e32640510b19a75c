/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI functions that touch the user's buffer before any component sees it:
 * MPI_Sendrecv_replace works on device memory, of plain and of strided types,
 * below and above Open MPI's buffer on the stack, and refuses a bad pointer.
 * A window of host memory is made, one of freed device memory is not. */
#include "coll_harness.h"

#include "tests/helpers/t_helpers.h"

enum {
    MAX = 300000
};

static int before[MAX], after[MAX];

static int value(int rank, int i)
{
    return rank * 1000003 + i;
}

static void check_replace(int rank, int peer, int count, int stride)
{
    const size_t bytes = (size_t)count * (size_t)stride * sizeof(int);
    int *buf = t_dev_alloc(bytes);
    MPI_Datatype type;
    MPI_Status status;
    int got = -1;

    for (int i = 0; i < count * stride; i++) {
        before[i] = value(rank, i);
    }
    t_to_device(buf, before, bytes);
    MPI_Type_vector(count, 1, stride, MPI_INT, &type);
    MPI_Type_commit(&type);
    t_check(MPI_SUCCESS ==
                MPI_Sendrecv_replace(buf, 1, type, peer, 3, peer, 3, MPI_COMM_WORLD, &status),
            "MPI_Sendrecv_replace");
    MPI_Get_elements(&status, MPI_INT, &got);
    t_check(got == count && status.MPI_SOURCE == peer, "%d of %d came from rank %d", got, count,
            status.MPI_SOURCE);
    t_to_host(after, buf, bytes);
    for (int i = 0; i < count * stride; i++) {
        const int want = value(0 == i % stride ? peer : rank, i);

        t_check(after[i] == want, "count %d stride %d: [%d] is %d, not %d", count, stride, i,
                after[i], want);
    }
    MPI_Type_free(&type);
    t_dev_free(buf);
}

static void refused(const char *what, int rc)
{
    int class;

    MPI_Error_class(rc, &class);
    t_check(MPI_ERR_BUFFER == class, "%s gave class %d, not MPI_ERR_BUFFER", what, class);
}

int main(int argc, char **argv)
{
    int rank, *device, host[16];
    MPI_Win window;

    t_mpi_start(argc, argv, MPI_THREAD_SINGLE);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int count = 1; count <= MAX / 3; count *= 10) {
        check_replace(rank, 1 - rank, count, 1);
        check_replace(rank, 1 - rank, count, 3);
    }
    device = t_dev_alloc(4096);
    t_dev_free(device);
    t_check(MPI_SUCCESS != MPI_Win_create(device, 4096, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window),
            "a window of freed device memory");
    refused("MPI_Sendrecv_replace",
            MPI_Sendrecv_replace(device, 1024, MPI_INT, 1 - rank, 0, 1 - rank, 0, MPI_COMM_WORLD,
                                 MPI_STATUS_IGNORE));
    t_check(MPI_SUCCESS ==
                MPI_Win_create(host, sizeof(host), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window),
            "a window of host memory");
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
