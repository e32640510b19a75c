/* SPDX-License-Identifier: BSD-3-Clause */
/* Wrong calls on a window of device memory give their error class and change
 * nothing; afterwards the window works. Memory that its owner has freed is not
 * written any more. */
#include "coll_harness.h"
#include "win_memory.h"

enum {
    COUNT = 100
};

static int peer, word = 1;
static MPI_Win win;

static int put(int *origin, int count, MPI_Aint disp)
{
    return MPI_Put(origin, count, MPI_INT, peer, disp, count, MPI_INT, win);
}

static void without_epoch(void)
{
    int got;

    T_WIN_FAILS(put(&word, 1, 0), MPI_ERR_RMA_SYNC);
    T_WIN_FAILS(MPI_Fetch_and_op(&word, &got, MPI_INT, peer, 0, MPI_SUM, win), MPI_ERR_RMA_SYNC);
    T_WIN_FAILS(MPI_Win_unlock(peer, win), MPI_ERR_RMA_SYNC);
    T_WIN_FAILS(MPI_Win_unlock_all(win), MPI_ERR_RMA_SYNC);
    T_WIN_FAILS(MPI_Win_flush(peer, win), MPI_ERR_RMA_SYNC);
    T_WIN_FAILS(MPI_Win_complete(win), MPI_ERR_RMA_SYNC);
    T_WIN_FAILS(MPI_Win_wait(win), MPI_ERR_RMA_SYNC);
}

static void in_epoch(int *device, int *gone)
{
    MPI_Win_lock(MPI_LOCK_SHARED, peer, 0, win);
    T_WIN_FAILS(MPI_Win_lock(MPI_LOCK_SHARED, peer, 0, win), MPI_ERR_RMA_SYNC);
    T_WIN_FAILS(MPI_Win_lock_all(0, win), MPI_ERR_RMA_SYNC);
    T_WIN_FAILS(put(&word, 1, COUNT), MPI_ERR_RMA_RANGE);
    T_WIN_FAILS(put(device, COUNT, 1), MPI_ERR_RMA_RANGE);
    T_WIN_FAILS(put(gone, 1, 0), MPI_ERR_BUFFER);
    T_WIN_FAILS(MPI_Accumulate(&word, 1, MPI_INT, peer, COUNT, 1, MPI_INT, MPI_SUM, win),
                MPI_ERR_RMA_RANGE);
    T_WIN_FAILS(MPI_Get(device, 2, MPI_INT, peer, 0, 1, MPI_INT, win), MPI_ERR_TRUNCATE);
    T_WIN_FAILS(MPI_Win_attach(win, device, sizeof(int)), MPI_ERR_RMA_FLAVOR);
    MPI_Win_unlock(peer, win);
}

static void works(const t_memory_t *window, int *device, int rank)
{
    t_memory_verify(window, 0, COUNT, rank, 1, "after wrong calls");
    MPI_Win_fence(0, win);
    T_WIN_WORKS(put(device, COUNT, 0));
    MPI_Win_fence(0, win);
    t_memory_verify(window, 0, COUNT, 100 * peer, 4, "a right one");
}

static void freed(t_memory_t *window, int *device, int rank)
{
    if (1 == rank) {
        t_acl_ok(aclrtFree(window->at));
    }
    MPI_Win_fence(0, win);
    if (0 == rank) {
        T_WIN_FAILS(put(device, COUNT, 0), MPI_ERR_RMA_RANGE);
        T_WIN_FAILS(put(&word, 1, 0), MPI_ERR_RMA_RANGE);
    }
    MPI_Win_fence(0, win);
}

int main(int argc, char **argv)
{
    t_memory_t window, mine;
    int rank, *gone;
    void *memory;

    t_mpi_start(argc, argv, MPI_THREAD_SINGLE);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    peer = 1 - rank;
    /* Not by dlsym, as the helpers do it: seen by the hooks, and the free, too. */
    window = (t_memory_t){.n = COUNT, .device = true};
    t_acl_ok(aclrtMalloc(&memory, COUNT * sizeof(int), ACL_MEM_MALLOC_HUGE_FIRST));
    window.at = memory;
    mine = t_memory(COUNT, true);
    gone = t_dev_alloc(4096);
    t_dev_free(gone);
    t_memory_fill(&window, rank, 1);
    t_memory_fill(&mine, 100 * rank, 4);
    T_WIN_WORKS(MPI_Win_create(window.at, COUNT * sizeof(int), sizeof(int), MPI_INFO_NULL,
                               MPI_COMM_WORLD, &win));
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    without_epoch();
    in_epoch(mine.at, gone);
    MPI_Barrier(MPI_COMM_WORLD);
    works(&window, mine.at, rank);
    freed(&window, mine.at, rank);
    MPI_Win_free(&win);
    if (0 == rank) {
        t_acl_ok(aclrtFree(window.at));
    }
    t_memory_free(&mine);
    MPI_Finalize();
    return 0;
}
