/* SPDX-License-Identifier: BSD-3-Clause */
/* Two halo columns of one device array are received at once while a third is
 * sent, all with overlapping spans: no receive may write between its elements,
 * where the other's data lands. Freed requests and types finish by themselves. */
#include "coll_harness.h"

#include "tests/helpers/t_helpers.h"

enum {
    ROWS = 501,
    COLUMNS = 7
};

static int value(int rank, int row)
{
    return rank * 100000 + row;
}

int main(int argc, char **argv)
{
    static int host[ROWS * COLUMNS];
    MPI_Request requests[4];
    MPI_Datatype column;
    int rank, size, left, right, *a;

    t_mpi_start(argc, argv, MPI_THREAD_SINGLE);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    a = t_dev_alloc(sizeof(host));
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < ROWS * COLUMNS; i++) {
            host[i] = value(rank, i / COLUMNS) + round;
        }
        t_to_device(a, host, sizeof(host));
        MPI_Type_vector(ROWS, 1, COLUMNS, MPI_INT, &column);
        MPI_Type_commit(&column);
        MPI_Irecv(a, 1, column, left, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(a + COLUMNS - 1, 1, column, right, 2, MPI_COMM_WORLD, &requests[1]);
        MPI_Isend(a + 1, 1, column, left, 2, MPI_COMM_WORLD, &requests[2]);
        MPI_Isend(a + COLUMNS - 2, 1, column, right, 1, MPI_COMM_WORLD, &requests[3]);
        MPI_Type_free(&column);
        MPI_Request_free(&requests[3]);
        MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
        t_to_host(host, a, sizeof(host));
        for (int i = 0; i < ROWS * COLUMNS; i++) {
            const int c = i % COLUMNS;
            const int from = (0 == c) ? left : (COLUMNS - 1 == c) ? right : rank;
            const int want = value(from, i / COLUMNS) + round;

            t_check(host[i] == want, "round %d row %d column %d is %d, not %d", round, i / COLUMNS,
                    c, host[i], want);
        }
    }
    t_dev_free(a);
    MPI_Finalize();
    return 0;
}
