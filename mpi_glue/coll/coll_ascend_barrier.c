/* SPDX-License-Identifier: BSD-3-Clause */
/* A barrier has no buffer: it goes through, but leaves a record, so that peers
 * which call something else at the same point do not wait for ever. */
#include "coll_ascend.h"

static void describe_barrier(const mca_coll_ascend_call_t *call, mca_common_ascend_use_t *send,
                             mca_common_ascend_use_t *recv)
{
    (void)call;
    (void)send;
    (void)recv;
}

static int invoke_barrier(const mca_coll_ascend_call_t *call)
{
    const mca_coll_base_comm_coll_t *lower = mca_coll_ascend_lower(call);

    return lower->coll_barrier(call->comm, lower->coll_barrier_module);
}

static const mca_coll_ascend_family_t family_barrier = {
    .kind = MCA_COLL_ASCEND_BARRIER, .describe = describe_barrier, .invoke = invoke_barrier};

static int barrier(struct ompi_communicator_t *comm, mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call = {.family = &family_barrier,
                                   .form = MCA_COLL_ASCEND_BLOCKING,
                                   .comm = comm,
                                   .module = module};

    return mca_coll_ascend_run(&call);
}

void mca_coll_ascend_install_barrier(mca_coll_base_module_t *module)
{
    module->coll_barrier = barrier;
}
