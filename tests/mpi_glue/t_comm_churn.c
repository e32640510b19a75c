/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Communicators that come and go by the hundred, so that context ids, and with
 * them the places of records, are used again at once: calls on new ones are
 * neither taken for others' nor left unchecked, and memory does not grow.
 * P50: the same on host buffers, whatever components serve below or above ours;
 * t_comm_churn_host.sh chooses them.
 *
 * usage: t_comm_churn [host]
 */
#include "capture.h"
#include "coll_harness.h"

#include <stdlib.h>

enum {
    ROUNDS = 120,
    MEASURED_FROM = 40,
    COUNT = 64,
    GROWTH_MAX = 4096 /* KiB */
};

static int rank, size;
static bool on_host;

static int *buffer(void)
{
    int *made = on_host ? malloc(COUNT * sizeof(int)) : t_dev_alloc(COUNT * sizeof(int));

    t_check(made != NULL, "no memory");
    return made;
}

static void set(int *buf, int value)
{
    if (on_host) {
        *buf = value;
    } else {
        t_to_device(buf, &value, sizeof(value));
    }
}

static int get(const int *buf)
{
    int value = 0;

    if (on_host) {
        return *buf;
    }
    t_to_host(&value, buf, sizeof(value));
    return value;
}

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
    int members, me;

    MPI_Comm_size(comm, &members);
    MPI_Comm_rank(comm, &me);
    set(in, 1);
    MPI_Barrier(comm);
    MPI_Allreduce(in, out, COUNT, MPI_INT, MPI_SUM, comm);
    t_check(members == get(out), "sum %d of %d ranks", get(out), members);
    /* the root looks at nobody, and may free the communicator before others have looked */
    set(in, me == members - 1 ? 41 : 0);
    MPI_Bcast(in, COUNT, MPI_INT, members - 1, comm);
    t_check(41 == get(in), "%d was broadcast", get(in));
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
    on_host = argc > 1 && 0 == strcmp(argv[1], "host");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    in = buffer();
    out = buffer();
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Comm dup, split;

        MPI_Comm_dup(MPI_COMM_WORLD, &dup);
        for (int calls = 0; calls <= i % 11; calls++) {
            use(dup, in, out);
        }
        MPI_Comm_split(dup, rank == size - 1 && i % 2, rank, &split);
        use(split, in, out);
        if (!on_host && 0 == i % 20) {
            differ(dup, in, out);
        }
        MPI_Comm_free(&dup);
        use(split, in, out);
        MPI_Comm_free(&split);
        before = (MEASURED_FROM == i) ? resident_kib() : before;
    }
    t_check(resident_kib() - before < GROWTH_MAX, "grew by %ld KiB", resident_kib() - before);
    if (on_host) {
        free(in);
        free(out);
    } else {
        t_dev_free(in);
        t_dev_free(out);
    }
    MPI_Finalize();
    return 0;
}
