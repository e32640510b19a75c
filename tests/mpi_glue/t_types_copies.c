/* SPDX-License-Identifier: BSD-3-Clause */
/* P57: how many copies a message of a derived type takes, on each side and all
 * directions together: a handful, a batch for a thousand irregular pieces, one
 * for each row where rows are large; never one for each piece of 8 bytes. A
 * second message of a type made anew takes no longer. */
#include "coll_harness.h"
#include "layouts.h"

#include "tests/helpers/t_helpers.h"

#include <stdlib.h>
#include <string.h>

typedef struct bound {
    const char *name;
    int copies;  /* on either side */
    int pitched; /* where pitched copies inside the device are to be had */
    bool inside; /* no byte may go through the host */
} bound_t;

/* With pitched copies inside the device: one, and one between the devices. */
static const bound_t bounds[] = {{"column of 8 bytes", 1, 1, false},
                                 {"column, counted", 1, 1, false},
                                 {"two columns, counted", 2, 2, false},
                                 {"rows of 1 KiB", 3, 4, false},
                                 {"rows of 32 KiB", 41, 2, true},
                                 {"rows of 32 KiB, counted", 22, 4, true},
                                 {"far column", 1, 1, false},
                                 {"box", 5, 5, false},
                                 {"plane", 41, 2, true},
                                 {"vector of vectors", 2, 2, false},
                                 {"struct", 3, 3, false},
                                 {"many pieces", 3, 3, false},
                                 {"many pieces, out of order", 6, 6, false},
                                 {"together", 1, 1, true},
                                 {"together, shifted", 1, 1, true},
                                 {"together, gaps at the ends", 1, 1, true},
                                 {"together, gaps between", 5, 2, true}};

static int copies(void)
{
    return (int)(t_counter("copy.h2d") + t_counter("copy.d2h") + t_counter("copy.d2d"));
}

static uint64_t bus_bytes(void)
{
    return t_counter("copy.bytes.h2d") + t_counter("copy.bytes.d2h");
}

static const t_layout_t *find(const char *name)
{
    const t_layout_t *layout = t_layouts();

    while (NULL != layout->name && 0 != strcmp(layout->name, name)) {
        layout++;
    }
    t_check(NULL != layout->name, "there is a layout '%s'", name);
    return layout;
}

/* MPI_Wait of the message, and then of nothing that would copy. */
static int message(const t_layout_t *layout, char *buffer, int rank)
{
    int before;

    MPI_Barrier(MPI_COMM_WORLD);
    before = copies();
    if (0 == rank) {
        MPI_Send(buffer, layout->count, layout->type, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(buffer, layout->count, layout->type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return copies() - before;
}

static void check(const bound_t *bound, int rank, bool pitched)
{
    const t_layout_t *layout = find(bound->name);
    const int most = pitched ? bound->pitched : bound->copies;
    char *memory = t_dev_alloc(layout->before + layout->after);
    uint64_t bytes;
    int n;

    (void)message(layout, memory + layout->before, rank);
    bytes = bus_bytes();
    n = message(layout, memory + layout->before, rank);
    t_check(n >= 0 && n <= most, "%s, %s: %d copies, and at most %d are needed", layout->name,
            (0 == rank) ? "sent" : "received", n, most);
    bytes = bus_bytes() - bytes;
    t_check(0 == bytes || !bound->inside, "%s: %llu bytes went through the host", layout->name,
            (unsigned long long)bytes);
    t_dev_free(memory);
}

int main(int argc, char **argv)
{
    const bool pitched = NULL != getenv("NPUSIM_PITCHED_D2D");
    int rank;

    t_mpi_start(argc, argv, MPI_THREAD_SINGLE);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (size_t i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++) {
        check(&bounds[i], rank, pitched);
    }
    MPI_Finalize();
    return 0;
}
