/* SPDX-License-Identifier: BSD-3-Clause */
/* Every persistent collective on device buffers gives what it gives on host
 * buffers: all types, operations, roots, in-place forms (P53), counts. */
#include "coll_harness.h"

int main(int argc, char **argv)
{
    const t_case_t c = {
        .form = T_PERSISTENT, .comm = MPI_COMM_WORLD, .device_send = true, .device_recv = true};

    t_mpi_start(argc, argv, MPI_THREAD_SINGLE);
    t_cases_check(c, T_ALLGATHER, T_COLLS);
    MPI_Finalize();
    return 0;
}
