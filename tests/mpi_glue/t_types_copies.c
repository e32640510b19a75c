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
} bound_t;

/* With pitched copies inside the device: one, and one between the devices. */
static const bound_t bounds[] = {{"column of 8 bytes", 1, 1},
                                 {"column, counted", 1, 1},
                                 {"two columns, counted", 2, 2},
                                 {"rows of 1 KiB", 3, 4},
                                 {"rows of 32 KiB", 41, 2},
                                 {"rows of 32 KiB, counted", 22, 4},
                                 {"far column", 1, 1},
                                 {"box", 5, 5},
                                 {"plane", 41, 2},
                                 {"vector of vectors", 2, 2},
                                 {"struct", 3, 3},
                                 {"many pieces", 3, 3},
                                 {"many pieces, out of order", 6, 6},
                                 {"together", 1, 1},
                                 {"together, shifted", 1, 1},
                                 {"together, gaps at the ends", 1, 1},
                                 {"together, gaps between", 5, 2}};

static int copies(void)
{
    return (int)(t_counter("copy.h2d") + t_counter("copy.d2h") + t_counter("copy.d2d"));
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
    int n;

    (void)message(layout, memory + layout->before, rank);
    n = message(layout, memory + layout->before, rank);
    t_check(n >= 0 && n <= most, "%s, %s: %d copies, and at most %d are needed", layout->name,
            (0 == rank) ? "sent" : "received", n, most);
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
