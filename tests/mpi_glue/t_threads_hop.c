/* SPDX-License-Identifier: BSD-3-Clause */
/* P32, P35: with MPI_THREAD_MULTIPLE four threads that have never set a device
 * send and receive device buffers on one communicator. Requests are posted by one
 * thread and waited for by another, and each round has new threads. run.tab lets
 * the runtime's questions about an address fail now and then: a failed answer is
 * not kept, and costs neither the message nor the program. */
#include "coll_harness.h"

#include "tests/helpers/t_helpers.h"

#include <pthread.h>

enum {
    THREADS = 4,
    ROUNDS = 12,
    SIZES = 3
};

static const int sizes[SIZES] = {100, 20000, 700001};

static struct {
    pthread_barrier_t posted;
    char *out[THREADS][SIZES], *in[THREADS][SIZES];
    MPI_Request requests[THREADS][2 * SIZES];
    int other;
} job;

static void *work(void *arg)
{
    const int me = (int)(intptr_t)arg, next = (me + 1) % THREADS;

    for (int i = 0; i < SIZES; i++) {
        MPI_Irecv(job.in[me][i], sizes[i], MPI_CHAR, job.other, me * SIZES + i, MPI_COMM_WORLD,
                  &job.requests[me][2 * i]);
        MPI_Isend(job.out[me][i], sizes[i], MPI_CHAR, job.other, me * SIZES + i, MPI_COMM_WORLD,
                  &job.requests[me][2 * i + 1]);
    }
    pthread_barrier_wait(&job.posted);
    MPI_Waitall(2 * SIZES, job.requests[next], MPI_STATUSES_IGNORE);
    return NULL;
}

static uint64_t seed(int rank, int round, int thread, int i)
{
    return (uint64_t)(((rank * ROUNDS + round) * THREADS + thread) * SIZES + i);
}

static void run_round(int rank, int round)
{
    pthread_t threads[THREADS];

    for (int t = 0; t < THREADS; t++) {
        for (int i = 0; i < SIZES; i++) {
            /* a buffer's end is asked about as well as its begin */
            job.out[t][i] = t_dev_alloc((size_t)sizes[i]);
            job.in[t][i] = t_dev_alloc((size_t)sizes[i]);
            t_dev_fill(job.out[t][i], (size_t)sizes[i], seed(rank, round, t, i));
        }
    }
    for (int t = 0; t < THREADS; t++) {
        pthread_create(&threads[t], NULL, work, (void *)(intptr_t)t);
    }
    for (int t = 0; t < THREADS; t++) {
        pthread_join(threads[t], NULL);
    }
    for (int t = 0; t < THREADS; t++) {
        for (int i = 0; i < SIZES; i++) {
            t_dev_verify(job.in[t][i], (size_t)sizes[i], seed(job.other, round, t, i), 0);
            t_dev_free(job.in[t][i]);
            t_dev_free(job.out[t][i]);
        }
    }
}

int main(int argc, char **argv)
{
    int rank;

    t_mpi_start(argc, argv, MPI_THREAD_MULTIPLE);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    job.other = 1 - rank;
    pthread_barrier_init(&job.posted, NULL, THREADS);
    for (int round = 0; round < ROUNDS; round++) {
        run_round(rank, round);
    }
    t_check(t_counter("fault.injected") > 0, "no question to the runtime failed");
    MPI_Finalize();
    return 0;
}
