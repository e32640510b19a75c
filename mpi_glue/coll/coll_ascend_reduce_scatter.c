/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_ascend_call.h"

static void describe(const mca_coll_ascend_call_t *call, size_t total, int own,
                     mca_common_ascend_use_t *send, mca_common_ascend_use_t *recv)
{
    if (MPI_IN_PLACE == call->sbuf) {
        mca_common_ascend_layout_simple(&recv->in, call->rbuf, total, call->rdtype);
    } else {
        mca_common_ascend_layout_simple(&send->in, call->sbuf, total, call->rdtype);
    }
    mca_common_ascend_layout_simple(&recv->out, call->rbuf, (size_t)own, call->rdtype);
}

static void describe_reduce_scatter(const mca_coll_ascend_call_t *call,
                                    mca_common_ascend_use_t *send, mca_common_ascend_use_t *recv)
{
    const int size = ompi_comm_size(call->comm);
    size_t total = 0;

    for (int i = 0; i < size; i++) {
        total += (size_t)call->rcounts[i];
    }
    describe(call, total, call->rcounts[ompi_comm_rank(call->comm)], send, recv);
}

static int invoke_reduce_scatter(const mca_coll_ascend_call_t *call)
{
    const mca_coll_base_comm_coll_t *lower = mca_coll_ascend_lower(call);

    switch (call->form) {
    case MCA_COLL_ASCEND_BLOCKING:
        return lower->coll_reduce_scatter(call->sbuf, call->rbuf, call->rcounts, call->rdtype,
                                          call->op, call->comm, lower->coll_reduce_scatter_module);
    case MCA_COLL_ASCEND_NONBLOCKING:
        return lower->coll_ireduce_scatter(call->sbuf, call->rbuf, call->rcounts, call->rdtype,
                                           call->op, call->comm, call->request,
                                           lower->coll_ireduce_scatter_module);
    default:
        return lower->coll_reduce_scatter_init(call->sbuf, call->rbuf, call->rcounts, call->rdtype,
                                               call->op, call->comm, call->info, call->request,
                                               lower->coll_reduce_scatter_init_module);
    }
}

static const mca_coll_ascend_family_t family_reduce_scatter = {.kind =
                                                                   MCA_COLL_ASCEND_REDUCE_SCATTER,
                                                               .describe = describe_reduce_scatter,
                                                               .invoke = invoke_reduce_scatter};

static mca_coll_ascend_call_t call_reduce_scatter(mca_coll_base_module_t *module,
                                                  struct ompi_communicator_t *comm,
                                                  const void *sbuf, void *rbuf, const int *rcounts,
                                                  struct ompi_datatype_t *dtype,
                                                  struct ompi_op_t *op)
{
    return (mca_coll_ascend_call_t){.family = &family_reduce_scatter,
                                    .module = module,
                                    .comm = comm,
                                    .sbuf = sbuf,
                                    .rbuf = rbuf,
                                    .rcounts = rcounts,
                                    .rdtype = dtype,
                                    .op = op};
}

static int reduce_scatter(const void *sbuf, void *rbuf, const int *rcounts,
                          struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                          struct ompi_communicator_t *comm, mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call = call_reduce_scatter(module, comm, sbuf, rbuf, rcounts, dtype, op);

    return mca_coll_ascend_run(&call);
}

static int ireduce_scatter(const void *sbuf, void *rbuf, const int *rcounts,
                           struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                           struct ompi_communicator_t *comm, ompi_request_t **request,
                           mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call = call_reduce_scatter(module, comm, sbuf, rbuf, rcounts, dtype, op);

    return mca_coll_ascend_start(&call, request);
}

static int reduce_scatter_init(const void *sbuf, void *rbuf, const int *rcounts,
                               struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                               struct ompi_communicator_t *comm, struct ompi_info_t *info,
                               ompi_request_t **request, mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call = call_reduce_scatter(module, comm, sbuf, rbuf, rcounts, dtype, op);

    return mca_coll_ascend_init(&call, info, request);
}

static void describe_reduce_scatter_block(const mca_coll_ascend_call_t *call,
                                          mca_common_ascend_use_t *send,
                                          mca_common_ascend_use_t *recv)
{
    describe(call, (size_t)call->rcount * (size_t)ompi_comm_size(call->comm), call->rcount, send,
             recv);
}

static int invoke_reduce_scatter_block(const mca_coll_ascend_call_t *call)
{
    const mca_coll_base_comm_coll_t *lower = mca_coll_ascend_lower(call);

    switch (call->form) {
    case MCA_COLL_ASCEND_BLOCKING:
        return lower->coll_reduce_scatter_block(call->sbuf, call->rbuf, call->rcount, call->rdtype,
                                                call->op, call->comm,
                                                lower->coll_reduce_scatter_block_module);
    case MCA_COLL_ASCEND_NONBLOCKING:
        return lower->coll_ireduce_scatter_block(call->sbuf, call->rbuf, call->rcount, call->rdtype,
                                                 call->op, call->comm, call->request,
                                                 lower->coll_ireduce_scatter_block_module);
    default:
        return lower->coll_reduce_scatter_block_init(
            call->sbuf, call->rbuf, call->rcount, call->rdtype, call->op, call->comm, call->info,
            call->request, lower->coll_reduce_scatter_block_init_module);
    }
}

static const mca_coll_ascend_family_t family_reduce_scatter_block = {
    .kind = MCA_COLL_ASCEND_REDUCE_SCATTER_BLOCK,
    .describe = describe_reduce_scatter_block,
    .invoke = invoke_reduce_scatter_block};

static int reduce_scatter_block(const void *sbuf, void *rbuf, int count,
                                struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                                struct ompi_communicator_t *comm, mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call = mca_coll_ascend_call_reduction(
        &family_reduce_scatter_block, module, comm, sbuf, rbuf, count, dtype, op);

    return mca_coll_ascend_run(&call);
}

static int ireduce_scatter_block(const void *sbuf, void *rbuf, int count,
                                 struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                                 struct ompi_communicator_t *comm, ompi_request_t **request,
                                 mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call = mca_coll_ascend_call_reduction(
        &family_reduce_scatter_block, module, comm, sbuf, rbuf, count, dtype, op);

    return mca_coll_ascend_start(&call, request);
}

static int reduce_scatter_block_init(const void *sbuf, void *rbuf, int count,
                                     struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                                     struct ompi_communicator_t *comm, struct ompi_info_t *info,
                                     ompi_request_t **request, mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call = mca_coll_ascend_call_reduction(
        &family_reduce_scatter_block, module, comm, sbuf, rbuf, count, dtype, op);

    return mca_coll_ascend_init(&call, info, request);
}

void mca_coll_ascend_install_reduce_scatter(mca_coll_base_module_t *module)
{
    module->coll_reduce_scatter = reduce_scatter;
    module->coll_ireduce_scatter = ireduce_scatter;
    module->coll_reduce_scatter_init = reduce_scatter_init;
    module->coll_reduce_scatter_block = reduce_scatter_block;
    module->coll_ireduce_scatter_block = ireduce_scatter_block;
    module->coll_reduce_scatter_block_init = reduce_scatter_block_init;
}
