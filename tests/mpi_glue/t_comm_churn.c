/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Communicators that come and go by the hundred, so that context ids, and with
 * them the places of records, are used again at once: calls on new ones are
 * neither taken for others' nor left unchecked, and memory does not grow.
 */
#include "capture.h"
#include "coll_harness.h"

enum {
    ROUNDS = 120,
    MEASURED_FROM = 40,
    COUNT = 64,
    GROWTH_MAX = 4096 /* KiB */
};

static int rank, size;

static long resident_kib(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    long all, resident;

    t_check(file != NULL && 2 == fscanf(file, "%ld %ld", &all, &resident), "no statm");
    fclose(file);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static void use(MPI_Comm comm, int *in, int *out)
{
    const int one = 1;
    int members, sum = 0;

    MPI_Comm_size(comm, &members);
    t_to_device(in, &one, sizeof(one));
    MPI_Barrier(comm);
    MPI_Allreduce(in, out, COUNT, MPI_INT, MPI_SUM, comm);
    t_to_host(&sum, out, sizeof(sum));
    t_check(members == sum, "sum %d of %d ranks", sum, members);
}

/* Must be seen also where the ids were just used by others. */
static void differ(MPI_Comm comm, int *in, int *out)
{
    int class, rc;

    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    t_capture_start();
    rc = MPI_Allreduce(in, out, 0 == rank ? COUNT : COUNT / 2, MPI_INT, MPI_SUM, comm);
    t_check(NULL != strstr(t_capture_stop(), "MPI_Allreduce on the communicator"), "no message");
    MPI_Error_class(rc, &class);
    t_check(MPI_ERR_TRUNCATE == class, "class %d", class);
}

int main(int argc, char **argv)
{
    int *in, *out;
    long before = 0;

    t_mpi_start(argc, argv, MPI_THREAD_SINGLE);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    in = t_dev_alloc(COUNT * sizeof(int));
    out = t_dev_alloc(COUNT * sizeof(int));
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Comm dup, split;

        MPI_Comm_dup(MPI_COMM_WORLD, &dup);
        for (int calls = 0; calls <= i % 11; calls++) {
            use(dup, in, out);
        }
        MPI_Comm_split(dup, rank == size - 1 && i % 2, rank, &split);
        use(split, in, out);
        if (0 == i % 20) {
            differ(dup, in, out);
        }
        MPI_Comm_free(&dup);
        use(split, in, out);
        MPI_Comm_free(&split);
        before = (MEASURED_FROM == i) ? resident_kib() : before;
    }
    t_check(resident_kib() - before < GROWTH_MAX, "grew by %ld KiB", resident_kib() - before);
    t_dev_free(in);
    t_dev_free(out);
    MPI_Finalize();
    return 0;
}
