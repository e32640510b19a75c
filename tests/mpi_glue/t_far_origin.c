/* SPDX-License-Identifier: BSD-3-Clause */
/* Derived types whose data lie far from the buffer's address: absolute addresses
 * with MPI_BOTTOM, in one block and in several, and a block in the middle of an
 * allocation. In messages of every kind and in collectives, and not only what
 * is packed: host copies too must not be described from an address where UCX
 * would find other memory, or none. */
#include "coll_harness.h"

#include "tests/helpers/t_helpers.h"

#include <mpi-ext.h>
#include <stdlib.h>
#include <string.h>

static int rank, peer;
static const MPI_Comm world = MPI_COMM_WORLD;

#define WORKS(_expr) t_check(MPI_SUCCESS == (_expr), "%s failed", #_expr)

/* @a n bytes at @a address, in two blocks with a gap of as much if @a gap. */
static MPI_Datatype far_type(MPI_Aint address, size_t n, bool gap)
{
    MPI_Aint at[2] = {address, address + (MPI_Aint)n};
    int len[2] = {(int)(n / 2), (int)(n - n / 2)};
    MPI_Datatype bytes[2] = {MPI_BYTE, MPI_BYTE}, type;

    at[1] = address + (gap ? (MPI_Aint)n : len[0]);
    MPI_Type_create_struct(2, len, at, bytes, &type);
    MPI_Type_commit(&type);
    return type;
}

static void check_blocks(const char *data, size_t n, bool gap, int seed)
{
    t_dev_verify(data, n / 2, (uint64_t)seed, 0);
    t_dev_verify(data + (gap ? n : n / 2), n - n / 2, (uint64_t)seed, 0);
    if (gap) {
        t_dev_verify(data + n / 2, n / 2, 99, n / 2);
    }
}

typedef struct far {
    char *from, *to; /* device memory */
    void *base;
    MPI_Datatype send, recv;
    size_t n;
    bool gap;
} far_t;

static void fill(const far_t *far, int seed)
{
    const size_t second = far->gap ? far->n : far->n / 2;

    t_dev_fill(far->from, far->n / 2, (uint64_t)seed);
    t_dev_fill(far->from + second, far->n - far->n / 2, (uint64_t)seed);
    t_dev_fill(far->to, 2 * far->n, 99);
}

static void check_messages(const far_t *far)
{
    MPI_Request requests[2];
    MPI_Message message;

    fill(far, 10 + rank);
    WORKS(MPI_Sendrecv(far->base, 1, far->send, peer, 0, far->base, 1, far->recv, peer, 0, world,
                       MPI_STATUS_IGNORE));
    check_blocks(far->to, far->n, far->gap, 10 + peer);
    fill(far, 20 + rank);
    WORKS(MPI_Recv_init(far->base, 1, far->recv, peer, 1, world, &requests[0]));
    WORKS(MPI_Send_init(far->base, 1, far->send, peer, 1, world, &requests[1]));
    WORKS(MPI_Startall(2, requests));
    WORKS(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    check_blocks(far->to, far->n, far->gap, 20 + peer);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    fill(far, 30 + rank);
    WORKS(MPI_Bsend(far->base, 1, far->send, peer, 2, world));
    WORKS(MPI_Mprobe(peer, 2, world, &message, MPI_STATUS_IGNORE));
    WORKS(MPI_Mrecv(far->base, 1, far->recv, &message, MPI_STATUS_IGNORE));
    check_blocks(far->to, far->n, far->gap, 30 + peer);
}

static void check_collectives(const far_t *far)
{
    char *all = t_dev_alloc(2 * far->n);
    MPI_Request request;

    for (int root = 0; root < 2; root++) {
        fill(far, 40 + rank);
        WORKS(MPI_Bcast(far->base, 1, rank == root ? far->send : far->recv, root, world));
        check_blocks(rank == root ? far->from : far->to, far->n, false, 40 + root);
    }
    fill(far, 50 + rank);
    WORKS(MPI_Allgather(far->base, 1, far->send, all, (int)far->n, MPI_BYTE, world));
    for (int i = 0; i < 2; i++) {
        t_dev_verify(all + (size_t)i * far->n, far->n / 2, 50 + (uint64_t)i, 0);
    }
    fill(far, 60 + rank);
    WORKS(MPI_Ibcast(far->base, 1, 1 == rank ? far->send : far->recv, 1, world, &request));
    WORKS(MPI_Wait(&request, MPI_STATUS_IGNORE));
    check_blocks(1 == rank ? far->from : far->to, far->n, false, 61);
    t_dev_free(all);
}

static void check_size(size_t n, bool gap, bool bottom)
{
    const size_t off = bottom ? 0 : (size_t)6 << 20;
    char *memory = t_dev_alloc(off + 8 * n);
    far_t far = {.from = memory + off, .to = memory + off + 4 * n, .n = n, .gap = gap};
    MPI_Aint base = 0;

    if (bottom) {
        far.base = MPI_BOTTOM;
    } else {
        far.base = memory;
        MPI_Get_address(memory, &base);
    }
    far.send = far_type((MPI_Aint)far.from - base, n, gap);
    far.recv = far_type((MPI_Aint)far.to - base, n, gap);
    check_messages(&far);
    if (!gap) {
        check_collectives(&far);
    }
    MPI_Type_free(&far.send);
    MPI_Type_free(&far.recv);
    t_dev_free(memory);
}

/* Data in host memory, described from a device address. */
static void check_host_data(void)
{
    char *device = t_dev_alloc(1 << 20), *host = malloc(8192);
    const MPI_Aint away = (MPI_Aint)host - (MPI_Aint)device;
    MPI_Datatype send = far_type(away, 2048, true), recv = far_type(away + 4096, 2048, true);

    memset(host, 7 + rank, 4096);
    memset(host + 4096, 0, 4096);
    WORKS(
        MPI_Sendrecv(device, 1, send, peer, 3, device, 1, recv, peer, 3, world, MPI_STATUS_IGNORE));
    t_check(7 + peer == host[4096] && 7 + peer == host[4096 + 2048 + 1023], "host data got lost");
    t_check(0 == host[4096 + 1024], "a gap in host memory was written");
    MPI_Type_free(&send);
    MPI_Type_free(&recv);
    free(host);
    t_dev_free(device);
}

int main(int argc, char **argv)
{
    static char attached[8 << 20];

    t_mpi_start(argc, argv, MPI_THREAD_SINGLE);
    MPI_Comm_rank(world, &rank);
    peer = 1 - rank;
    MPI_Buffer_attach(attached, sizeof(attached));
    for (int i = 0; i < 4; i++) {
        check_size(4096, 0 != (i & 1), 0 != (i & 2));
        check_size(3000000, 0 != (i & 1), 0 != (i & 2));
    }
    check_host_data();
    MPI_Finalize();
    return 0;
}
