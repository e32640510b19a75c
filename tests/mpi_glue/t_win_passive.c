/* SPDX-License-Identifier: BSD-3-Clause */
/* One-sided for good: locks, puts, gets and accumulates on a device window end while
 * the target is outside MPI, waiting for what they write with the runtime alone. */
#include "coll_harness.h"
#include "win_memory.h"

#include <unistd.h>

enum {
    COUNT = 5000,
    FLAG = COUNT,
    SUM,
    SWAPPED,
    WORDS
};

static MPI_Win win;

static void origin(void)
{
    t_memory_t data = t_memory(COUNT, true), few = t_memory(4, false);
    const int zero = 0, one = 1, seven = 7;
    int got = -1;

    t_memory_fill(&data, 11, 3);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
    T_WIN_WORKS(MPI_Put(data.at, COUNT, MPI_INT, 1, 0, COUNT, MPI_INT, win));
    T_WIN_WORKS(MPI_Accumulate(&seven, 1, MPI_INT, 1, SUM, 1, MPI_INT, MPI_SUM, win));
    T_WIN_WORKS(MPI_Accumulate(&seven, 1, MPI_INT, 1, SUM, 1, MPI_INT, MPI_SUM, win));
    T_WIN_WORKS(MPI_Compare_and_swap(&seven, &zero, &got, MPI_INT, 1, SWAPPED, win));
    t_check(0 == got, "swapped %d", got);
    MPI_Win_unlock(1, win);
    MPI_Win_lock_all(0, win);
    T_WIN_WORKS(MPI_Get(few.at, 4, MPI_INT, 1, 0, 4, MPI_INT, win));
    MPI_Win_flush(1, win);
    t_memory_verify(&few, 0, 4, 11, 3, "read back");
    T_WIN_WORKS(MPI_Put(&one, 1, MPI_INT, 1, FLAG, 1, MPI_INT, win));
    MPI_Win_unlock_all(win);
    t_memory_free(&data);
    t_memory_free(&few);
}

static void target(const t_memory_t *window)
{
    int words[WORDS] = {0};

    for (int i = 0; 0 == words[FLAG]; i++) {
        t_check(i < 20000, "nothing came while this rank was outside MPI");
        usleep(1000);
        t_memory_read(window, words);
    }
    t_memory_verify(window, 0, COUNT, 11, 3, "put");
    t_check(14 == words[SUM] && 7 == words[SWAPPED], "sum %d, swapped %d", words[SUM],
            words[SWAPPED]);
}

int main(int argc, char **argv)
{
    t_memory_t window;
    int rank;

    t_mpi_start(argc, argv, MPI_THREAD_SINGLE);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    window = t_memory(WORDS, true);
    t_memory_fill(&window, 0, 0);
    T_WIN_WORKS(MPI_Win_create(window.at, WORDS * sizeof(int), sizeof(int), MPI_INFO_NULL,
                               MPI_COMM_WORLD, &win));
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == rank) {
        origin();
    } else {
        target(&window);
    }
    MPI_Win_free(&win);
    t_memory_free(&window);
    MPI_Finalize();
    return 0;
}
