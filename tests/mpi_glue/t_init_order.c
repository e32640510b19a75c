/* SPDX-License-Identifier: BSD-3-Clause */
/* P23: device memory made before MPI_Init is known to MPI. P37: the device is
 * chosen, and changed, after MPI_Init. P31: the thread that calls MPI has
 * never set a device. */
#include "coll_harness.h"

#include "tests/helpers/t_helpers.h"

#include <pthread.h>

enum {
    BYTES = 100000
};

static void reduce_and_pass(char *buf)
{
    int rank, size;
    char *other = NULL;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (0 == rank) {
        t_dev_fill(buf, BYTES, 7);
    }
    MPI_Bcast(buf, BYTES, MPI_CHAR, 0, MPI_COMM_WORLD);
    t_dev_verify(buf, BYTES, 7, 0);
    t_dev_fill(buf, BYTES, (uint64_t)rank);
    other = t_dev_alloc(BYTES);
    MPI_Sendrecv(buf, BYTES, MPI_CHAR, (rank + 1) % size, 3, other, BYTES, MPI_CHAR,
                 (rank + size - 1) % size, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    t_dev_verify(other, BYTES, (uint64_t)((rank + size - 1) % size), 0);
    t_dev_free(other);
}

/* Nothing here but MPI: no call of the runtime has set a device. */
static void *other_thread(void *buf)
{
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Bcast(buf, BYTES, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (0 == rank) {
        MPI_Send(buf, BYTES, MPI_CHAR, 1, 9, MPI_COMM_WORLD);
    } else if (1 == rank) {
        MPI_Recv(buf, BYTES, MPI_CHAR, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Allreduce(MPI_IN_PLACE, buf, BYTES, MPI_CHAR, MPI_BAND, MPI_COMM_WORLD);
    return NULL;
}

int main(int argc, char **argv)
{
    char *early, *late;
    pthread_t thread;
    int rank, provided;

    t_deadline(50);
    t_device(0);
    early = t_dev_alloc(BYTES);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    reduce_and_pass(early);

    t_device(rank % 2);
    late = t_dev_alloc(BYTES);
    reduce_and_pass(late);
    t_device((rank + 1) % 2);
    reduce_and_pass(late);

    t_dev_fill(late, BYTES, 31 + (uint64_t)(0 != rank));
    pthread_create(&thread, NULL, other_thread, late);
    pthread_join(thread, NULL);
    t_dev_verify(late, BYTES, 31, 0);
    MPI_Finalize();
    return 0;
}
