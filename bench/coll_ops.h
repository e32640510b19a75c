/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The collectives that asc_coll measures: how to call each, what to send and
 * what must arrive. Root is rank 0. "size" is what OSU's benchmarks call it:
 * bytes that a rank gives to one partner, or bytes of the vector that is
 * reduced. Reductions are sums of MPI_FLOAT whose values are small integers, so
 * that the sum is exact in any order; the rest moves MPI_CHAR.
 */
#ifndef COLL_OPS_H
#define COLL_OPS_H

#include <stddef.h>
#include <stdint.h>

typedef struct coll_shape {
    int rank;
    int ranks;
    size_t size;
    int *counts; /* of ranks entries, scratch for v-like calls */
} coll_shape_t;

typedef struct coll_op coll_op_t;

/** Names for bench_program_t.tests, NULL at the end. */
extern const char *const coll_names[];

/** The operation of that name, which must be one of coll_names. */
const coll_op_t *coll_find(const char *name);

int coll_has_size(const coll_op_t *op);
int coll_reduces(const coll_op_t *op);

/** Bytes that this rank's buffers need; 0 where a buffer is not significant. */
size_t coll_send_bytes(const coll_op_t *op, const coll_shape_t *shape);
size_t coll_recv_bytes(const coll_op_t *op, const coll_shape_t *shape);

/** Calls it once. For bcast @a recv alone is used (the root sends from it).
 *  @return an MPI error code. */
int coll_run(const coll_op_t *op, const coll_shape_t *shape, void *send, void *recv);

/** Host contents for this rank's send buffer (for bcast: of its only buffer, on
 *  the root), and what its receive buffer must hold after the call. @a sample
 *  makes them differ from call to call. */
void coll_fill(const coll_op_t *op, const coll_shape_t *shape, int sample, void *send);
void coll_expect(const coll_op_t *op, const coll_shape_t *shape, int sample, void *recv);

#endif
