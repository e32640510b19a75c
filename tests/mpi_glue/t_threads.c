/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_THREAD_MULTIPLE: threads with communicators of their own do collectives
 * in all forms and messages of device buffers at the same time. */
#include "coll_harness.h"

#include "tests/helpers/t_helpers.h"

#include <pthread.h>

enum {
    THREADS = 4,
    ROUNDS = 40,
    N = 3000
};

static void *work(void *arg)
{
    const MPI_Comm comm = *(MPI_Comm *)arg;
    int rank, size, host[N], *a, *b;
    MPI_Request requests[2];
    MPI_Datatype vector;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    t_device(0);
    a = t_dev_alloc(sizeof(host));
    b = t_dev_alloc(sizeof(host));
    MPI_Type_vector(N / 2, 1, 2, MPI_INT, &vector);
    MPI_Type_commit(&vector);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < N; i++) {
            host[i] = rank + round + i;
        }
        t_to_device(a, host, sizeof(host));
        MPI_Iallreduce(a, b, N, MPI_INT, MPI_SUM, comm, &requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        t_to_host(host, b, sizeof(host));
        for (int i = 0; i < N; i++) {
            const int want = size * (size - 1) / 2 + size * (round + i);

            t_check(host[i] == want, "round %d element %d is %d, not %d", round, i, host[i], want);
        }
        MPI_Isend(a, 1, vector, (rank + 1) % size, 0, comm, &requests[0]);
        MPI_Irecv(b, 1, vector, (rank + size - 1) % size, 0, comm, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        t_to_host(host, b, sizeof(host));
        for (int i = 0; i < N; i += 2) {
            const int want = (rank + size - 1) % size + round + i;

            t_check(host[i] == want, "round %d halo %d is %d, not %d", round, i, host[i], want);
        }
        MPI_Bcast(b, N, MPI_INT, round % size, comm);
    }
    MPI_Type_free(&vector);
    t_dev_free(a);
    t_dev_free(b);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    MPI_Comm comms[THREADS];

    t_mpi_start(argc, argv, MPI_THREAD_MULTIPLE);
    for (int i = 0; i < THREADS; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, work, &comms[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        MPI_Comm_free(&comms[i]);
    }
    MPI_Finalize();
    return 0;
}
