/* SPDX-License-Identifier: BSD-3-Clause */
/* Types of every layout in device memory, to the process itself (nonblocking,
 * on MPI_COMM_SELF and MPI_COMM_WORLD), and by MPI_Sendrecv_replace between two
 * ranks, with nobody on one side or on both. Every byte is compared. */
#include "coll_harness.h"
#include "layouts.h"

#include "tests/helpers/t_helpers.h"

#include <stdlib.h>
#include <string.h>

enum {
    MARGIN = 100
};

typedef struct memory {
    char *host, *device;
    size_t size, at;
} memory_t;

static void memory_open(memory_t *memory, const t_layout_t *layout, uint64_t seed)
{
    memory->at = MARGIN + layout->before;
    memory->size = memory->at + layout->after + MARGIN;
    memory->host = malloc(memory->size);
    memory->device = t_dev_alloc(memory->size);
    t_check(NULL != memory->host, "no memory");
    t_fill(memory->host, memory->size, seed);
    t_to_device(memory->device, memory->host, memory->size);
}

/* The device has what memory->host has, with this message in its place. */
static void memory_check(memory_t *memory, const t_layout_t *layout, const char *packed,
                         const char *what)
{
    char *got = malloc(memory->size);

    t_check(NULL != got, "no memory");
    if (NULL != packed) {
        t_layout_unpack(layout, packed, layout->bytes, memory->host + memory->at);
    }
    t_to_host(got, memory->device, memory->size);
    for (size_t i = 0; i < memory->size; i++) {
        t_check(got[i] == memory->host[i], "%s, %s: byte %zu of %zu is %#x, not %#x", layout->name,
                what, i, memory->size, (unsigned char)got[i], (unsigned char)memory->host[i]);
    }
    free(got);
    free(memory->host);
    t_dev_free(memory->device);
}

static void to_self(const t_layout_t *layout, MPI_Comm comm)
{
    char *packed = malloc(layout->bytes);
    MPI_Request requests[2];
    memory_t from, to;
    int rank;

    t_check(NULL != packed, "no memory");
    MPI_Comm_rank(comm, &rank);
    memory_open(&from, layout, 1);
    memory_open(&to, layout, 2);
    t_layout_pack(layout, from.host + from.at, packed);
    MPI_Isend(from.device + from.at, layout->count, layout->type, rank, 5, comm, &requests[0]);
    MPI_Irecv(to.device + to.at, layout->count, layout->type, rank, 5, comm, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    memory_check(&from, layout, NULL, "sent to itself");
    memory_check(&to, layout, packed, "received from itself");
    free(packed);
}

/* @a comes: whether the peer sends as well. */
static void replace(const t_layout_t *layout, int to, int from, bool comes, const char *what)
{
    char *packed = malloc(layout->bytes);
    memory_t mine, other;
    MPI_Status status;
    int rank, got;

    t_check(NULL != packed, "no memory");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    memory_open(&mine, layout, 10 + (uint64_t)rank);
    memory_open(&other, layout, 10 + (uint64_t)(1 - rank));
    t_layout_pack(layout, other.host + other.at, packed);
    MPI_Sendrecv_replace(mine.device + mine.at, layout->count, layout->type, to, 7, from, 7,
                         MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, layout->type, &got);
    t_check(got == (comes ? layout->count : 0), "%s, %s: count %d", layout->name, what, got);
    memory_check(&mine, layout, comes ? packed : NULL, what);
    memory_check(&other, layout, NULL, "beside it");
    free(packed);
}

int main(int argc, char **argv)
{
    int rank;

    t_mpi_start(argc, argv, MPI_THREAD_SINGLE);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (const t_layout_t *layout = t_layouts(); NULL != layout->name; layout++) {
        to_self(layout, MPI_COMM_SELF);
        to_self(layout, MPI_COMM_WORLD);
        replace(layout, 1 - rank, 1 - rank, true, "replaced");
        replace(layout, (0 == rank) ? 1 : MPI_PROC_NULL, (0 == rank) ? MPI_PROC_NULL : 0, 1 == rank,
                "replaced one way");
    }
    MPI_Finalize();
    return 0;
}
