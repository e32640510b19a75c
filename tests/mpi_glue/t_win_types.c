/* SPDX-License-Identifier: BSD-3-Clause */
/* Derived types of every layout on both sides of puts and gets, from and to host
 * and device memory, on a device window. Every byte is compared, also the gaps. */
#include "coll_harness.h"
#include "layouts.h"
#include "win_memory.h"

enum {
    MARGIN = 128
};

typedef struct bytes {
    char *at, *host; /* the memory, and what it should hold */
    size_t size, origin;
    bool device;
} bytes_t;

static bytes_t bytes_open(const t_layout_t *layout, bool device, uint64_t seed)
{
    bytes_t bytes = {.origin = MARGIN + layout->before, .device = device};

    bytes.size = bytes.origin + layout->after + MARGIN;
    bytes.host = malloc(bytes.size);
    bytes.at = device ? t_dev_alloc(bytes.size) : malloc(bytes.size);
    t_check(NULL != bytes.host && NULL != bytes.at, "no memory");
    t_fill(bytes.host, bytes.size, seed);
    if (device) {
        t_to_device(bytes.at, bytes.host, bytes.size);
    } else {
        memcpy(bytes.at, bytes.host, bytes.size);
    }
    return bytes;
}

static void bytes_check(bytes_t *bytes, const t_layout_t *layout, const char *what)
{
    char *got = malloc(bytes->size);

    t_check(NULL != got, "no memory");
    if (bytes->device) {
        t_to_host(got, bytes->at, bytes->size);
    } else {
        memcpy(got, bytes->at, bytes->size);
    }
    for (size_t i = 0; i < bytes->size; i++) {
        t_check(got[i] == bytes->host[i], "%s, %s memory, %s: byte %zu of %zu is %#x, not %#x",
                layout->name, bytes->device ? "device" : "host", what, i, bytes->size,
                (unsigned char)got[i], (unsigned char)bytes->host[i]);
    }
    free(got);
    free(bytes->host);
    if (bytes->device) {
        t_dev_free(bytes->at);
    } else {
        free(bytes->at);
    }
}

/* What these bytes would hold if they had received those of that seed. */
static void expect(bytes_t *bytes, const t_layout_t *layout, uint64_t seed)
{
    bytes_t other = bytes_open(layout, false, seed);
    char *packed = malloc(layout->bytes);

    t_check(NULL != packed, "no memory");
    t_layout_pack(layout, other.host + other.origin, packed);
    t_layout_unpack(layout, packed, layout->bytes, bytes->host + bytes->origin);
    free(packed);
    bytes_check(&other, layout, "untouched");
}

static void check(const t_layout_t *layout, bool device, int rank)
{
    const int peer = 1 - rank;
    bytes_t window = bytes_open(layout, true, 10 + (uint64_t)rank);
    bytes_t mine = bytes_open(layout, device, 20 + (uint64_t)rank);
    bytes_t got = bytes_open(layout, device, 30);
    MPI_Win win;

    MPI_Win_create(window.at, (MPI_Aint)window.size, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    T_WIN_WORKS(MPI_Get(got.at + got.origin, layout->count, layout->type, peer,
                        (MPI_Aint)window.origin, layout->count, layout->type, win));
    MPI_Win_fence(0, win);
    T_WIN_WORKS(MPI_Put(mine.at + mine.origin, layout->count, layout->type, peer,
                        (MPI_Aint)window.origin, layout->count, layout->type, win));
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    expect(&got, layout, 10 + (uint64_t)peer);
    expect(&window, layout, 20 + (uint64_t)peer);
    bytes_check(&got, layout, "got");
    bytes_check(&window, layout, "put");
    bytes_check(&mine, layout, "sent");
}

int main(int argc, char **argv)
{
    int rank;

    t_mpi_start(argc, argv, MPI_THREAD_SINGLE);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; NULL != t_layouts()[i].name; i++) {
        check(&t_layouts()[i], 0 == (i + rank) % 2, rank);
    }
    MPI_Finalize();
    return 0;
}
