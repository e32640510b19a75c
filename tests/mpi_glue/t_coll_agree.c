/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls of one collective that look different on the ranks but fit together
 * are not taken for different ones: other types of equal signature, in place
 * on some ranks, host memory on some, operations made in another order, calls
 * without data, and Open MPI's own calls while a communicator is duplicated.
 */
#include "capture.h"
#include "coll_harness.h"

#include <stdlib.h>

enum {
    COUNT = 96,
    ROUNDS = 12
};

static int rank, size;

static void *memory(bool device)
{
    return device ? t_dev_alloc(8 * COUNT * sizeof(int)) : calloc(8 * COUNT, sizeof(int));
}

static void release(void *memory, bool device)
{
    if (device) {
        t_dev_free(memory);
    } else {
        free(memory);
    }
}

static void fill(void *memory, bool device, int value)
{
    int host[COUNT];

    for (int i = 0; i < COUNT; i++) {
        host[i] = value + i;
    }
    if (device) {
        t_to_device(memory, host, sizeof(host));
    } else {
        memcpy(memory, host, sizeof(host));
    }
}

static int first_of(void *memory, bool device)
{
    int value = 0;

    if (device) {
        t_to_host(&value, memory, sizeof(value));
    } else {
        memcpy(&value, memory, sizeof(value));
    }
    return value;
}

static void add(void *in, void *inout, int *len, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *len; i++) {
        ((int *)inout)[i] += ((int *)in)[i];
    }
}

static void check_types(bool device)
{
    int *buf = memory(device), *out = memory(device);
    MPI_Datatype pair, vector;

    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_vector(COUNT / 2, 1, 2, MPI_INT, &vector);
    MPI_Type_commit(&pair);
    MPI_Type_commit(&vector);

    /* COUNT / 2 integers on all ranks */
    fill(buf, device, 10 + rank);
    if (0 == rank) {
        MPI_Bcast(buf, 1, vector, 0, MPI_COMM_WORLD);
    } else if (1 == rank) {
        MPI_Bcast(buf, COUNT / 2, MPI_INT, 0, MPI_COMM_WORLD);
    } else {
        MPI_Bcast(buf, COUNT / 4, pair, 0, MPI_COMM_WORLD);
    }
    t_check(10 == first_of(buf, device), "bcast gave %d", first_of(buf, device));

    fill(buf, device, 10 + rank);
    if (0 == rank % 2) {
        MPI_Allgather(buf, COUNT / 2, pair, out, COUNT, MPI_INT, MPI_COMM_WORLD);
    } else {
        MPI_Allgather(buf, COUNT, MPI_INT, out, COUNT / 2, pair, MPI_COMM_WORLD);
    }
    t_check(10 == first_of(out, device), "allgather gave %d", first_of(out, device));
    MPI_Allreduce(buf, out, COUNT, rank % 2 ? MPI_INT : MPI_INT32_T, MPI_MIN, MPI_COMM_WORLD);
    t_check(10 == first_of(out, device), "allreduce gave %d", first_of(out, device));
    if (0 == rank) {
        MPI_Gather(buf, COUNT, MPI_INT, out, COUNT / 2, pair, 0, MPI_COMM_WORLD);
    } else {
        MPI_Gather(buf, COUNT / 2, pair, NULL, -1, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD);
    }
    if (0 == rank) {
        MPI_Scatter(buf, COUNT / 2 / 4, pair, MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, 0,
                    MPI_COMM_WORLD);
    } else {
        MPI_Scatter(NULL, -1, MPI_DATATYPE_NULL, out, COUNT / 4, MPI_INT, 0, MPI_COMM_WORLD);
    }
    MPI_Type_free(&pair);
    MPI_Type_free(&vector);
    release(buf, device);
    release(out, device);
}

static void check_in_place(bool device)
{
    int *buf = memory(device), *out = memory(device);
    const bool in_place = 0 == rank % 2;
    int counts[8];

    fill(buf, device, 10 + rank);
    fill(out, device, 10 + rank);
    MPI_Allreduce(in_place ? MPI_IN_PLACE : buf, out, COUNT, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    t_check(10 + size - 1 == first_of(out, device), "allreduce gave %d", first_of(out, device));
    fill(out, device, 10 + rank);
    MPI_Scan(in_place ? MPI_IN_PLACE : buf, out, COUNT, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    t_check(10 == first_of(out, device), "scan gave %d", first_of(out, device));
    for (int i = 0; i < 8; i++) {
        counts[i] = i % 3;
    }
    MPI_Reduce_scatter(buf, out, counts, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Reduce(0 == rank ? MPI_IN_PLACE : buf, 0 == rank ? out : NULL, COUNT, MPI_INT, MPI_MAX, 0,
               MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    release(buf, device);
    release(out, device);
}

/* Handles of user operations have other values on each rank. */
static void check_user_op(bool device)
{
    int *buf = memory(device), *out = memory(device);
    MPI_Op unused[4], op;

    for (int i = 0; i < rank && i < 4; i++) {
        MPI_Op_create(add, 1, &unused[i]);
    }
    MPI_Op_create(add, 1, &op);
    fill(buf, device, 1);
    MPI_Allreduce(buf, out, COUNT, MPI_INT, op, MPI_COMM_WORLD);
    t_check(size == first_of(out, device), "sum %d", first_of(out, device));
    MPI_Op_free(&op);
    for (int i = 0; i < rank && i < 4; i++) {
        MPI_Op_free(&unused[i]);
    }
    release(buf, device);
    release(out, device);
}

/* While a communicator is duplicated Open MPI calls nonblocking collectives on
 * its parent, from progress: at any place among the blocking ones. */
static void check_idup(bool device)
{
    int *buf = memory(device), *out = memory(device);
    MPI_Request request;
    MPI_Comm comm;

    fill(buf, device, 10 + rank);
    MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
    for (int i = 0; i < 5; i++) {
        int flag;

        for (int spins = 0; spins < rank * 50; spins++) {
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        }
        MPI_Allreduce(buf, out, COUNT, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
        t_check(10 == first_of(out, device), "allreduce gave %d", first_of(out, device));
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Allreduce(buf, out, COUNT, MPI_INT, MPI_MAX, comm);
    t_check(10 + size - 1 == first_of(out, device), "allreduce gave %d", first_of(out, device));
    MPI_Comm_free(&comm);
    release(buf, device);
    release(out, device);
}

static void check_all(bool device)
{
    check_types(device);
    check_in_place(device);
    check_user_op(device);
    check_idup(device);
}

int main(int argc, char **argv)
{
    const char *text;
    double start;

    t_mpi_start(argc, argv, MPI_THREAD_SINGLE);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    t_capture_start();
    start = MPI_Wtime();
    for (int i = 0; i < ROUNDS; i++) {
        check_all(0 == i % 3 || (rank + i) % 2);
    }
    text = t_capture_stop();
    t_check('\0' == text[0], "rank %d printed: %s", rank, text);
    /* One wait for a record that nobody posts is longer. */
    t_check(MPI_Wtime() - start < 9, "rank %d needed %g s", rank, MPI_Wtime() - start);
    MPI_Finalize();
    return 0;
}
