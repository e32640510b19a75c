/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_ops.h"

#include "bench_common.h"

#include <mpi.h>
#include <string.h>

/* How many times "size" a buffer holds, and on which ranks it counts. */
typedef enum coll_extent {
    EXTENT_NONE,
    EXTENT_ONE,
    EXTENT_ALL,      /* once for every rank */
    EXTENT_ROOT_ONE, /* the same, but only the root's is significant */
    EXTENT_ROOT_ALL,
    EXTENT_PART, /* this rank's part of one */
} coll_extent_t;

struct coll_op {
    const char *name;
    coll_extent_t send;
    coll_extent_t recv;
    int reduces;
    int (*run)(const coll_shape_t *shape, void *send, void *recv);
};

static int coll_floats(const coll_shape_t *shape)
{
    return (int)(shape->size / sizeof(float));
}

/* The vector's elements are dealt out as evenly as can be. */
static int coll_part(const coll_shape_t *shape, int rank)
{
    int count = coll_floats(shape);

    return count / shape->ranks + (rank < count % shape->ranks);
}

static int coll_barrier(const coll_shape_t *shape, void *send, void *recv)
{
    (void)shape;
    (void)send;
    (void)recv;
    return MPI_Barrier(MPI_COMM_WORLD);
}

static int coll_bcast(const coll_shape_t *shape, void *send, void *recv)
{
    (void)send;
    return MPI_Bcast(recv, (int)shape->size, MPI_CHAR, 0, MPI_COMM_WORLD);
}

static int coll_allreduce(const coll_shape_t *shape, void *send, void *recv)
{
    return MPI_Allreduce(send, recv, coll_floats(shape), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

static int coll_reduce(const coll_shape_t *shape, void *send, void *recv)
{
    return MPI_Reduce(send, recv, coll_floats(shape), MPI_FLOAT, MPI_SUM, 0, MPI_COMM_WORLD);
}

static int coll_reduce_scatter(const coll_shape_t *shape, void *send, void *recv)
{
    for (int r = 0; r < shape->ranks; r++) {
        shape->counts[r] = coll_part(shape, r);
    }
    return MPI_Reduce_scatter(send, recv, shape->counts, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

static int coll_allgather(const coll_shape_t *shape, void *send, void *recv)
{
    return MPI_Allgather(send, (int)shape->size, MPI_CHAR, recv, (int)shape->size, MPI_CHAR,
                         MPI_COMM_WORLD);
}

static int coll_alltoall(const coll_shape_t *shape, void *send, void *recv)
{
    return MPI_Alltoall(send, (int)shape->size, MPI_CHAR, recv, (int)shape->size, MPI_CHAR,
                        MPI_COMM_WORLD);
}

static int coll_gather(const coll_shape_t *shape, void *send, void *recv)
{
    return MPI_Gather(send, (int)shape->size, MPI_CHAR, recv, (int)shape->size, MPI_CHAR, 0,
                      MPI_COMM_WORLD);
}

static int coll_scatter(const coll_shape_t *shape, void *send, void *recv)
{
    return MPI_Scatter(send, (int)shape->size, MPI_CHAR, recv, (int)shape->size, MPI_CHAR, 0,
                       MPI_COMM_WORLD);
}

static const coll_op_t coll_ops[] = {
    {"allreduce", EXTENT_ONE, EXTENT_ONE, 1, coll_allreduce},
    {"bcast", EXTENT_NONE, EXTENT_ONE, 0, coll_bcast},
    {"barrier", EXTENT_NONE, EXTENT_NONE, 0, coll_barrier},
    {"reduce", EXTENT_ONE, EXTENT_ROOT_ONE, 1, coll_reduce},
    {"allgather", EXTENT_ONE, EXTENT_ALL, 0, coll_allgather},
    {"alltoall", EXTENT_ALL, EXTENT_ALL, 0, coll_alltoall},
    {"gather", EXTENT_ONE, EXTENT_ROOT_ALL, 0, coll_gather},
    {"scatter", EXTENT_ROOT_ALL, EXTENT_ONE, 0, coll_scatter},
    {"reduce_scatter", EXTENT_ONE, EXTENT_PART, 1, coll_reduce_scatter},
};

#define COLL_OPS (sizeof(coll_ops) / sizeof(*coll_ops))

const char *const coll_names[] = {"allreduce", "bcast",  "barrier", "reduce",         "allgather",
                                  "alltoall",  "gather", "scatter", "reduce_scatter", NULL};

_Static_assert(sizeof(coll_names) / sizeof(*coll_names) == COLL_OPS + 1,
               "every operation needs its name in the list");

const coll_op_t *coll_find(const char *name)
{
    for (size_t i = 0; i < COLL_OPS; i++) {
        if (strcmp(name, coll_ops[i].name) == 0) {
            return &coll_ops[i];
        }
    }
    return NULL;
}

int coll_has_size(const coll_op_t *op)
{
    return op->recv != EXTENT_NONE;
}

int coll_reduces(const coll_op_t *op)
{
    return op->reduces;
}

static size_t coll_bytes(coll_extent_t extent, const coll_shape_t *shape)
{
    switch (extent) {
    case EXTENT_ONE:
        return shape->size;
    case EXTENT_ALL:
        return shape->size * (size_t)shape->ranks;
    case EXTENT_ROOT_ONE:
        return shape->rank == 0 ? shape->size : 0;
    case EXTENT_ROOT_ALL:
        return shape->rank == 0 ? shape->size * (size_t)shape->ranks : 0;
    case EXTENT_PART:
        return (size_t)coll_part(shape, shape->rank) * sizeof(float);
    default:
        return 0;
    }
}

size_t coll_send_bytes(const coll_op_t *op, const coll_shape_t *shape)
{
    return coll_bytes(op->send, shape);
}

size_t coll_recv_bytes(const coll_op_t *op, const coll_shape_t *shape)
{
    return coll_bytes(op->recv, shape);
}

int coll_run(const coll_op_t *op, const coll_shape_t *shape, void *send, void *recv)
{
    return op->run(shape, send, recv);
}

/* Element i of a rank's vector; at most 97 * ranks, exact in a float. */
static float coll_value(int rank, size_t i, int sample)
{
    return (float)((rank + 1) * (int)(1 + (i + (size_t)sample) % 97));
}

static void coll_fill_floats(const coll_shape_t *shape, int sample, float *send)
{
    for (size_t i = 0; i < shape->size / sizeof(float); i++) {
        send[i] = coll_value(shape->rank, i, sample);
    }
}

static void coll_expect_floats(const coll_op_t *op, const coll_shape_t *shape, int sample,
                               float *recv)
{
    size_t count = coll_recv_bytes(op, shape) / sizeof(float);
    size_t first = 0;
    int factors = shape->ranks * (shape->ranks + 1) / 2; /* 1 + 2 + ... + ranks */

    for (int r = 0; op->recv == EXTENT_PART && r < shape->rank; r++) {
        first += (size_t)coll_part(shape, r);
    }
    for (size_t i = 0; i < count; i++) {
        recv[i] = coll_value(0, first + i, sample) * (float)factors;
    }
}

/* The piece that rank "from" makes for rank "to"; operations that give everybody
 * the same make it for rank 0. */
static void coll_piece(const coll_shape_t *shape, int from, int to, int sample, char *at)
{
    bench_fill(at, shape->size,
               bench_seed((uint64_t)from, (uint64_t)to, (uint64_t)sample, shape->size));
}

void coll_fill(const coll_op_t *op, const coll_shape_t *shape, int sample, void *send)
{
    size_t bytes = coll_send_bytes(op, shape);
    char *at = send;

    if (op->reduces) {
        coll_fill_floats(shape, sample, send);
        return;
    }
    if (op->send == EXTENT_NONE && shape->rank == 0) {
        bytes = coll_recv_bytes(op, shape);
    }
    for (int to = 0; (size_t)to * shape->size < bytes; to++) {
        coll_piece(shape, shape->rank, to, sample, at + (size_t)to * shape->size);
    }
}

void coll_expect(const coll_op_t *op, const coll_shape_t *shape, int sample, void *recv)
{
    int personal = op->send == EXTENT_ALL || op->send == EXTENT_ROOT_ALL;
    size_t bytes = coll_recv_bytes(op, shape);
    char *at = recv;

    if (op->reduces) {
        coll_expect_floats(op, shape, sample, recv);
        return;
    }
    for (int from = 0; (size_t)from * shape->size < bytes; from++) {
        coll_piece(shape, from, personal ? shape->rank : 0, sample,
                   at + (size_t)from * shape->size);
    }
}
