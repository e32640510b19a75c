/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows on device memory on all ranks, or on some of them: every rank puts to
 * the one at its right and gets from the one at its left, from and to host and
 * device memory, under every way of synchronisation and with requests. */
#include "coll_harness.h"
#include "win_memory.h"

#include <stdio.h>

enum {
    COUNT = 3000
};

typedef struct job {
    MPI_Win win;
    int rank, size, left, right;
    int *put, *got;
    int count;
} job_t;

static void move(const job_t *job)
{
    T_WIN_WORKS(
        MPI_Put(job->put, job->count, MPI_INT, job->right, 0, job->count, MPI_INT, job->win));
    T_WIN_WORKS(
        MPI_Get(job->got, job->count, MPI_INT, job->left, COUNT, job->count, MPI_INT, job->win));
}

static void by_fence(const job_t *job)
{
    MPI_Win_fence(MPI_MODE_NOPRECEDE, job->win);
    move(job);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, job->win);
}

static void by_groups(const job_t *job, bool tests)
{
    const int both[2] = {job->left, job->right};
    MPI_Group world, group;
    int flag = 0;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, (job->left == job->right) ? 1 : 2, both, &group);
    MPI_Win_post(group, 0, job->win);
    MPI_Win_start(group, 0, job->win);
    move(job);
    MPI_Win_complete(job->win);
    while (tests && 0 == flag) {
        MPI_Win_test(job->win, &flag);
    }
    if (!tests) {
        MPI_Win_wait(job->win);
    }
    MPI_Group_free(&group);
    MPI_Group_free(&world);
}

static void by_wait(const job_t *job)
{
    by_groups(job, false);
}

static void by_test(const job_t *job)
{
    by_groups(job, true);
}

static void by_lock(const job_t *job, int type)
{
    MPI_Win_lock(type, job->right, 0, job->win);
    T_WIN_WORKS(
        MPI_Put(job->put, job->count, MPI_INT, job->right, 0, job->count, MPI_INT, job->win));
    MPI_Win_unlock(job->right, job->win);
    MPI_Win_lock(type, job->left, 0, job->win);
    T_WIN_WORKS(
        MPI_Get(job->got, job->count, MPI_INT, job->left, COUNT, job->count, MPI_INT, job->win));
    MPI_Win_unlock(job->left, job->win);
}

static void by_exclusive(const job_t *job)
{
    by_lock(job, MPI_LOCK_EXCLUSIVE);
}

static void by_shared(const job_t *job)
{
    by_lock(job, MPI_LOCK_SHARED);
}

static void by_lock_all(const job_t *job)
{
    MPI_Win_lock_all(0, job->win);
    move(job);
    MPI_Win_unlock_all(job->win);
}

static void by_flush(const job_t *job)
{
    MPI_Win_lock_all(MPI_MODE_NOCHECK, job->win);
    move(job);
    MPI_Win_flush_local(job->left, job->win);
    MPI_Win_flush(job->right, job->win);
    MPI_Win_flush_local_all(job->win);
    MPI_Win_flush_all(job->win);
    MPI_Win_sync(job->win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_unlock_all(job->win);
}

static void by_request(const job_t *job)
{
    MPI_Request requests[2];

    MPI_Win_lock_all(0, job->win);
    T_WIN_WORKS(MPI_Rput(job->put, job->count, MPI_INT, job->right, 0, job->count, MPI_INT,
                         job->win, &requests[0]));
    T_WIN_WORKS(MPI_Rget(job->got, job->count, MPI_INT, job->left, COUNT, job->count, MPI_INT,
                         job->win, &requests[1]));
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Win_unlock_all(job->win);
}

static const struct {
    const char *name;
    void (*run)(const job_t *job);
} ways[] = {
    {"fence", by_fence},         {"wait", by_wait},       {"test", by_test},
    {"exclusive", by_exclusive}, {"shared", by_shared},   {"lock_all", by_lock_all},
    {"flush", by_flush},         {"request", by_request},
};

static void check_way(job_t *job, const t_memory_t *window, size_t way, bool device)
{
    const int seed = (int)way * 100 + job->count;
    t_memory_t put = t_memory((size_t)job->count, device);
    t_memory_t got = t_memory((size_t)job->count, device);
    char what[96];

    snprintf(what, sizeof(what), "%s, %s window, %s origin, %d", ways[way].name,
             window->device ? "device" : "host", device ? "device" : "host", job->count);
    t_memory_fill(window, job->rank, 3);
    t_memory_fill(&put, seed + job->rank, 5);
    t_memory_fill(&got, -1, 0);
    job->put = put.at;
    job->got = got.at;
    MPI_Barrier(MPI_COMM_WORLD);
    ways[way].run(job);
    MPI_Barrier(MPI_COMM_WORLD);
    t_memory_verify(window, 0, (size_t)job->count, seed + job->left, 5, what);
    t_memory_verify(window, (size_t)job->count, COUNT - (size_t)job->count,
                    job->rank + 3 * job->count, 3, what);
    t_memory_verify(&got, 0, (size_t)job->count, job->left + 3 * COUNT, 3, what);
    t_memory_free(&put);
    t_memory_free(&got);
}

static void check_window(job_t *job, bool device)
{
    t_memory_t window = t_memory(2 * COUNT, device);

    T_WIN_WORKS(MPI_Win_create(window.at, 2 * COUNT * sizeof(int), sizeof(int), MPI_INFO_NULL,
                               MPI_COMM_WORLD, &job->win));
    for (size_t way = 0; way < sizeof(ways) / sizeof(ways[0]); way++) {
        for (int origin = 0; origin < 2; origin++) {
            job->count = 1;
            check_way(job, &window, way, 0 != origin);
            job->count = COUNT;
            check_way(job, &window, way, 0 != origin);
        }
    }
    MPI_Win_free(&job->win);
    t_memory_free(&window);
}

int main(int argc, char **argv)
{
    job_t job;

    t_mpi_start(argc, argv, MPI_THREAD_SINGLE);
    MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &job.size);
    job.left = (job.rank + job.size - 1) % job.size;
    job.right = (job.rank + 1) % job.size;
    check_window(&job, true);
    check_window(&job, 0 == job.rank % 2);
    check_window(&job, false);
    MPI_Finalize();
    return 0;
}
