/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_ascend_call.h"

static void describe_reduce(const mca_coll_ascend_call_t *call, mca_common_ascend_use_t *send,
                            mca_common_ascend_use_t *recv)
{
    if (mca_coll_ascend_is_root(call)) {
        mca_common_ascend_layout_simple(&recv->out, call->rbuf, (size_t)call->rcount, call->rdtype);
        if (MPI_IN_PLACE == call->sbuf) {
            recv->in = recv->out;
        }
    }
    if (mca_coll_ascend_is_leaf(call) && MPI_IN_PLACE != call->sbuf) {
        mca_common_ascend_layout_simple(&send->in, call->sbuf, (size_t)call->rcount, call->rdtype);
    }
}

static int invoke_reduce(const mca_coll_ascend_call_t *call)
{
    const mca_coll_base_comm_coll_t *lower = mca_coll_ascend_lower(call);

    switch (call->form) {
    case MCA_COLL_ASCEND_BLOCKING:
        return lower->coll_reduce(call->sbuf, call->rbuf, call->rcount, call->rdtype, call->op,
                                  call->root, call->comm, lower->coll_reduce_module);
    case MCA_COLL_ASCEND_NONBLOCKING:
        return lower->coll_ireduce(call->sbuf, call->rbuf, call->rcount, call->rdtype, call->op,
                                   call->root, call->comm, call->request,
                                   lower->coll_ireduce_module);
    default:
        return lower->coll_reduce_init(call->sbuf, call->rbuf, call->rcount, call->rdtype, call->op,
                                       call->root, call->comm, call->info, call->request,
                                       lower->coll_reduce_init_module);
    }
}

static const mca_coll_ascend_family_t family_reduce = {
    .kind = MCA_COLL_ASCEND_REDUCE, .describe = describe_reduce, .invoke = invoke_reduce};

static int reduce(const void *sbuf, void *rbuf, int count, struct ompi_datatype_t *dtype,
                  struct ompi_op_t *op, int root, struct ompi_communicator_t *comm,
                  mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call =
        mca_coll_ascend_call_reduction(&family_reduce, module, comm, sbuf, rbuf, count, dtype, op);

    call.root = root;
    return mca_coll_ascend_run(&call);
}

static int ireduce(const void *sbuf, void *rbuf, int count, struct ompi_datatype_t *dtype,
                   struct ompi_op_t *op, int root, struct ompi_communicator_t *comm,
                   ompi_request_t **request, mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call =
        mca_coll_ascend_call_reduction(&family_reduce, module, comm, sbuf, rbuf, count, dtype, op);

    call.root = root;
    return mca_coll_ascend_start(&call, request);
}

static int reduce_init(const void *sbuf, void *rbuf, int count, struct ompi_datatype_t *dtype,
                       struct ompi_op_t *op, int root, struct ompi_communicator_t *comm,
                       struct ompi_info_t *info, ompi_request_t **request,
                       mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call =
        mca_coll_ascend_call_reduction(&family_reduce, module, comm, sbuf, rbuf, count, dtype, op);

    call.root = root;
    return mca_coll_ascend_init(&call, info, request);
}

static int invoke_allreduce(const mca_coll_ascend_call_t *call)
{
    const mca_coll_base_comm_coll_t *lower = mca_coll_ascend_lower(call);

    switch (call->form) {
    case MCA_COLL_ASCEND_BLOCKING:
        return lower->coll_allreduce(call->sbuf, call->rbuf, call->rcount, call->rdtype, call->op,
                                     call->comm, lower->coll_allreduce_module);
    case MCA_COLL_ASCEND_NONBLOCKING:
        return lower->coll_iallreduce(call->sbuf, call->rbuf, call->rcount, call->rdtype, call->op,
                                      call->comm, call->request, lower->coll_iallreduce_module);
    default:
        return lower->coll_allreduce_init(call->sbuf, call->rbuf, call->rcount, call->rdtype,
                                          call->op, call->comm, call->info, call->request,
                                          lower->coll_allreduce_init_module);
    }
}

static const mca_coll_ascend_family_t family_allreduce = {.kind = MCA_COLL_ASCEND_ALLREDUCE,
                                                          .describe =
                                                              mca_coll_ascend_describe_reduction,
                                                          .invoke = invoke_allreduce};

static int allreduce(const void *sbuf, void *rbuf, int count, struct ompi_datatype_t *dtype,
                     struct ompi_op_t *op, struct ompi_communicator_t *comm,
                     mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call = mca_coll_ascend_call_reduction(&family_allreduce, module, comm,
                                                                 sbuf, rbuf, count, dtype, op);

    return mca_coll_ascend_run(&call);
}

static int iallreduce(const void *sbuf, void *rbuf, int count, struct ompi_datatype_t *dtype,
                      struct ompi_op_t *op, struct ompi_communicator_t *comm,
                      ompi_request_t **request, mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call = mca_coll_ascend_call_reduction(&family_allreduce, module, comm,
                                                                 sbuf, rbuf, count, dtype, op);

    return mca_coll_ascend_start(&call, request);
}

static int allreduce_init(const void *sbuf, void *rbuf, int count, struct ompi_datatype_t *dtype,
                          struct ompi_op_t *op, struct ompi_communicator_t *comm,
                          struct ompi_info_t *info, ompi_request_t **request,
                          mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call = mca_coll_ascend_call_reduction(&family_allreduce, module, comm,
                                                                 sbuf, rbuf, count, dtype, op);

    return mca_coll_ascend_init(&call, info, request);
}

/* MPI_Reduce_local has one form, no communicator and no request. */
static int invoke_reduce_local(const mca_coll_ascend_call_t *call)
{
    const mca_coll_base_comm_coll_t *lower = mca_coll_ascend_lower(call);

    return lower->coll_reduce_local(call->sbuf, call->rbuf, call->rcount, call->rdtype, call->op,
                                    lower->coll_reduce_local_module);
}

static void describe_reduce_local(const mca_coll_ascend_call_t *call, mca_common_ascend_use_t *send,
                                  mca_common_ascend_use_t *recv)
{
    mca_common_ascend_layout_simple(&send->in, call->sbuf, (size_t)call->rcount, call->rdtype);
    mca_common_ascend_layout_simple(&recv->out, call->rbuf, (size_t)call->rcount, call->rdtype);
    recv->in = recv->out;
}

static const mca_coll_ascend_family_t family_reduce_local = {.kind = MCA_COLL_ASCEND_REDUCE_LOCAL,
                                                             .describe = describe_reduce_local,
                                                             .invoke = invoke_reduce_local};

static int reduce_local(const void *inbuf, void *inoutbuf, int count, struct ompi_datatype_t *dtype,
                        struct ompi_op_t *op, mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call = {.family = &family_reduce_local,
                                   .form = MCA_COLL_ASCEND_BLOCKING,
                                   .sbuf = inbuf,
                                   .rbuf = inoutbuf,
                                   .rcount = count,
                                   .rdtype = dtype,
                                   .op = op,
                                   .module = module};

    return mca_coll_ascend_run(&call);
}

void mca_coll_ascend_install_reduce(mca_coll_base_module_t *module)
{
    module->coll_reduce = reduce;
    module->coll_ireduce = ireduce;
    module->coll_reduce_init = reduce_init;
    module->coll_allreduce = allreduce;
    module->coll_iallreduce = iallreduce;
    module->coll_allreduce_init = allreduce_init;
    module->coll_reduce_local = reduce_local;
}
