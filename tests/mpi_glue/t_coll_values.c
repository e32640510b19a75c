/* SPDX-License-Identifier: BSD-3-Clause */
/* Every collective on device buffers, in every form, gives what MPI's text says:
 * each element is computed here from rank and position, so that an error which
 * host buffers have as well would be seen. */
#include "coll_harness.h"

#include "tests/helpers/t_helpers.h"

enum {
    RANKS = 8,
    COUNT = 50,
    STRIDE = COUNT + 3, /* between the blocks of v-variants */
    ROOM = RANKS * STRIDE,
    OLD = -1 /* what MPI does not write */
};

static int me, n, left, root;

static int sent(int rank, int i)
{
    return 1000 * rank + i;
}

/* Over the ranks 0 to ranks - 1. */
static int sum(int ranks, int i)
{
    return 1000 * ranks * (ranks - 1) / 2 + ranks * i;
}

static int my_offset(void)
{
    int offset = 0;

    for (int i = 0; i < me; i++) {
        offset += t_pair_count(COUNT, i, 0);
    }
    return offset;
}

/* Element k of the block that rank b sends to this one. */
static int from_block(t_coll_t coll, int b, int k)
{
    if (b >= n) {
        return OLD;
    }
    switch (coll) {
    case T_ALLGATHER:
    case T_GATHER:
        return sent(b, k);
    case T_ALLTOALL:
        return sent(b, me * COUNT + k);
    case T_ALLGATHERV:
    case T_GATHERV:
        return k < t_pair_count(COUNT, b, 0) ? sent(b, k) : OLD;
    default:
        return k < t_pair_count(COUNT, b, me) ? sent(b, me * STRIDE + k) : OLD;
    }
}

static int reduced(t_coll_t coll, int i)
{
    if (T_REDUCE_SCATTER == coll) {
        return i < t_pair_count(COUNT, me, 0) ? sum(n, my_offset() + i) : OLD;
    }
    if (i >= COUNT) {
        return OLD;
    }
    switch (coll) {
    case T_SCAN:
        return sum(me + 1, i);
    case T_EXSCAN:
        return (0 == me) ? OLD : sum(me, i);
    case T_REDUCE_SCATTER_BLOCK:
        return sum(n, me * COUNT + i);
    default:
        return sum(n, i);
    }
}

static int expected(t_coll_t coll, int i)
{
    if ((T_GATHER == coll || T_GATHERV == coll || T_REDUCE == coll) && me != root) {
        return OLD;
    }
    if (t_coll_reduces(coll)) {
        return reduced(coll, i);
    }
    switch (coll) {
    case T_ALLGATHER:
    case T_GATHER:
    case T_ALLTOALL:
        return from_block(coll, i / COUNT, i % COUNT);
    case T_ALLGATHERV:
    case T_GATHERV:
    case T_ALLTOALLV:
    case T_ALLTOALLW:
        return from_block(coll, i / STRIDE, i % STRIDE);
    case T_BCAST:
        return i < COUNT ? sent(root, i) : OLD;
    case T_SCATTER:
        return i < COUNT ? sent(root, me * COUNT + i) : OLD;
    case T_SCATTERV:
        return i < t_pair_count(COUNT, me, 0) ? sent(root, me * STRIDE + i) : OLD;
    default: /* a ring: from the left neighbour */
        return i < COUNT ? sent(left, i) : OLD;
    }
}

/* Counts, displacements and types as coll_issue.c uses them. */
static void fill_vectors(t_coll_t coll, const t_vectors_t *v)
{
    const bool pairs = T_ALLTOALLV == coll || T_ALLTOALLW == coll;

    for (int i = 0; i < RANKS; i++) {
        v->types[i] = MPI_INT;
        v->scounts[i] = (coll >= T_COLLS) ? COUNT : t_pair_count(COUNT, i, pairs ? me : 0);
        v->rcounts[i] = v->scounts[i];
        v->sdispls[i] = i * STRIDE * (T_ALLTOALLW == coll ? (int)sizeof(int) : 1);
        v->rdispls[i] = v->sdispls[i];
        v->sadispls[i] = v->radispls[i] = i * STRIDE * (MPI_Aint)sizeof(int);
    }
}

static void finish(t_form_t form, MPI_Request *request)
{
    /* Twice: a persistent request reads its buffers at each start. */
    for (int start = 0; T_PERSISTENT == form && start < 2; start++) {
        MPI_Start(request);
        MPI_Wait(request, MPI_STATUS_IGNORE);
    }
    if (T_PERSISTENT == form) {
        MPI_Request_free(request);
    } else if (T_NONBLOCKING == form) {
        MPI_Wait(request, MPI_STATUS_IGNORE);
    }
}

static void check(const t_case_t *c, const t_vectors_t *v, int *send, int *recv)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int host[ROOM];

    for (int i = 0; i < ROOM; i++) {
        host[i] = (T_BCAST == c->coll && me == root && i < COUNT) ? sent(me, i) : OLD;
    }
    t_to_device(recv, host, sizeof(host));
    fill_vectors(c->coll, v);
    t_check(MPI_SUCCESS == t_issue(c, v, send, recv, &request), "%s failed", t_coll_name(c->coll));
    finish(c->form, &request);
    t_to_host(host, recv, sizeof(host));
    for (int i = 0; i < ROOM; i++) {
        const int want = expected(c->coll, i);

        t_check(want == host[i], "%s, form %d, root %d, rank %d of %d: element %d is %d, not %d",
                t_coll_name(c->coll), (int)c->form, root, me, n, i, host[i], want);
    }
}

int main(int argc, char **argv)
{
    int counts[4][RANKS], host[ROOM], *send, *recv, right;
    const int weight = 1;
    MPI_Aint displs[2][RANKS];
    MPI_Datatype types[RANKS];
    const t_vectors_t v = {counts[0], counts[1], counts[2], counts[3], displs[0], displs[1], types};
    t_case_t c = {.count = COUNT};
    MPI_Comm ring;

    t_mpi_start(argc, argv, MPI_THREAD_SINGLE);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    left = (me + n - 1) % n;
    right = (me + 1) % n;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &left, &weight, 1, &right, &weight,
                                   MPI_INFO_NULL, 0, &ring);
    send = t_dev_alloc(sizeof(host));
    recv = t_dev_alloc(sizeof(host));
    for (int i = 0; i < ROOM; i++) {
        host[i] = sent(me, i);
    }
    t_to_device(send, host, sizeof(host));
    c.type = &t_types()[1];
    for (int form = 0; form < T_FORMS; form++) {
        c.form = (t_form_t)form;
        for (c.coll = T_ALLGATHER; c.coll < T_COLLS_ALL; c.coll = (t_coll_t)(c.coll + 1)) {
            c.comm = (c.coll < T_COLLS) ? MPI_COMM_WORLD : ring;
            for (root = 0; root < n && (0 == root || t_coll_rooted(c.coll)); root++) {
                c.root = root;
                check(&c, &v, send, recv);
            }
        }
    }
    MPI_Comm_free(&ring);
    t_dev_free(send);
    t_dev_free(recv);
    MPI_Finalize();
    return 0;
}
