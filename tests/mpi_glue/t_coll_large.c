/* SPDX-License-Identifier: BSD-3-Clause */
/* Device buffers of several MiB, which are copied in pieces, give what host
 * buffers give, in every form. */
#include "coll_harness.h"

#include <stddef.h>

int main(int argc, char **argv)
{
    static const t_coll_t some[] = {T_ALLREDUCE,      T_BCAST,  T_ALLGATHERV, T_ALLTOALL,
                                    T_REDUCE_SCATTER, T_GATHER, T_SCATTERV,   T_SCAN};
    t_case_t c = {.comm = MPI_COMM_WORLD, .device_send = true, .device_recv = true};

    t_mpi_start(argc, argv, MPI_THREAD_SINGLE);
    c.type = &t_types()[2];
    /* More than one piece of 4 MiB where it is one block, less where each rank
     * has one. */
    for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++) {
        c.coll = some[i];
        c.count = (i < 2) ? 3 * 1024 * 1024 + 13 : 300 * 1024 + 13;
        c.form = (t_form_t)(i % T_FORMS);
        c.root = (int)(i % 2);
        t_case_check(&c);
    }
    c.coll = T_ALLREDUCE;
    c.count = 1024 * 1024 + 13;
    c.in_place = true;
    for (int form = 0; form < T_FORMS; form++) {
        c.form = (t_form_t)form;
        t_case_check(&c);
    }
    MPI_Finalize();
    return 0;
}
