/* SPDX-License-Identifier: BSD-3-Clause */
/* Many device collectives under way at once, completed in another order;
 * communicators and types freed before the wait; persistent requests started
 * again with new data, and more of them freed than are kept. */
#include "coll_harness.h"

#include "tests/helpers/t_helpers.h"

enum {
    CALLS = 24,
    N = 777
};

static int rank, size;

static void check(const int *device, int call, int n)
{
    int got[N];

    t_to_host(got, device, (size_t)n * sizeof(int));
    for (int i = 0; i < n; i++) {
        const int want = size * (size - 1) / 2 + size * (call * 1000 + i);

        t_check(got[i] == want, "call %d element %d is %d, not %d", call, i, got[i], want);
    }
}

static void fill_call(int *device, int call)
{
    int host[N];

    for (int i = 0; i < N; i++) {
        host[i] = rank + call * 1000 + i;
    }
    t_to_device(device, host, sizeof(host));
}

static void many_at_once(void)
{
    MPI_Request requests[CALLS];
    int *send[CALLS], *recv[CALLS];

    for (int i = 0; i < CALLS; i++) {
        MPI_Comm comm;

        send[i] = t_dev_alloc(N * sizeof(int));
        recv[i] = t_dev_alloc(N * sizeof(int));
        fill_call(send[i], i);
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Iallreduce(send[i], recv[i], N, MPI_INT, MPI_SUM, comm, &requests[i]);
        MPI_Comm_free(&comm);
    }
    for (int i = CALLS - 1; i >= 0; i -= 2) {
        int done = 0;

        while (!done) {
            MPI_Test(&requests[i], &done, MPI_STATUS_IGNORE);
        }
    }
    MPI_Waitall(CALLS, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < CALLS; i++) {
        check(recv[i], i, N);
        t_dev_free(send[i]);
        t_dev_free(recv[i]);
    }
}

static void type_freed_early(void)
{
    int *buf = t_dev_alloc(4 * N * sizeof(int)), host[2 * N], got[2 * N];
    MPI_Datatype vector;
    MPI_Request request;

    for (int i = 0; i < 2 * N; i++) {
        host[i] = (0 == rank) ? i : -1;
    }
    t_to_device(buf, host, sizeof(host));
    MPI_Type_vector(N, 1, 2, MPI_INT, &vector);
    MPI_Type_commit(&vector);
    MPI_Ibcast(buf, 1, vector, 0, MPI_COMM_WORLD, &request);
    MPI_Type_free(&vector);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    t_to_host(got, buf, sizeof(got));
    for (int i = 0; i < 2 * N - 1; i++) {
        const int want = (0 == i % 2 || 0 == rank) ? i : -1;

        t_check(got[i] == want, "element %d is %d, not %d", i, got[i], want);
    }
    t_dev_free(buf);
}

static void started_again(void)
{
    int *send = t_dev_alloc(N * sizeof(int)), *recv = t_dev_alloc(N * sizeof(int));
    t_case_t c = {.coll = T_ALLREDUCE,
                  .form = T_PERSISTENT,
                  .comm = MPI_COMM_WORLD,
                  .count = N,
                  .type = &t_types()[1]};
    MPI_Request request;

    t_issue(&c, NULL, send, recv, &request);
    for (int i = 0; i < 10; i++) {
        fill_call(send, i);
        MPI_Startall(1, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        check(recv, i, N);
    }
    MPI_Request_free(&request);
    t_dev_free(send);
    t_dev_free(recv);
}

int main(int argc, char **argv)
{
    t_mpi_start(argc, argv, MPI_THREAD_SINGLE);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    many_at_once();
    type_freed_early();
    for (int i = 0; i < 100; i++) {
        started_again();
    }
    MPI_Finalize();
    return 0;
}
