/* SPDX-License-Identifier: BSD-3-Clause */
/* Neighbourhood collectives on device buffers, on a line without wrap-around,
 * whose ends have MPI_PROC_NULL as neighbours (their blocks stay as they
 * were), and on a distributed graph. */
#include "coll_harness.h"

static void check_forms(t_case_t c)
{
    for (int form = 0; form < T_FORMS; form++) {
        c.form = (t_form_t)form;
        for (c.coll = T_COLLS; c.coll < T_COLLS_ALL; c.coll = (t_coll_t)(c.coll + 1)) {
            for (c.type = t_types(); c.type->name; c.type++) {
                for (c.count = t_many_ranks() ? 13 : 0; c.count < 40; c.count = 3 * c.count + 1) {
                    t_case_check(&c);
                }
            }
        }
    }
}

int main(int argc, char **argv)
{
    t_case_t c = {.device_send = true, .device_recv = true};
    int size, rank, dims[1];
    int periods[1] = {0}, sources[1], targets[1];
    const int weights[1] = {1};

    t_mpi_start(argc, argv, MPI_THREAD_SINGLE);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    dims[0] = size;
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &c.comm);
    check_forms(c);
    MPI_Comm_free(&c.comm);

    sources[0] = (rank + size - 1) % size;
    targets[0] = (rank + 1) % size;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, sources, weights, 1, targets, weights,
                                   MPI_INFO_NULL, 0, &c.comm);
    check_forms(c);
    MPI_Comm_free(&c.comm);
    MPI_Finalize();
    return 0;
}
