/* SPDX-License-Identifier: BSD-3-Clause */
/* Accumulate and its relatives on windows of device memory: all ranks update the
 * same elements at once, from host and device memory, and the results are the
 * closed forms. Fetched values show that each call is atomic. */
#include "coll_harness.h"
#include "win_memory.h"

enum {
    COUNT = 600,
    TICKETS = 12
};

static int rank, size;
static MPI_Win win;
static t_memory_t window;

static void sum_all(bool device)
{
    t_memory_t mine = t_memory(COUNT, device);

    t_memory_fill(&mine, rank, 2);
    t_memory_fill(&window, 5, 1);
    MPI_Win_fence(0, win);
    for (int target = 0; target < size; target++) {
        T_WIN_WORKS(
            MPI_Accumulate(mine.at, COUNT, MPI_INT, target, 0, COUNT, MPI_INT, MPI_SUM, win));
    }
    MPI_Win_fence(0, win);
    t_memory_verify(&window, 0, COUNT, 5 + size * (size - 1) / 2, 1 + 2 * size, "sum");
    t_memory_free(&mine);
}

/* Every rank brings its own bit, or number, to rank 0. */
static void one_op(MPI_Op op, int start, int mine, int want, const char *name)
{
    t_memory_t value = t_memory(1, 0 == rank % 2);

    t_memory_fill(&value, mine, 0);
    t_memory_fill(&window, start, 0);
    MPI_Win_fence(0, win);
    T_WIN_WORKS(MPI_Accumulate(value.at, 1, MPI_INT, 0, 3, 1, MPI_INT, op, win));
    MPI_Win_fence(0, win);
    if (0 == rank) {
        t_memory_verify(&window, 3, 1, want, 0, name);
        t_memory_verify(&window, 4, 1, start, 0, "the element behind it");
    }
    t_memory_free(&value);
}

static void all_ops(void)
{
    int product = 3;

    for (int i = 0; i < size; i++) {
        product *= i + 2;
    }
    one_op(MPI_MAX, -1, 10 * rank, 10 * (size - 1), "max");
    one_op(MPI_MIN, 1000, 10 - rank, 10 - (size - 1), "min");
    one_op(MPI_PROD, 3, rank + 2, product, "prod");
    one_op(MPI_BOR, 1 << 20, 1 << rank, (1 << 20) + (1 << size) - 1, "bor");
    one_op(MPI_BAND, -1, ~(1 << rank), ~((1 << size) - 1), "band");
    one_op(MPI_BXOR, 0, 1 << rank, (1 << size) - 1, "bxor");
    one_op(MPI_LAND, 1, rank, 0, "land");
    one_op(MPI_LOR, 0, rank, 1, "lor");
    one_op(MPI_REPLACE, 7, 42, 42, "replace");
}

/* Each number must be fetched by exactly one rank. */
static void tickets(void)
{
    int mine[TICKETS], seen[TICKETS * 8] = {0}, all[TICKETS * 8];
    t_memory_t one = t_memory(1, true), got = t_memory(1, true);

    t_memory_fill(&one, 1, 0);
    t_memory_fill(&window, 0, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    for (int i = 0; i < TICKETS; i++) {
        T_WIN_WORKS(MPI_Fetch_and_op(one.at, got.at, MPI_INT, 0, 5, MPI_SUM, win));
        MPI_Win_flush(0, win);
        t_memory_read(&got, &mine[i]);
    }
    MPI_Win_unlock_all(win);
    MPI_Allgather(mine, TICKETS, MPI_INT, all, TICKETS, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < TICKETS * size; i++) {
        t_check(all[i] >= 0 && all[i] < TICKETS * size && 0 == seen[all[i]]++,
                "ticket %d was given twice, or never was one", all[i]);
    }
    t_memory_free(&one);
    t_memory_free(&got);
}

/* Adds by swapping until nobody came between. */
static void swaps(void)
{
    int old = 0, next, got, tries = 0;

    t_memory_fill(&window, 0, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    for (int i = 0; i < TICKETS; tries++) {
        t_check(tries < 1000000, "no swap succeeds");
        next = old + 1;
        T_WIN_WORKS(MPI_Compare_and_swap(&next, &old, &got, MPI_INT, size - 1, 9, win));
        MPI_Win_flush(size - 1, win);
        i += got == old;
        old = (got == old) ? next : got;
    }
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (size - 1 == rank) {
        t_memory_verify(&window, 9, 1, TICKETS * size, 0, "swapped");
    }
}

/* The neighbour's values before this rank's were added, and the request forms. */
static void fetches(bool device)
{
    t_memory_t mine = t_memory(COUNT, device), got = t_memory(COUNT, device);
    const int right = (rank + 1) % size, left = (rank + size - 1) % size;
    MPI_Request request;

    t_memory_fill(&mine, rank, 1);
    t_memory_fill(&window, 100 * rank, 3);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win);
    T_WIN_WORKS(MPI_Get_accumulate(mine.at, COUNT, MPI_INT, got.at, COUNT, MPI_INT, right, 0, COUNT,
                                   MPI_INT, MPI_SUM, win));
    MPI_Win_flush(right, win);
    t_memory_verify(&got, 0, COUNT, 100 * right, 3, "before the first sum");
    T_WIN_WORKS(
        MPI_Raccumulate(mine.at, COUNT, MPI_INT, right, 0, COUNT, MPI_INT, MPI_SUM, win, &request));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    T_WIN_WORKS(MPI_Rget_accumulate(mine.at, COUNT, MPI_INT, got.at, COUNT, MPI_INT, right, 0,
                                    COUNT, MPI_INT, MPI_REPLACE, win, &request));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    t_memory_verify(&got, 0, COUNT, 100 * right + 2 * rank, 5, "before it was replaced");
    T_WIN_WORKS(MPI_Get_accumulate(NULL, 0, MPI_DATATYPE_NULL, got.at, COUNT, MPI_INT, right, 0,
                                   COUNT, MPI_INT, MPI_NO_OP, win));
    MPI_Win_unlock(right, win);
    t_memory_verify(&got, 0, COUNT, rank, 1, "what replaced it");
    MPI_Barrier(MPI_COMM_WORLD);
    t_memory_verify(&window, 0, COUNT, left, 1, "at the target");
    t_memory_free(&mine);
    t_memory_free(&got);
}

/* Pairs have gaps, which is where ranks meet the largest value's owner. */
static void pairs(void)
{
    const struct {
        double value;
        int index;
    } mine[2] = {{10.5 * rank, rank}, {-1.5 * rank, rank}}, start[2] = {{-1, -1}, {5, -1}};
    __typeof__(mine[0]) now[2];

    if (0 == rank) {
        t_to_device(window.at, start, sizeof(start));
    }
    MPI_Win_fence(0, win);
    T_WIN_WORKS(
        MPI_Accumulate(&mine[0], 1, MPI_DOUBLE_INT, 0, 0, 1, MPI_DOUBLE_INT, MPI_MAXLOC, win));
    T_WIN_WORKS(MPI_Accumulate(&mine[1], 1, MPI_DOUBLE_INT, 0, sizeof(mine[0]) / sizeof(int), 1,
                               MPI_DOUBLE_INT, MPI_MINLOC, win));
    MPI_Win_fence(0, win);
    if (0 == rank) {
        t_to_host((void *)now, window.at, sizeof(now));
        t_check(10.5 * (size - 1) == now[0].value && size - 1 == now[0].index, "maxloc %g at %d",
                now[0].value, now[0].index);
        t_check(-1.5 * (size - 1) == now[1].value && size - 1 == now[1].index, "minloc %g at %d",
                now[1].value, now[1].index);
    }
}

/* Every third element of the origin onto every second one of the target. */
static void strided(bool device)
{
    t_memory_t mine = t_memory(COUNT, device);
    MPI_Datatype third, second;

    MPI_Type_vector(COUNT / 3, 1, 3, MPI_INT, &third);
    MPI_Type_vector(COUNT / 3, 1, 2, MPI_INT, &second);
    MPI_Type_commit(&third);
    MPI_Type_commit(&second);
    t_memory_fill(&mine, 1, 1);
    t_memory_fill(&window, 0, 0);
    MPI_Win_fence(0, win);
    T_WIN_WORKS(MPI_Accumulate(mine.at, 1, third, (rank + 1) % size, 0, 1, second, MPI_SUM, win));
    MPI_Win_fence(0, win);
    for (int i = 0; i < COUNT / 3; i++) {
        int now[2];

        t_to_host(now, window.at + (ptrdiff_t)2 * i, sizeof(now));
        t_check(1 + 3 * i == now[0] && 0 == now[1], "strided: element %d is %d, then %d", i, now[0],
                now[1]);
    }
    MPI_Type_free(&third);
    MPI_Type_free(&second);
    t_memory_free(&mine);
}

int main(int argc, char **argv)
{
    t_mpi_start(argc, argv, MPI_THREAD_SINGLE);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    window = t_memory(COUNT, true);
    T_WIN_WORKS(MPI_Win_create(window.at, COUNT * sizeof(int), sizeof(int), MPI_INFO_NULL,
                               MPI_COMM_WORLD, &win));
    for (int device = 0; device < 2; device++) {
        sum_all(0 != device);
        fetches(0 != device);
        strided(0 != device);
    }
    all_ops();
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    tickets();
    swaps();
    pairs();
    MPI_Win_free(&win);
    t_memory_free(&window);
    MPI_Finalize();
    return 0;
}
