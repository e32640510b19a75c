/* SPDX-License-Identifier: BSD-3-Clause */
/* Several threads of each rank use one device window at the same time: puts to
 * places of their own, gets of what they put, sums in one place, with flushes. */
#include "coll_harness.h"
#include "win_memory.h"

#include <pthread.h>

enum {
    THREADS = 3,
    ROUNDS = 15,
    COUNT = 700,
    SUM = THREADS * COUNT
};

static MPI_Win win;
static int rank, peer;

static void *work(void *arg)
{
    const int id = *(const int *)arg, one = 1;
    t_memory_t mine, back;
    MPI_Request request;
    int before;

    t_device(0);
    mine = t_memory(COUNT, true);
    back = t_memory(COUNT, true);
    for (int i = 0; i < ROUNDS; i++) {
        t_memory_fill(&mine, 1000 * id + i, 2);
        T_WIN_WORKS(
            MPI_Put(mine.at, COUNT, MPI_INT, peer, (MPI_Aint)id * COUNT, COUNT, MPI_INT, win));
        MPI_Win_flush(peer, win);
        T_WIN_WORKS(MPI_Fetch_and_op(&one, &before, MPI_INT, 0, SUM, MPI_SUM, win));
        t_check(before >= 0 && before < 2 * THREADS * ROUNDS, "fetched %d", before);
        T_WIN_WORKS(MPI_Rget(back.at, COUNT, MPI_INT, peer, (MPI_Aint)id * COUNT, COUNT, MPI_INT,
                             win, &request));
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        t_memory_verify(&back, 0, COUNT, 1000 * id + i, 2, "read back");
    }
    t_memory_free(&mine);
    t_memory_free(&back);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    int ids[THREADS];
    t_memory_t window;

    t_mpi_start(argc, argv, MPI_THREAD_MULTIPLE);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    peer = 1 - rank;
    window = t_memory(SUM + 1, true);
    t_memory_fill(&window, 0, 0);
    T_WIN_WORKS(MPI_Win_create(window.at, (SUM + 1) * sizeof(int), sizeof(int), MPI_INFO_NULL,
                               MPI_COMM_WORLD, &win));
    MPI_Win_lock_all(0, win);
    for (int i = 0; i < THREADS; i++) {
        ids[i] = i;
        t_check(0 == pthread_create(&threads[i], NULL, work, &ids[i]), "pthread_create");
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == rank) {
        t_memory_verify(&window, SUM, 1, 2 * THREADS * ROUNDS, 0, "sum");
    }
    for (int i = 0; i < THREADS; i++) {
        t_memory_verify(&window, (size_t)i * COUNT, COUNT, 1000 * i + ROUNDS - 1, 2, "last put");
    }
    MPI_Win_free(&win);
    t_memory_free(&window);
    MPI_Finalize();
    return 0;
}
