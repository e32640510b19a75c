/* SPDX-License-Identifier: BSD-3-Clause */
/* Dynamic windows: device and host memory attached side by side, found by address,
 * one type over two pieces, memory attached anew; what is not attached is refused. */
#include "coll_harness.h"
#include "win_memory.h"

enum {
    COUNT = 2500,
    PIECES = 3
};

static int rank, size;
static MPI_Win win;

typedef struct places {
    MPI_Aint at[PIECES];
} places_t;

static void attach(t_memory_t *memory, MPI_Aint *at)
{
    T_WIN_WORKS(MPI_Win_attach(win, memory->at, COUNT * sizeof(int)));
    MPI_Get_address(memory->at, at);
}

static const places_t *exchange(const places_t *mine)
{
    static places_t all[8];

    MPI_Allgather(mine, sizeof(*mine), MPI_BYTE, all, sizeof(*mine), MPI_BYTE, MPI_COMM_WORLD);
    return &all[(rank + 1) % size];
}

/* Each piece of the right neighbour by itself, then two by one type. */
static void use(t_memory_t pieces[PIECES], const places_t *there)
{
    const int right = (rank + 1) % size, left = (rank + size - 1) % size;
    const int lengths[2] = {100, 200};
    t_memory_t mine = t_memory(COUNT, true), two = t_memory(300, true);
    const MPI_Aint both[2] = {there->at[1], there->at[0]};
    MPI_Datatype type;

    t_memory_fill(&mine, 50 * rank, 2);
    MPI_Win_lock_all(0, win);
    for (int i = 0; i < PIECES; i++) {
        T_WIN_WORKS(MPI_Put(mine.at, COUNT, MPI_INT, right, there->at[i], COUNT, MPI_INT, win));
    }
    MPI_Win_flush(right, win);
    MPI_Type_create_hindexed(2, lengths, both, MPI_INT, &type);
    MPI_Type_commit(&type);
    T_WIN_WORKS(MPI_Get(two.at, 300, MPI_INT, right, 0, 1, type, win));
    MPI_Type_free(&type);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    t_memory_verify(&two, 0, 100, 50 * rank, 2, "the first of two");
    t_memory_verify(&two, 100, 200, 50 * rank, 2, "the second of two");
    for (int i = 0; i < PIECES; i++) {
        t_memory_verify(&pieces[i], 0, COUNT, 50 * left, 2, "attached");
    }
    t_memory_free(&mine);
    t_memory_free(&two);
}

static void refusals(const places_t *there)
{
    static int many[65];
    int word = 1;
    const int right = (rank + 1) % size;

    MPI_Win_lock_all(0, win);
    for (int i = 0; i < PIECES; i++) {
        T_WIN_FAILS(MPI_Put(&word, 1, MPI_INT, right, there->at[i], 1, MPI_INT, win),
                    MPI_ERR_RMA_RANGE);
    }
    MPI_Win_unlock_all(win);
    T_WIN_FAILS(MPI_Win_detach(win, &word), MPI_ERR_BASE);
    for (int i = 0; i < 64; i++) {
        T_WIN_WORKS(MPI_Win_attach(win, &many[i], sizeof(int)));
    }
    T_WIN_FAILS(MPI_Win_attach(win, &many[64], sizeof(int)), MPI_ERR_RMA_ATTACH);
    T_WIN_WORKS(MPI_Win_detach(win, &many[7]));
    T_WIN_WORKS(MPI_Win_attach(win, &many[64], sizeof(int)));
}

int main(int argc, char **argv)
{
    t_memory_t pieces[PIECES];
    const places_t *there;
    places_t mine;

    t_mpi_start(argc, argv, MPI_THREAD_SINGLE);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    T_WIN_WORKS(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < PIECES; i++) {
            pieces[i] = t_memory(COUNT, 2 != i);
            attach(&pieces[i], &mine.at[i]);
        }
        there = exchange(&mine);
        use(pieces, there);
        for (int i = 0; i < PIECES; i++) {
            T_WIN_WORKS(MPI_Win_detach(win, pieces[i].at));
            t_memory_free(&pieces[i]);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    refusals(there);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
