/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_harness.h"

#include "tests/helpers/t_helpers.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Room before and behind the data: types with a negative lower bound start
 * before the buffer's address. */
#define MARGIN 256

static const struct {
    const char *name;
    bool rooted, reduces, in_place;
} colls[T_COLLS_ALL] = {
    [T_ALLGATHER] = {"allgather", false, false, true},
    [T_ALLGATHERV] = {"allgatherv", false, false, true},
    [T_ALLTOALL] = {"alltoall", false, false, true},
    [T_ALLTOALLV] = {"alltoallv", false, false, true},
    [T_ALLTOALLW] = {"alltoallw", false, false, true},
    [T_BCAST] = {"bcast", true, false, false},
    [T_GATHER] = {"gather", true, false, true},
    [T_GATHERV] = {"gatherv", true, false, true},
    [T_SCATTER] = {"scatter", true, false, true},
    [T_SCATTERV] = {"scatterv", true, false, true},
    [T_ALLREDUCE] = {"allreduce", false, true, true},
    [T_REDUCE] = {"reduce", true, true, true},
    [T_SCAN] = {"scan", false, true, true},
    [T_EXSCAN] = {"exscan", false, true, true},
    [T_REDUCE_SCATTER] = {"reduce_scatter", false, true, true},
    [T_REDUCE_SCATTER_BLOCK] = {"reduce_scatter_block", false, true, true},
    [T_NEIGHBOR_ALLGATHER] = {"neighbor_allgather", false, false, false},
    [T_NEIGHBOR_ALLGATHERV] = {"neighbor_allgatherv", false, false, false},
    [T_NEIGHBOR_ALLTOALL] = {"neighbor_alltoall", false, false, false},
    [T_NEIGHBOR_ALLTOALLV] = {"neighbor_alltoallv", false, false, false},
    [T_NEIGHBOR_ALLTOALLW] = {"neighbor_alltoallw", false, false, false},
};

const char *t_coll_name(t_coll_t coll)
{
    return colls[coll].name;
}

bool t_coll_reduces(t_coll_t coll)
{
    return colls[coll].reduces;
}

bool t_coll_rooted(t_coll_t coll)
{
    return colls[coll].rooted;
}

bool t_coll_can_be_in_place(t_coll_t coll)
{
    return colls[coll].in_place;
}

int t_pair_count(int count, int from, int to)
{
    /* Symmetric, as alltoallv in place wants it; some pairs have nothing. */
    return (0 == count || 3 == (from + to) % 4) ? 0 : count + (from + to) % 3;
}

/* ------------------------------------------------------------- types ---- */

/* Product of 2x2 matrices: the order of the operands matters. */
static void multiply(void *in, void *inout, int *len, MPI_Datatype *type)
{
    const int *a = in;
    int *b = inout;

    (void)type;
    for (int i = 0; i < *len; i++, a += 4, b += 4) {
        const unsigned c[4] = {(unsigned)a[0] * (unsigned)b[0] + (unsigned)a[1] * (unsigned)b[2],
                               (unsigned)a[0] * (unsigned)b[1] + (unsigned)a[1] * (unsigned)b[3],
                               (unsigned)a[2] * (unsigned)b[0] + (unsigned)a[3] * (unsigned)b[2],
                               (unsigned)a[2] * (unsigned)b[1] + (unsigned)a[3] * (unsigned)b[3]};

        memcpy(b, c, sizeof(c));
    }
}

static void make_derived(MPI_Datatype *matrix, MPI_Datatype *vector, MPI_Datatype *negative)
{
    const int lengths[2] = {2, 1}, displs[2] = {-3, 1};
    MPI_Datatype indexed;

    MPI_Type_contiguous(4, MPI_INT, matrix);
    MPI_Type_commit(matrix);
    MPI_Type_vector(3, 1, 2, MPI_INT, vector);
    MPI_Type_commit(vector);
    MPI_Type_indexed(2, lengths, displs, MPI_INT, &indexed);
    MPI_Type_create_resized(indexed, 0, 24, negative);
    MPI_Type_commit(negative);
    MPI_Type_free(&indexed);
}

const t_type_t *t_types(void)
{
    static t_type_t types[16];
    MPI_Datatype matrix, vector, negative;
    MPI_Op product;

    if (NULL == types[0].name) {
        make_derived(&matrix, &vector, &negative);
        MPI_Op_create(multiply, 0, &product);
        types[0] = (t_type_t){"int8", MPI_INT8_T, MPI_BXOR, 'b'};
        types[1] = (t_type_t){"int", MPI_INT, MPI_SUM, 'i'};
        types[2] = (t_type_t){"float", MPI_FLOAT, MPI_SUM, 'f'};
        types[3] = (t_type_t){"double", MPI_DOUBLE, MPI_PROD, 'd'};
        types[4] = (t_type_t){"double_int", MPI_DOUBLE_INT, MPI_MINLOC, 'p'};
        types[5] = (t_type_t){"matrix", matrix, product, 'i'};
        types[6] = (t_type_t){"vector", vector, MPI_OP_NULL, 'i'};
        types[7] = (t_type_t){"negative", negative, MPI_OP_NULL, 'i'};
    }
    return types;
}

static void fill(void *buf, size_t size, char kind, unsigned seed)
{
    typedef struct pair {
        double value;
        int index;
    } pair_t;
    char *bytes = buf;

    for (size_t i = 0; i < size; i++) {
        bytes[i] = (char)(seed * 31 + i * 7);
    }
    for (size_t i = 0; 'i' == kind && i < size / sizeof(int); i++) {
        ((int *)buf)[i] = (int)(seed * 1000003 + i * 17 + 1);
    }
    for (size_t i = 0; 'f' == kind && i < size / sizeof(float); i++) {
        ((float *)buf)[i] = (float)((seed * 13 + i * 5) % 1009) / 7.0f;
    }
    for (size_t i = 0; 'd' == kind && i < size / sizeof(double); i++) {
        ((double *)buf)[i] = 1.0 + (double)((seed * 13 + i * 5) % 1009) / 1e4;
    }
    for (size_t i = 0; 'p' == kind && i < size / sizeof(pair_t); i++) {
        ((pair_t *)buf)[i].value = (double)((seed * 37 + i * 11) % 101);
        ((pair_t *)buf)[i].index = (int)(seed + i);
    }
}

/* ------------------------------------------------------------ layout ---- */

typedef struct shape {
    int rank, local, peers; /* ranks on the other side */
    int inter;
    int in, out;     /* neighbours, or peers */
    size_t size;     /* bytes of a buffer with its margins */
    size_t elements; /* of the type that fit behind the front margin */
} shape_t;

static void neighbours(MPI_Comm comm, int *in, int *out)
{
    int kind, weighted;

    MPI_Topo_test(comm, &kind);
    if (MPI_CART == kind) {
        MPI_Cartdim_get(comm, in);
        *out = *in *= 2;
    } else {
        MPI_Dist_graph_neighbors_count(comm, in, out, &weighted);
    }
}

static shape_t shape_of(const t_case_t *c)
{
    MPI_Aint lb, extent;
    shape_t s;
    int blocks;

    MPI_Comm_rank(c->comm, &s.rank);
    MPI_Comm_size(c->comm, &s.local);
    MPI_Comm_test_inter(c->comm, &s.inter);
    s.peers = s.local;
    if (s.inter) {
        MPI_Comm_remote_size(c->comm, &s.peers);
    }
    s.in = s.out = s.peers;
    if (c->coll >= T_COLLS) {
        neighbours(c->comm, &s.in, &s.out);
    }
    blocks = (s.in > s.out ? s.in : s.out) > s.local ? (s.in > s.out ? s.in : s.out) : s.local;
    MPI_Type_get_extent(c->type->type, &lb, &extent);
    if (T_ALLREDUCE == c->coll || T_REDUCE == c->coll || T_BCAST == c->coll || T_SCAN == c->coll ||
        T_EXSCAN == c->coll) {
        blocks = 1;
    }
    s.elements = (size_t)blocks * (size_t)(c->count + 3) + 1;
    s.size = s.elements * (size_t)extent + 2 * MARGIN;
    return s;
}

/* Both groups reduce the same number of elements; each rank's share of them. */
static void scatter_among_unequal_groups(const t_case_t *c, const shape_t *s, t_vectors_t *v)
{
    const int total = c->count * (s->local < s->peers ? s->local : s->peers);

    for (int i = 0; i < s->local; i++) {
        v->rcounts[i] = total / s->local + (i < total % s->local);
    }
}

static void vectors_make(const t_case_t *c, const shape_t *s, t_vectors_t *v)
{
    const int n = (s->in > s->out ? s->in : s->out) + s->local + s->peers;
    const bool neighbor = c->coll >= T_COLLS;
    const int unit = (T_ALLTOALLW == c->coll);
    MPI_Aint lb, extent;

    MPI_Type_get_extent(c->type->type, &lb, &extent);
    v->scounts = calloc((size_t)n, sizeof(int));
    v->sdispls = calloc((size_t)n, sizeof(int));
    v->rcounts = calloc((size_t)n, sizeof(int));
    v->rdispls = calloc((size_t)n, sizeof(int));
    v->sadispls = calloc((size_t)n, sizeof(MPI_Aint));
    v->radispls = calloc((size_t)n, sizeof(MPI_Aint));
    v->types = calloc((size_t)n, sizeof(MPI_Datatype));
    for (int i = 0; i < n; i++) {
        const bool all = c->coll == T_ALLTOALLV || c->coll == T_ALLTOALLW;
        /* Open MPI's own alltoallw is wrong on MPI_COMM_SELF otherwise. */
        const int displ = i * (c->count + 3) + !(T_ALLTOALLW == c->coll && 1 == s->local);

        v->types[i] = c->type->type;
        v->scounts[i] = neighbor ? c->count
                        : all    ? t_pair_count(c->count, s->rank, i)
                                 : t_pair_count(c->count, i, 0);
        v->rcounts[i] = v->scounts[i];
        v->sdispls[i] = displ * (unit ? (int)extent : 1);
        v->rdispls[i] = v->sdispls[i];
        v->sadispls[i] = displ * extent;
        v->radispls[i] = v->sadispls[i];
    }
    if (T_REDUCE_SCATTER == c->coll && s->inter) {
        scatter_among_unequal_groups(c, s, v);
    }
}

static void vectors_free(t_vectors_t *v)
{
    free(v->scounts);
    free(v->sdispls);
    free(v->rcounts);
    free(v->rdispls);
    free(v->sadispls);
    free(v->radispls);
    free(v->types);
}

/* ----------------------------------------------------------- running ---- */

typedef struct buffer {
    bool device;
    char *base;
    size_t size;
} buffer_t;

static buffer_t buffer_make(size_t size, bool device)
{
    buffer_t b = {.device = device, .size = size};

    b.base = device ? t_dev_alloc(size) : malloc(size);
    return b;
}

static void buffer_set(buffer_t *b, const void *bytes)
{
    if (b->device) {
        t_to_device(b->base, bytes, b->size);
    } else {
        memcpy(b->base, bytes, b->size);
    }
}

static void buffer_get(const buffer_t *b, void *bytes)
{
    if (b->device) {
        t_to_host(bytes, b->base, b->size);
    } else {
        memcpy(bytes, b->base, b->size);
    }
}

static void buffer_free(buffer_t *b)
{
    if (b->device) {
        t_dev_free(b->base);
    } else {
        free(b->base);
    }
}

/* MPI_IN_PLACE stands where the collective wants it, on the ranks that may. */
static void arguments(const t_case_t *c, char *send, char *recv, const void **sarg, void **rarg)
{
    int rank;

    MPI_Comm_rank(c->comm, &rank);
    *sarg = send + MARGIN;
    *rarg = recv + MARGIN;
    if (!c->in_place || (t_coll_rooted(c->coll) && rank != c->root)) {
        return;
    }
    if (T_SCATTER == c->coll || T_SCATTERV == c->coll) {
        *rarg = MPI_IN_PLACE;
    } else {
        *sarg = MPI_IN_PLACE;
    }
}

static void run_once(const t_case_t *c, const t_vectors_t *v, char *send, char *recv)
{
    MPI_Request request = MPI_REQUEST_NULL;
    const void *sarg;
    void *rarg;
    int rc;

    arguments(c, send, recv, &sarg, &rarg);
    rc = t_issue(c, v, sarg, rarg, &request);
    t_check(MPI_SUCCESS == rc, "%s gave %d", t_coll_name(c->coll), rc);
    if (T_NONBLOCKING == c->form) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        t_check(MPI_REQUEST_NULL == request, "request not freed by the wait");
    }
    if (T_PERSISTENT == c->form) {
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        t_check(MPI_REQUEST_NULL != request, "persistent request freed by the wait");
        MPI_Request_free(&request);
    }
}

/* Elements that the call leaves defined. In place, Open MPI's reduce_scatter
 * works in the part of the buffer that is not the result. */
static int defined_elements(const t_case_t *c, const shape_t *s)
{
    if (c->in_place && T_REDUCE_SCATTER == c->coll) {
        return t_pair_count(c->count, s->rank, 0);
    }
    return (c->in_place && T_REDUCE_SCATTER_BLOCK == c->coll) ? c->count : (int)s->elements;
}

/* What the receive buffer has to hold: the reference's data, and between them
 * what was there before. */
static void expected_make(const t_case_t *c, const shape_t *s, const char *before,
                          const char *reference, char *expected)
{
    const int elements = defined_elements(c, s);
    int size, position = 0;
    char *packed;

    memcpy(expected, before, s->size);
    MPI_Pack_size(elements, c->type->type, MPI_COMM_SELF, &size);
    packed = malloc((size_t)size);
    MPI_Pack(reference + MARGIN, elements, c->type->type, packed, size, &position, MPI_COMM_SELF);
    position = 0;
    MPI_Unpack(packed, size, &position, expected + MARGIN, elements, c->type->type, MPI_COMM_SELF);
    free(packed);
}

static void compare(const t_case_t *c, const char *what, const char *got, const char *want,
                    size_t size)
{
    static const char *const forms[] = {"blocking", "nonblocking", "persistent"};

    for (size_t i = 0; 0 != memcmp(got, want, size) && i < size; i++) {
        t_check(got[i] == want[i],
                "%s %s of %d %s root %d%s, send %s, receive %s: %s buffer byte %zu of %zu is "
                "%#x, not %#x",
                forms[c->form], t_coll_name(c->coll), c->count, c->type->name, c->root,
                c->in_place ? " in place" : "", c->device_send ? "device" : "host",
                c->device_recv ? "device" : "host", what, i, size, (unsigned char)got[i],
                (unsigned char)want[i]);
    }
}

void t_case_check(const t_case_t *c)
{
    const shape_t s = shape_of(c);
    char *sent = malloc(s.size), *before = malloc(s.size), *host = malloc(s.size);
    char *expected = malloc(s.size);
    buffer_t send = buffer_make(s.size, c->device_send);
    buffer_t recv = buffer_make(s.size, c->device_recv);
    t_vectors_t v;
    int world;

    MPI_Comm_rank(MPI_COMM_WORLD, &world);
    vectors_make(c, &s, &v);
    fill(sent, s.size, c->type->fill, (unsigned)world + 1);
    fill(before, s.size, c->type->fill, (unsigned)world + 101);
    buffer_set(&send, sent);
    buffer_set(&recv, before);

    memcpy(host, before, s.size);
    run_once(c, &v, sent, host);
    expected_make(c, &s, before, host, expected);

    run_once(c, &v, send.base, recv.base);
    buffer_get(&recv, host);
    compare(c, "receive", host, expected, s.size);
    buffer_get(&send, host);
    compare(c, "send", host, sent, s.size);

    vectors_free(&v);
    buffer_free(&send);
    buffer_free(&recv);
    free(sent);
    free(before);
    free(host);
    free(expected);
}

static void check_roots(t_case_t *c)
{
    int size;

    MPI_Comm_size(c->comm, &size);
    c->root = 0;
    t_case_check(c);
    if (t_coll_rooted(c->coll) && size > 1) {
        c->root = size - 1;
        t_case_check(c);
    }
}

bool t_many_ranks(void)
{
    int size;

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size > 4;
}

static void check_counts(t_case_t *c)
{
    static const int counts[] = {77, 0, 1};
    const size_t n = t_many_ranks() ? 1 : sizeof(counts) / sizeof(counts[0]);

    for (size_t i = 0; i < n; i++) {
        c->count = counts[i];
        c->in_place = false;
        check_roots(c);
        if (t_coll_can_be_in_place(c->coll)) {
            c->in_place = true;
            check_roots(c);
        }
    }
}

void t_cases_check(t_case_t c, t_coll_t first, t_coll_t last)
{
    for (c.coll = first; c.coll < last; c.coll = (t_coll_t)(c.coll + 1)) {
        for (c.type = t_types(); NULL != c.type->name; c.type++) {
            if (MPI_OP_NULL != c.type->op || !t_coll_reduces(c.coll)) {
                check_counts(&c);
            }
        }
    }
}

void t_mpi_start(int argc, char **argv, int thread_level)
{
    int provided;

    t_deadline(50);
    MPI_Init_thread(&argc, &argv, thread_level, &provided);
    t_check(provided >= thread_level, "thread level %d, not %d", provided, thread_level);
    t_device(0);
}
