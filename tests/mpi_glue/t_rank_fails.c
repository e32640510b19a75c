/* SPDX-License-Identifier: BSD-3-Clause */
/* P56: the runtime fails on one rank while its device buffer is copied for a
 * blocking collective (t_rank_fails.sh says how). That rank gets an
 * error, and so do those that need its data: nobody waits, nobody gets wrong
 * data. Afterwards the communicator serves host buffers as before. */
#include "coll_harness.h"

#include "tests/helpers/t_helpers.h"

enum {
    COUNT = 5000,
    BYTES = COUNT * (int)sizeof(int),
    ONES = 0x01010101
};

static int rank, size;

static void check_data(const char *name, const int *device, int want)
{
    static int host[COUNT];

    t_to_host(host, device, BYTES);
    for (int i = 0; i < COUNT; i++) {
        t_check(want == host[i], "%s: element %d is %x, not %x", name, i, host[i], want);
    }
}

static void check(const char *name, int rc, bool sees_failure, const int *device, int want)
{
    int class;

    MPI_Error_class(rc, &class);
    if (1 == rank) {
        t_check(MPI_ERR_BUFFER == class, "%s: the failing rank got class %d", name, class);
    } else if (sees_failure) {
        t_check(MPI_ERR_OTHER == class, "%s: rank %d got class %d", name, rank, class);
    } else {
        t_check(MPI_SUCCESS == class, "%s: rank %d got class %d", name, rank, class);
        check_data(name, device, want);
    }
}

int main(int argc, char **argv)
{
    int *in, *out, host = 1, sum = 0;
    double start;

    t_mpi_start(argc, argv, MPI_THREAD_SINGLE);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    in = t_dev_alloc(BYTES);
    out = t_dev_alloc((size_t)BYTES * (size_t)size);
    t_acl_ok(T_ACL(aclrtMemset)(in, BYTES, 1, BYTES));
    start = MPI_Wtime();
    check("allreduce", MPI_Allreduce(in, out, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD), true, out,
          0);
    check("allgather", MPI_Allgather(in, COUNT, MPI_INT, out, COUNT, MPI_INT, MPI_COMM_WORLD), true,
          out, 0);
    /* A rank that cannot receive keeps a broadcast from no one else. */
    t_acl_ok(T_ACL(aclrtMemset)(out, BYTES, rank ? 2 : 1, BYTES));
    check("bcast", MPI_Bcast(out, COUNT, MPI_INT, 0, MPI_COMM_WORLD), false, out, ONES);
    check("bcast of it", MPI_Bcast(out, COUNT, MPI_INT, 1, MPI_COMM_WORLD), true, out, 0);
    t_check(MPI_SUCCESS == MPI_Allreduce(&host, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD) &&
                size == sum,
            "host buffers: sum %d of %d ranks", sum, size);
    t_check(MPI_Wtime() - start < 9, "rank %d needed %g s", rank, MPI_Wtime() - start);
    t_dev_free(in);
    t_dev_free(out);
    MPI_Finalize();
    return 0;
}
