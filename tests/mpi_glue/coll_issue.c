/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_harness.h"

#include <mpi-ext.h>
#include <stdlib.h>

/* The three forms of one collective with the same leading arguments. */
#define ISSUE(_blocking, _nonblocking, _persistent, ...) \
    ((T_BLOCKING == c->form)      ? _blocking(__VA_ARGS__, c->comm) \
     : (T_NONBLOCKING == c->form) ? _nonblocking(__VA_ARGS__, c->comm, request) \
                                  : _persistent(__VA_ARGS__, c->comm, MPI_INFO_NULL, request))

static int issue_reduction(const t_case_t *c, const t_vectors_t *v, const void *send, void *recv,
                           MPI_Request *request)
{
    const MPI_Datatype type = c->type->type;
    const MPI_Op op = c->type->op;

    switch (c->coll) {
    case T_ALLREDUCE:
        return ISSUE(MPI_Allreduce, MPI_Iallreduce, MPIX_Allreduce_init, send, recv, c->count, type,
                     op);
    case T_REDUCE:
        return ISSUE(MPI_Reduce, MPI_Ireduce, MPIX_Reduce_init, send, recv, c->count, type, op,
                     c->root);
    case T_SCAN:
        return ISSUE(MPI_Scan, MPI_Iscan, MPIX_Scan_init, send, recv, c->count, type, op);
    case T_EXSCAN:
        return ISSUE(MPI_Exscan, MPI_Iexscan, MPIX_Exscan_init, send, recv, c->count, type, op);
    case T_REDUCE_SCATTER:
        return ISSUE(MPI_Reduce_scatter, MPI_Ireduce_scatter, MPIX_Reduce_scatter_init, send, recv,
                     v->rcounts, type, op);
    default:
        return ISSUE(MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block,
                     MPIX_Reduce_scatter_block_init, send, recv, c->count, type, op);
    }
}

static int issue_neighbor(const t_case_t *c, const t_vectors_t *v, const void *send, void *recv,
                          MPI_Request *request)
{
    const MPI_Datatype type = c->type->type;

    switch (c->coll) {
    case T_NEIGHBOR_ALLGATHER:
        return ISSUE(MPI_Neighbor_allgather, MPI_Ineighbor_allgather, MPIX_Neighbor_allgather_init,
                     send, c->count, type, recv, c->count, type);
    case T_NEIGHBOR_ALLGATHERV:
        return ISSUE(MPI_Neighbor_allgatherv, MPI_Ineighbor_allgatherv,
                     MPIX_Neighbor_allgatherv_init, send, c->count, type, recv, v->rcounts,
                     v->rdispls, type);
    case T_NEIGHBOR_ALLTOALL:
        return ISSUE(MPI_Neighbor_alltoall, MPI_Ineighbor_alltoall, MPIX_Neighbor_alltoall_init,
                     send, c->count, type, recv, c->count, type);
    case T_NEIGHBOR_ALLTOALLV:
        return ISSUE(MPI_Neighbor_alltoallv, MPI_Ineighbor_alltoallv, MPIX_Neighbor_alltoallv_init,
                     send, v->scounts, v->sdispls, type, recv, v->rcounts, v->rdispls, type);
    default:
        return ISSUE(MPI_Neighbor_alltoallw, MPI_Ineighbor_alltoallw, MPIX_Neighbor_alltoallw_init,
                     send, v->scounts, v->sadispls, v->types, recv, v->rcounts, v->radispls,
                     v->types);
    }
}

static int issue_all(const t_case_t *c, const t_vectors_t *v, const void *send, void *recv,
                     MPI_Request *request)
{
    const MPI_Datatype type = c->type->type;
    int rank;

    MPI_Comm_rank(c->comm, &rank);
    switch (c->coll) {
    case T_ALLGATHER:
        return ISSUE(MPI_Allgather, MPI_Iallgather, MPIX_Allgather_init, send, c->count, type, recv,
                     c->count, type);
    case T_ALLGATHERV:
        return ISSUE(MPI_Allgatherv, MPI_Iallgatherv, MPIX_Allgatherv_init, send,
                     t_pair_count(c->count, rank, 0), type, recv, v->rcounts, v->rdispls, type);
    case T_ALLTOALL:
        return ISSUE(MPI_Alltoall, MPI_Ialltoall, MPIX_Alltoall_init, send, c->count, type, recv,
                     c->count, type);
    case T_ALLTOALLV:
        return ISSUE(MPI_Alltoallv, MPI_Ialltoallv, MPIX_Alltoallv_init, send, v->scounts,
                     v->sdispls, type, recv, v->rcounts, v->rdispls, type);
    default:
        return ISSUE(MPI_Alltoallw, MPI_Ialltoallw, MPIX_Alltoallw_init, send, v->scounts,
                     v->sdispls, v->types, recv, v->rcounts, v->rdispls, v->types);
    }
}

static int issue_rooted(const t_case_t *c, const t_vectors_t *v, const void *send, void *recv,
                        MPI_Request *request)
{
    const MPI_Datatype type = c->type->type;
    int rank;

    MPI_Comm_rank(c->comm, &rank);
    switch (c->coll) {
    case T_BCAST:
        return ISSUE(MPI_Bcast, MPI_Ibcast, MPIX_Bcast_init, recv, c->count, type, c->root);
    case T_GATHER:
        return ISSUE(MPI_Gather, MPI_Igather, MPIX_Gather_init, send, c->count, type, recv,
                     c->count, type, c->root);
    case T_GATHERV:
        return ISSUE(MPI_Gatherv, MPI_Igatherv, MPIX_Gatherv_init, send,
                     t_pair_count(c->count, rank, 0), type, recv, v->rcounts, v->rdispls, type,
                     c->root);
    case T_SCATTER:
        return ISSUE(MPI_Scatter, MPI_Iscatter, MPIX_Scatter_init, send, c->count, type, recv,
                     c->count, type, c->root);
    default:
        return ISSUE(MPI_Scatterv, MPI_Iscatterv, MPIX_Scatterv_init, send, v->scounts, v->sdispls,
                     type, recv, t_pair_count(c->count, rank, 0), type, c->root);
    }
}

int t_issue(const t_case_t *c, const t_vectors_t *v, const void *send, void *recv,
            MPI_Request *request)
{
    if (c->coll >= T_COLLS) {
        return issue_neighbor(c, v, send, recv, request);
    }
    if (t_coll_reduces(c->coll)) {
        return issue_reduction(c, v, send, recv, request);
    }
    return (c->coll < T_BCAST) ? issue_all(c, v, send, recv, request)
                               : issue_rooted(c, v, send, recv, request);
}
