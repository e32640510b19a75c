/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks may have their buffers in different memories in one call, and a rank
 * may have its two buffers in different memories. */
#include "coll_harness.h"

int main(int argc, char **argv)
{
    t_case_t c = {.comm = MPI_COMM_WORLD};
    int rank;

    t_mpi_start(argc, argv, MPI_THREAD_SINGLE);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int form = 0; form < T_FORMS; form++) {
        for (int mix = 0; mix < 3; mix++) {
            c.form = (t_form_t)form;
            c.device_send = 0 != (rank + mix) % 3;
            c.device_recv = 0 != (rank + mix + (mix == 2)) % 2;
            c.type = &t_types()[1];
            for (c.coll = T_ALLGATHER; c.coll < T_COLLS; c.coll = (t_coll_t)(c.coll + 1)) {
                for (c.count = 1; c.count < 10000; c.count *= 3001) {
                    t_case_check(&c);
                }
            }
        }
    }
    MPI_Finalize();
    return 0;
}
