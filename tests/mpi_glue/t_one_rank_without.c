/* SPDX-License-Identifier: BSD-3-Clause */
/* P56: the runtime cannot be used on one rank. That rank takes part with host
 * buffers, the others with device buffers; creating communicators and calling
 * collectives in every form goes on, nobody waits for ever. */
#include "coll_harness.h"

#include "tests/helpers/t_helpers.h"

#include <stdlib.h>

int main(int argc, char **argv)
{
    const char *id = getenv("OMPI_COMM_WORLD_RANK");
    const bool without = NULL != id && 1 == atoi(id);
    t_case_t c = {.device_send = !without, .device_recv = !without};

    t_deadline(50);
    if (without) {
        setenv("ASCEND_ACL_LIBRARY", "/nonexistent/libascendcl.so", 1);
    }
    MPI_Init(&argc, &argv);
    if (!without) {
        t_device(0);
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &c.comm);
    c.type = &t_types()[1];
    c.count = 1000;
    for (int form = 0; form < T_FORMS; form++) {
        c.form = (t_form_t)form;
        for (c.coll = T_ALLGATHER; c.coll < T_COLLS; c.coll = (t_coll_t)(c.coll + 1)) {
            t_case_check(&c);
        }
    }
    MPI_Comm_free(&c.comm);
    MPI_Finalize();
    return 0;
}
