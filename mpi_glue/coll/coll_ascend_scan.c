/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_ascend_call.h"

static int invoke_scan(const mca_coll_ascend_call_t *call)
{
    const mca_coll_base_comm_coll_t *lower = mca_coll_ascend_lower(call);

    switch (call->form) {
    case MCA_COLL_ASCEND_BLOCKING:
        return lower->coll_scan(call->sbuf, call->rbuf, call->rcount, call->rdtype, call->op,
                                call->comm, lower->coll_scan_module);
    case MCA_COLL_ASCEND_NONBLOCKING:
        return lower->coll_iscan(call->sbuf, call->rbuf, call->rcount, call->rdtype, call->op,
                                 call->comm, call->request, lower->coll_iscan_module);
    default:
        return lower->coll_scan_init(call->sbuf, call->rbuf, call->rcount, call->rdtype, call->op,
                                     call->comm, call->info, call->request,
                                     lower->coll_scan_init_module);
    }
}

static const mca_coll_ascend_family_t family_scan = {.kind = MCA_COLL_ASCEND_SCAN,
                                                     .describe = mca_coll_ascend_describe_reduction,
                                                     .invoke = invoke_scan};

static int scan(const void *sbuf, void *rbuf, int count, struct ompi_datatype_t *dtype,
                struct ompi_op_t *op, struct ompi_communicator_t *comm,
                mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call =
        mca_coll_ascend_call_reduction(&family_scan, module, comm, sbuf, rbuf, count, dtype, op);

    return mca_coll_ascend_run(&call);
}

static int iscan(const void *sbuf, void *rbuf, int count, struct ompi_datatype_t *dtype,
                 struct ompi_op_t *op, struct ompi_communicator_t *comm, ompi_request_t **request,
                 mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call =
        mca_coll_ascend_call_reduction(&family_scan, module, comm, sbuf, rbuf, count, dtype, op);

    return mca_coll_ascend_start(&call, request);
}

static int scan_init(const void *sbuf, void *rbuf, int count, struct ompi_datatype_t *dtype,
                     struct ompi_op_t *op, struct ompi_communicator_t *comm,
                     struct ompi_info_t *info, ompi_request_t **request,
                     mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call =
        mca_coll_ascend_call_reduction(&family_scan, module, comm, sbuf, rbuf, count, dtype, op);

    return mca_coll_ascend_init(&call, info, request);
}

static void describe_exscan(const mca_coll_ascend_call_t *call, mca_common_ascend_use_t *send,
                            mca_common_ascend_use_t *recv)
{
    mca_coll_ascend_describe_reduction(call, send, recv);
    if (0 == ompi_comm_rank(call->comm)) {
        /* Nothing is received here: what is copied back must be the old data. */
        recv->in = recv->out;
    }
}

static int invoke_exscan(const mca_coll_ascend_call_t *call)
{
    const mca_coll_base_comm_coll_t *lower = mca_coll_ascend_lower(call);

    switch (call->form) {
    case MCA_COLL_ASCEND_BLOCKING:
        return lower->coll_exscan(call->sbuf, call->rbuf, call->rcount, call->rdtype, call->op,
                                  call->comm, lower->coll_exscan_module);
    case MCA_COLL_ASCEND_NONBLOCKING:
        return lower->coll_iexscan(call->sbuf, call->rbuf, call->rcount, call->rdtype, call->op,
                                   call->comm, call->request, lower->coll_iexscan_module);
    default:
        return lower->coll_exscan_init(call->sbuf, call->rbuf, call->rcount, call->rdtype, call->op,
                                       call->comm, call->info, call->request,
                                       lower->coll_exscan_init_module);
    }
}

static const mca_coll_ascend_family_t family_exscan = {
    .kind = MCA_COLL_ASCEND_EXSCAN, .describe = describe_exscan, .invoke = invoke_exscan};

static int exscan(const void *sbuf, void *rbuf, int count, struct ompi_datatype_t *dtype,
                  struct ompi_op_t *op, struct ompi_communicator_t *comm,
                  mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call =
        mca_coll_ascend_call_reduction(&family_exscan, module, comm, sbuf, rbuf, count, dtype, op);

    return mca_coll_ascend_run(&call);
}

static int iexscan(const void *sbuf, void *rbuf, int count, struct ompi_datatype_t *dtype,
                   struct ompi_op_t *op, struct ompi_communicator_t *comm, ompi_request_t **request,
                   mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call =
        mca_coll_ascend_call_reduction(&family_exscan, module, comm, sbuf, rbuf, count, dtype, op);

    return mca_coll_ascend_start(&call, request);
}

static int exscan_init(const void *sbuf, void *rbuf, int count, struct ompi_datatype_t *dtype,
                       struct ompi_op_t *op, struct ompi_communicator_t *comm,
                       struct ompi_info_t *info, ompi_request_t **request,
                       mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call =
        mca_coll_ascend_call_reduction(&family_exscan, module, comm, sbuf, rbuf, count, dtype, op);

    return mca_coll_ascend_init(&call, info, request);
}

void mca_coll_ascend_install_scan(mca_coll_base_module_t *module)
{
    module->coll_scan = scan;
    module->coll_iscan = iscan;
    module->coll_scan_init = scan_init;
    module->coll_exscan = exscan;
    module->coll_iexscan = iexscan;
    module->coll_exscan_init = exscan_init;
}
