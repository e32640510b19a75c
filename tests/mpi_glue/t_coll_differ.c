/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks that call different things in one blocking collective on device
 * buffers: those that can see it get an error of the right class and a message
 * that names both calls; nobody waits for ever, and the others get right data.
 * The last rank is the odd one.
 */
#include "capture.h"
#include "coll_harness.h"

enum {
    COUNT = 100,
    ROOM = 16 * (COUNT + 1)
};

static int rank, size;
static int *send_buf, *recv_buf; /* device memory */

typedef struct differ {
    const char *name;
    int (*call)(MPI_Comm comm, bool odd);
    int others; /* class that rank 0 gets, MPI_SUCCESS for none */
    int middle; /* ranks between */
    int odd;
    const char *words[2]; /* to be found in every message of the case */
} differ_t;

static int allreduce_count(MPI_Comm comm, bool odd)
{
    return MPI_Allreduce(send_buf, recv_buf, COUNT + odd, MPI_INT, MPI_SUM, comm);
}

static int allreduce_op(MPI_Comm comm, bool odd)
{
    return MPI_Allreduce(send_buf, recv_buf, COUNT, MPI_INT, odd ? MPI_MAX : MPI_SUM, comm);
}

static int allreduce_type(MPI_Comm comm, bool odd)
{
    return MPI_Allreduce(send_buf, recv_buf, COUNT, odd ? MPI_FLOAT : MPI_INT, MPI_SUM, comm);
}

static int allgather_count(MPI_Comm comm, bool odd)
{
    return MPI_Allgather(send_buf, COUNT + odd, MPI_INT, recv_buf, COUNT + odd, MPI_INT, comm);
}

static int alltoall_count(MPI_Comm comm, bool odd)
{
    return MPI_Alltoall(send_buf, COUNT + odd, MPI_INT, recv_buf, COUNT + odd, MPI_INT, comm);
}

static int reduce_scatter_block_count(MPI_Comm comm, bool odd)
{
    return MPI_Reduce_scatter_block(send_buf, recv_buf, COUNT + odd, MPI_INT, MPI_SUM, comm);
}

static int reduce_scatter_count(MPI_Comm comm, bool odd)
{
    int counts[8];

    for (int i = 0; i < 8; i++) {
        counts[i] = COUNT + odd;
    }
    return MPI_Reduce_scatter(send_buf, recv_buf, counts, MPI_INT, MPI_SUM, comm);
}

static int allreduce_or_allgather(MPI_Comm comm, bool odd)
{
    return odd ? MPI_Allgather(send_buf, COUNT, MPI_INT, recv_buf, COUNT, MPI_INT, comm)
               : MPI_Allreduce(send_buf, recv_buf, COUNT, MPI_INT, MPI_SUM, comm);
}

/* A rank in a barrier cannot be told: the others join it after their error. */
static int allreduce_or_barrier(MPI_Comm comm, bool odd)
{
    int rc = odd ? MPI_SUCCESS : MPI_Allreduce(send_buf, recv_buf, COUNT, MPI_INT, MPI_SUM, comm);

    MPI_Barrier(comm);
    return rc;
}

static int bcast_count(MPI_Comm comm, bool odd)
{
    int rc;

    t_dev_fill(recv_buf, COUNT * sizeof(int), 0 == rank ? 77 : 99);
    rc = MPI_Bcast(recv_buf, COUNT - odd, MPI_INT, 0, comm);
    t_dev_verify(recv_buf, COUNT * sizeof(int), odd ? 99 : 77, 0);
    return rc;
}

static int bcast_type(MPI_Comm comm, bool odd)
{
    int rc;

    t_dev_fill(recv_buf, COUNT * sizeof(int), 0 == rank ? 77 : 99);
    rc = odd ? MPI_Bcast(recv_buf, COUNT / 2, MPI_DOUBLE, 0, comm)
             : MPI_Bcast(recv_buf, COUNT, MPI_INT, 0, comm);
    t_dev_verify(recv_buf, COUNT * sizeof(int), odd ? 99 : 77, 0);
    return rc;
}

/* Bytes go with every type: many programs do that. */
static int bcast_bytes(MPI_Comm comm, bool odd)
{
    int rc;

    t_dev_fill(recv_buf, COUNT * sizeof(int), 0 == rank ? 77 : 99);
    rc = odd ? MPI_Bcast(recv_buf, COUNT * sizeof(int), MPI_BYTE, 0, comm)
             : MPI_Bcast(recv_buf, COUNT, MPI_INT, 0, comm);
    t_dev_verify(recv_buf, COUNT * sizeof(int), 77, 0);
    return rc;
}

static int allgather_type(MPI_Comm comm, bool odd)
{
    const MPI_Datatype type = odd ? MPI_FLOAT : MPI_INT;

    return MPI_Allgather(send_buf, COUNT, type, recv_buf, COUNT, type, comm);
}

/* What a broadcast of more than one message leaves behind would be found by
 * the next one; the root would wait in the first. */
static int bcast_large(MPI_Comm comm, bool odd)
{
    const int count = 1 << 20;
    char *buf = t_dev_alloc((size_t)count + 8);
    int rc;

    t_dev_fill(buf, (size_t)count, 0 == rank ? 3 : 4);
    rc = MPI_Bcast(buf, count + 8 * odd, MPI_BYTE, 0, comm);
    t_dev_fill(buf, (size_t)count, 0 == rank ? 5 : 6);
    t_check(MPI_SUCCESS == MPI_Bcast(buf, count, MPI_BYTE, 0, comm), "the next broadcast failed");
    t_dev_verify(buf, (size_t)count, 5, 0);
    t_dev_free(buf);
    return rc;
}

static int bcast_root(MPI_Comm comm, bool odd)
{
    return MPI_Bcast(recv_buf, COUNT, MPI_INT, odd ? 1 : 0, comm);
}

static int reduce_root(MPI_Comm comm, bool odd)
{
    return MPI_Reduce(send_buf, recv_buf, COUNT, MPI_INT, MPI_SUM, odd ? rank : 0, comm);
}

static int reduce_count(MPI_Comm comm, bool odd)
{
    return MPI_Reduce(send_buf, recv_buf, COUNT - odd, MPI_INT, MPI_SUM, 0, comm);
}

static int gather_count(MPI_Comm comm, bool odd)
{
    return MPI_Gather(send_buf, COUNT - odd, MPI_INT, recv_buf, COUNT, MPI_INT, 0, comm);
}

static int scatter_count(MPI_Comm comm, bool odd)
{
    return MPI_Scatter(send_buf, COUNT, MPI_INT, recv_buf, COUNT + odd, MPI_INT, 0, comm);
}

static int scan_count(MPI_Comm comm, bool odd)
{
    return MPI_Scan(send_buf, recv_buf, COUNT + odd, MPI_INT, MPI_SUM, comm);
}

/* The odd rank has host memory and waits inside Open MPI. Nothing of the
 * refused call has been sent, so that the matching call that follows on the
 * others ends it. */
static int allreduce_host_odd(MPI_Comm comm, bool odd)
{
    int in[COUNT + 1], out[COUNT + 1], rc = MPI_SUCCESS;

    for (int i = 0; i <= COUNT; i++) {
        in[i] = i;
    }
    if (!odd) {
        rc = MPI_Allreduce(send_buf, recv_buf, COUNT, MPI_INT, MPI_SUM, comm);
    }
    t_check(MPI_SUCCESS == MPI_Allreduce(in, out, COUNT + 1, MPI_INT, MPI_SUM, comm),
            "the matching call failed");
    t_check(COUNT * size == out[COUNT], "sum %d, not %d", out[COUNT], COUNT * size);
    return rc;
}

static const differ_t cases[] = {
    {"allreduce_count",
     allreduce_count,
     MPI_ERR_TRUNCATE,
     MPI_ERR_TRUNCATE,
     MPI_ERR_TRUNCATE,
     {"MPI_Allreduce, 400 bytes", "MPI_Allreduce, 404 bytes"}},
    {"allreduce_op", allreduce_op, MPI_ERR_OP, MPI_ERR_OP, MPI_ERR_OP, {"MPI_SUM", "MPI_MAX"}},
    {"allreduce_type",
     allreduce_type,
     MPI_ERR_TYPE,
     MPI_ERR_TYPE,
     MPI_ERR_TYPE,
     {"INT4", "FLOAT4"}},
    {"allgather_count",
     allgather_count,
     MPI_ERR_TRUNCATE,
     MPI_ERR_TRUNCATE,
     MPI_ERR_TRUNCATE,
     {"MPI_Allgather, 400 bytes of", "MPI_Allgather, 404 bytes of"}},
    {"alltoall_count",
     alltoall_count,
     MPI_ERR_TRUNCATE,
     MPI_ERR_TRUNCATE,
     MPI_ERR_TRUNCATE,
     {"MPI_Alltoall, 400 bytes of", "404 bytes of OPAL_INT4 sent and 404 of OPAL_INT4"}},
    {"reduce_scatter_block_count",
     reduce_scatter_block_count,
     MPI_ERR_TRUNCATE,
     MPI_ERR_TRUNCATE,
     MPI_ERR_TRUNCATE,
     {"MPI_Reduce_scatter_block, 400", "MPI_Reduce_scatter_block, 404"}},
    {"reduce_scatter_count",
     reduce_scatter_count,
     MPI_ERR_TRUNCATE,
     MPI_ERR_TRUNCATE,
     MPI_ERR_TRUNCATE,
     {"MPI_Reduce_scatter", "bytes of"}},
    {"allreduce_or_allgather",
     allreduce_or_allgather,
     MPI_ERR_OTHER,
     MPI_ERR_OTHER,
     MPI_ERR_OTHER,
     {"MPI_Allreduce, 400", "MPI_Allgather, 400"}},
    {"allreduce_or_barrier",
     allreduce_or_barrier,
     MPI_ERR_OTHER,
     MPI_ERR_OTHER,
     MPI_SUCCESS,
     {"MPI_Allreduce, 400", "MPI_Barrier"}},
    {"bcast_count",
     bcast_count,
     MPI_SUCCESS,
     MPI_SUCCESS,
     MPI_ERR_TRUNCATE,
     {"MPI_Bcast, root 0, 400 bytes", "MPI_Bcast, root 0, 396 bytes"}},
    {"bcast_type",
     bcast_type,
     MPI_SUCCESS,
     MPI_SUCCESS,
     MPI_ERR_TYPE,
     {"400 bytes of OPAL_INT4", "400 bytes of OPAL_FLOAT8"}},
    {"bcast_bytes", bcast_bytes, MPI_SUCCESS, MPI_SUCCESS, MPI_SUCCESS, {NULL, NULL}},
    {"allgather_type",
     allgather_type,
     MPI_ERR_TYPE,
     MPI_ERR_TYPE,
     MPI_ERR_TYPE,
     {"OPAL_INT4 sent", "OPAL_FLOAT4 sent"}},
    {"bcast_large",
     bcast_large,
     MPI_SUCCESS,
     MPI_SUCCESS,
     MPI_ERR_TRUNCATE,
     {"MPI_Bcast, root 0, 1048576 bytes", "MPI_Bcast, root 0, 1048584 bytes"}},
    {"bcast_root",
     bcast_root,
     MPI_SUCCESS,
     MPI_SUCCESS,
     MPI_ERR_ROOT,
     {"MPI_Bcast, root 0", "MPI_Bcast, root 1"}},
    {"reduce_root",
     reduce_root,
     MPI_ERR_ROOT,
     MPI_SUCCESS,
     MPI_ERR_ROOT,
     {"MPI_Reduce, root 0", "MPI_Reduce, root"}},
    {"reduce_count",
     reduce_count,
     MPI_ERR_TRUNCATE,
     MPI_SUCCESS,
     MPI_SUCCESS,
     {"MPI_Reduce, root 0, 400", "MPI_Reduce, root 0, 396"}},
    {"gather_count",
     gather_count,
     MPI_ERR_TRUNCATE,
     MPI_SUCCESS,
     MPI_SUCCESS,
     {"MPI_Gather, root 0, 400", "MPI_Gather, root 0, 396"}},
    {"scatter_count",
     scatter_count,
     MPI_SUCCESS,
     MPI_SUCCESS,
     MPI_ERR_TRUNCATE,
     {"MPI_Scatter, root 0, 400", "404 of OPAL_INT4 received"}},
    {"scan_count",
     scan_count,
     MPI_SUCCESS,
     MPI_SUCCESS,
     MPI_ERR_TRUNCATE,
     {"MPI_Scan, 400", "MPI_Scan, 404"}},
    {"allreduce_host_odd",
     allreduce_host_odd,
     MPI_ERR_TRUNCATE,
     MPI_ERR_TRUNCATE,
     MPI_SUCCESS,
     {"MPI_Allreduce, 400", "MPI_Allreduce, 404"}},
};

static void check_text(const differ_t *c, const char *text, int class)
{
    char own[32];

    if (MPI_SUCCESS == class) {
        t_check('\0' == text[0], "%s: rank %d, which saw nothing, printed: %s", c->name, rank,
                text);
        return;
    }
    snprintf(own, sizeof(own), "rank %d: MPI_", rank);
    t_check(NULL != strstr(text, "the communicator of the odd one"), "%s: no communicator in: %s",
            c->name, text);
    t_check(NULL != strstr(text, own), "%s: not '%s' in: %s", c->name, own, text);
    for (int i = 0; i < 2; i++) {
        t_check(NULL != strstr(text, c->words[i]), "%s: not '%s' in: %s", c->name, c->words[i],
                text);
    }
}

static void check_case(const differ_t *c)
{
    const bool odd = size - 1 == rank;
    const int want = odd ? c->odd : (0 == rank ? c->others : c->middle);
    const char *text;
    MPI_Comm comm;
    int rc, class;
    double start;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name(comm, "the communicator of the odd one");
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    start = MPI_Wtime();
    t_capture_start();
    rc = c->call(comm, odd);
    text = t_capture_stop();
    MPI_Error_class(rc, &class);
    t_check(want == class, "%s: rank %d of %d got class %d, not %d; it printed: %s", c->name, rank,
            size, class, want, text);
    t_check(MPI_Wtime() - start < 8, "%s: rank %d needed %g s", c->name, rank, MPI_Wtime() - start);
    check_text(c, text, class);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    t_mpi_start(argc, argv, MPI_THREAD_SINGLE);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    send_buf = t_dev_alloc(ROOM * sizeof(int));
    recv_buf = t_dev_alloc(ROOM * sizeof(int));
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        /* With two ranks the odd one alone could be the root of that case. */
        if (size > 2 || bcast_root != cases[i].call) {
            check_case(&cases[i]);
        }
    }
    t_dev_free(send_buf);
    t_dev_free(recv_buf);
    MPI_Finalize();
    return 0;
}
