/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Collectives on device buffers, compared with the same call on host buffers.
 *
 * A call's data differ by rank and position and its counts by pair of ranks;
 * receive buffers start with a pattern and are compared as a whole, so that a
 * byte which MPI does not write must come back as it was.
 */
#ifndef T_COLL_HARNESS_H
#define T_COLL_HARNESS_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

typedef enum t_coll {
    T_ALLGATHER,
    T_ALLGATHERV,
    T_ALLTOALL,
    T_ALLTOALLV,
    T_ALLTOALLW,
    T_BCAST,
    T_GATHER,
    T_GATHERV,
    T_SCATTER,
    T_SCATTERV,
    T_ALLREDUCE,
    T_REDUCE,
    T_SCAN,
    T_EXSCAN,
    T_REDUCE_SCATTER,
    T_REDUCE_SCATTER_BLOCK,
    T_COLLS, /**< those above take any communicator; below: a topology */
    T_NEIGHBOR_ALLGATHER = T_COLLS,
    T_NEIGHBOR_ALLGATHERV,
    T_NEIGHBOR_ALLTOALL,
    T_NEIGHBOR_ALLTOALLV,
    T_NEIGHBOR_ALLTOALLW,
    T_COLLS_ALL
} t_coll_t;

typedef enum t_form {
    T_BLOCKING,
    T_NONBLOCKING,
    T_PERSISTENT,
    T_FORMS
} t_form_t;

/** What an element is, and how its bytes are filled. */
typedef struct t_type {
    const char *name;
    MPI_Datatype type;
    MPI_Op op; /**< MPI_OP_NULL: not for reductions */
    char fill; /**< b int8, i int, f float, d double, p {double, int} */
} t_type_t;

typedef struct t_case {
    t_coll_t coll;
    t_form_t form;
    MPI_Comm comm;
    const t_type_t *type;
    int count;
    int root; /**< MPI_ROOT and MPI_PROC_NULL on intercommunicators */
    bool in_place;
    bool device_send, device_recv; /**< on this rank */
} t_case_t;

/** The types that the tests use, ended by a NULL name. Made at first use. */
const t_type_t *t_types(void);

const char *t_coll_name(t_coll_t coll);
bool t_coll_reduces(t_coll_t coll);
bool t_coll_rooted(t_coll_t coll);
bool t_coll_can_be_in_place(t_coll_t coll);

/** MPI_Init_thread, a device for this rank, a deadline. */
void t_mpi_start(int argc, char **argv, int thread_level);

/** Runs the case on host buffers in the same form (whose order of summation
 *  differs from the other forms), then as it says, and compares. Fails the
 *  test naming the case; the same call must be made on all ranks. */
void t_case_check(const t_case_t *c);

/** More than four ranks: on few cores a test then takes one count, not several. */
bool t_many_ranks(void);

/** Does every type with every collective of [first, last), in place and not,
 *  with two roots and the counts 0, 1 and odd (of many ranks: odd alone). */
void t_cases_check(t_case_t c, t_coll_t first, t_coll_t last);

/** Counts, displacements and types of a call; for coll_issue.c. */
typedef struct t_vectors {
    int *scounts, *sdispls, *rcounts, *rdispls;
    MPI_Aint *sadispls, *radispls;
    MPI_Datatype *types;
} t_vectors_t;

/** Makes the MPI call. For T_NONBLOCKING and T_PERSISTENT *request is set. */
int t_issue(const t_case_t *c, const t_vectors_t *v, const void *send, void *recv,
            MPI_Request *request);

/** Elements that rank @a from sends to rank @a to in v-variants of @a count. */
int t_pair_count(int count, int from, int to);

#endif
