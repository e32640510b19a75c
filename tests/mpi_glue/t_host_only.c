/* SPDX-License-Identifier: BSD-3-Clause */
/* A job that knows nothing of devices; run by t_host_job.sh and by itself. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size, sum = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    if (sum != size * (size - 1) / 2) {
        fprintf(stderr, "FAIL: sum %d of %d ranks\n", sum, size);
        return 1;
    }
    return 0;
}
