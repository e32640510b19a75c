/* SPDX-License-Identifier: BSD-3-Clause */
/* P74: processes that meet while they run, by MPI_Comm_spawn and by
 * MPI_Comm_connect and MPI_Comm_accept, send each other device buffers over the
 * intercommunicator, merge, reduce and disconnect. */
#include "coll_harness.h"

#include "tests/helpers/t_helpers.h"

#include <stdlib.h>
#include <string.h>

enum {
    BYTES = 300000,
    COUNT = 5000,
    CHILDREN = 2
};

/* Each rank here with its counterpart there, both ways at once. */
static void exchange(MPI_Comm inter, int low)
{
    char *out = t_dev_alloc(BYTES), *in = t_dev_alloc(BYTES);
    int rank, there;

    MPI_Comm_rank(inter, &rank);
    MPI_Comm_remote_size(inter, &there);
    t_check(rank < there, "%d ranks on the other side", there);
    t_dev_fill(out, BYTES, (uint64_t)(2 * rank + low));
    for (int bytes = 10; bytes <= BYTES; bytes *= 10) {
        MPI_Sendrecv(out, bytes, MPI_CHAR, rank, 1, in, bytes, MPI_CHAR, rank, 1, inter,
                     MPI_STATUS_IGNORE);
        t_dev_verify(in, (size_t)bytes, (uint64_t)(2 * rank + !low), 0);
    }
    MPI_Sendrecv(out, BYTES, MPI_CHAR, rank, 2, in, BYTES, MPI_CHAR, rank, 2, inter,
                 MPI_STATUS_IGNORE);
    t_dev_verify(in, BYTES, (uint64_t)(2 * rank + !low), 0);
    t_dev_free(out);
    t_dev_free(in);
}

static void reduce(MPI_Comm comm)
{
    int *host = malloc(COUNT * sizeof(int)), rank, size;
    int *in = t_dev_alloc(COUNT * sizeof(int)), *out = t_dev_alloc(COUNT * sizeof(int));

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int i = 0; i < COUNT; i++) {
        host[i] = rank + i;
    }
    t_to_device(in, host, COUNT * sizeof(int));
    MPI_Allreduce(in, out, COUNT, MPI_INT, MPI_SUM, comm);
    t_to_host(host, out, COUNT * sizeof(int));
    for (int i = 0; i < COUNT; i++) {
        const int want = size * (size - 1) / 2 + size * i;

        t_check(host[i] == want, "element %d is %d, not %d", i, host[i], want);
    }
    t_dev_free(in);
    t_dev_free(out);
    free(host);
}

static void meet(MPI_Comm inter, int low, char *port)
{
    MPI_Comm all;

    exchange(inter, low);
    MPI_Intercomm_merge(inter, !low, &all);
    reduce(all);
    MPI_Bcast(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, all);
    MPI_Comm_free(&all);
    MPI_Comm_disconnect(&inter);
}

int main(int argc, char **argv)
{
    const bool child = argc > 1 && 0 == strcmp(argv[1], "child");
    char *child_argv[] = {"child", NULL}, port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm inter;
    int rank;

    t_mpi_start(argc, argv, MPI_THREAD_SINGLE);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (child) {
        MPI_Comm_get_parent(&inter);
        t_check(MPI_COMM_NULL != inter, "a child without a parent");
    } else {
        reduce(MPI_COMM_WORLD);
        if (0 == rank) {
            MPI_Open_port(MPI_INFO_NULL, port);
        }
        MPI_Comm_spawn(argv[0], child_argv, CHILDREN, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
                       MPI_ERRCODES_IGNORE);
    }
    meet(inter, !child, port);
    if (child) {
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter);
    } else {
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter);
    }
    meet(inter, !child, port);
    reduce(MPI_COMM_WORLD);
    if (!child && 0 == rank) {
        MPI_Close_port(port);
    }
    MPI_Finalize();
    return 0;
}
