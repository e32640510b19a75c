/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_ascend_call.h"

static void describe_bcast(const mca_coll_ascend_call_t *call, mca_common_ascend_use_t *send,
                           mca_common_ascend_use_t *recv)
{
    (void)send;
    if (mca_coll_ascend_is_root(call)) {
        mca_common_ascend_layout_simple(&recv->in, call->rbuf, (size_t)call->rcount, call->rdtype);
    } else if (mca_coll_ascend_is_leaf(call)) {
        mca_common_ascend_layout_simple(&recv->out, call->rbuf, (size_t)call->rcount, call->rdtype);
    }
}

static int invoke_bcast(const mca_coll_ascend_call_t *call)
{
    const mca_coll_base_comm_coll_t *lower = mca_coll_ascend_lower(call);

    switch (call->form) {
    case MCA_COLL_ASCEND_BLOCKING:
        return lower->coll_bcast(call->rbuf, call->rcount, call->rdtype, call->root, call->comm,
                                 lower->coll_bcast_module);
    case MCA_COLL_ASCEND_NONBLOCKING:
        return lower->coll_ibcast(call->rbuf, call->rcount, call->rdtype, call->root, call->comm,
                                  call->request, lower->coll_ibcast_module);
    default:
        return lower->coll_bcast_init(call->rbuf, call->rcount, call->rdtype, call->root,
                                      call->comm, call->info, call->request,
                                      lower->coll_bcast_init_module);
    }
}

static const mca_coll_ascend_family_t family_bcast = {
    .kind = MCA_COLL_ASCEND_BCAST, .describe = describe_bcast, .invoke = invoke_bcast};

static mca_coll_ascend_call_t call_bcast(mca_coll_base_module_t *module,
                                         struct ompi_communicator_t *comm, void *buf, int count,
                                         struct ompi_datatype_t *dtype, int root)
{
    return (mca_coll_ascend_call_t){.family = &family_bcast,
                                    .module = module,
                                    .comm = comm,
                                    .rbuf = buf,
                                    .rcount = count,
                                    .rdtype = dtype,
                                    .root = root};
}

static int bcast(void *buf, int count, struct ompi_datatype_t *dtype, int root,
                 struct ompi_communicator_t *comm, mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call = call_bcast(module, comm, buf, count, dtype, root);

    return mca_coll_ascend_run(&call);
}

static int ibcast(void *buf, int count, struct ompi_datatype_t *dtype, int root,
                  struct ompi_communicator_t *comm, ompi_request_t **request,
                  mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call = call_bcast(module, comm, buf, count, dtype, root);

    return mca_coll_ascend_start(&call, request);
}

static int bcast_init(void *buf, int count, struct ompi_datatype_t *dtype, int root,
                      struct ompi_communicator_t *comm, struct ompi_info_t *info,
                      ompi_request_t **request, mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call = call_bcast(module, comm, buf, count, dtype, root);

    return mca_coll_ascend_init(&call, info, request);
}

void mca_coll_ascend_install_bcast(mca_coll_base_module_t *module)
{
    module->coll_bcast = bcast;
    module->coll_ibcast = ibcast;
    module->coll_bcast_init = bcast_init;
}
