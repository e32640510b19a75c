/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_ascend_call.h"

static void describe_gather(const mca_coll_ascend_call_t *call, mca_common_ascend_use_t *send,
                            mca_common_ascend_use_t *recv)
{
    if (mca_coll_ascend_is_root(call)) {
        mca_coll_ascend_blocks(&recv->out, call->rbuf, mca_coll_ascend_peers(call), call->rcount,
                               call->rdtype);
        if (MPI_IN_PLACE == call->sbuf) {
            mca_coll_ascend_own_block(&recv->in, call->rbuf,
                                      (ptrdiff_t)call->rcount * ompi_comm_rank(call->comm),
                                      call->rcount, call->rdtype);
        }
    }
    if (mca_coll_ascend_is_leaf(call) && MPI_IN_PLACE != call->sbuf) {
        mca_common_ascend_layout_simple(&send->in, call->sbuf, (size_t)call->scount, call->sdtype);
    }
}

static int invoke_gather(const mca_coll_ascend_call_t *call)
{
    const mca_coll_base_comm_coll_t *lower = mca_coll_ascend_lower(call);

    switch (call->form) {
    case MCA_COLL_ASCEND_BLOCKING:
        return lower->coll_gather(call->sbuf, call->scount, call->sdtype, call->rbuf, call->rcount,
                                  call->rdtype, call->root, call->comm, lower->coll_gather_module);
    case MCA_COLL_ASCEND_NONBLOCKING:
        return lower->coll_igather(call->sbuf, call->scount, call->sdtype, call->rbuf, call->rcount,
                                   call->rdtype, call->root, call->comm, call->request,
                                   lower->coll_igather_module);
    default:
        return lower->coll_gather_init(call->sbuf, call->scount, call->sdtype, call->rbuf,
                                       call->rcount, call->rdtype, call->root, call->comm,
                                       call->info, call->request, lower->coll_gather_init_module);
    }
}

static const mca_coll_ascend_family_t family_gather = {
    .kind = MCA_COLL_ASCEND_GATHER, .describe = describe_gather, .invoke = invoke_gather};

static int gather(const void *sbuf, int scount, struct ompi_datatype_t *sdtype, void *rbuf,
                  int rcount, struct ompi_datatype_t *rdtype, int root,
                  struct ompi_communicator_t *comm, mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call = mca_coll_ascend_call_blocks(&family_gather, module, comm, sbuf,
                                                              scount, sdtype, rbuf, rcount, rdtype);

    call.root = root;
    return mca_coll_ascend_run(&call);
}

static int igather(const void *sbuf, int scount, struct ompi_datatype_t *sdtype, void *rbuf,
                   int rcount, struct ompi_datatype_t *rdtype, int root,
                   struct ompi_communicator_t *comm, ompi_request_t **request,
                   mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call = mca_coll_ascend_call_blocks(&family_gather, module, comm, sbuf,
                                                              scount, sdtype, rbuf, rcount, rdtype);

    call.root = root;
    return mca_coll_ascend_start(&call, request);
}

static int gather_init(const void *sbuf, int scount, struct ompi_datatype_t *sdtype, void *rbuf,
                       int rcount, struct ompi_datatype_t *rdtype, int root,
                       struct ompi_communicator_t *comm, struct ompi_info_t *info,
                       ompi_request_t **request, mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call = mca_coll_ascend_call_blocks(&family_gather, module, comm, sbuf,
                                                              scount, sdtype, rbuf, rcount, rdtype);

    call.root = root;
    return mca_coll_ascend_init(&call, info, request);
}

static void describe_gatherv(const mca_coll_ascend_call_t *call, mca_common_ascend_use_t *send,
                             mca_common_ascend_use_t *recv)
{
    const int rank = ompi_comm_rank(call->comm);

    if (mca_coll_ascend_is_root(call)) {
        mca_coll_ascend_vector(&recv->out, call->rbuf, mca_coll_ascend_peers(call), call->rcounts,
                               call->rdispls, call->rdtype);
        if (MPI_IN_PLACE == call->sbuf) {
            mca_coll_ascend_own_block(&recv->in, call->rbuf, call->rdispls[rank],
                                      call->rcounts[rank], call->rdtype);
        }
    }
    if (mca_coll_ascend_is_leaf(call) && MPI_IN_PLACE != call->sbuf) {
        mca_common_ascend_layout_simple(&send->in, call->sbuf, (size_t)call->scount, call->sdtype);
    }
}

static int invoke_gatherv(const mca_coll_ascend_call_t *call)
{
    const mca_coll_base_comm_coll_t *lower = mca_coll_ascend_lower(call);

    switch (call->form) {
    case MCA_COLL_ASCEND_BLOCKING:
        return lower->coll_gatherv(call->sbuf, call->scount, call->sdtype, call->rbuf,
                                   call->rcounts, call->rdispls, call->rdtype, call->root,
                                   call->comm, lower->coll_gatherv_module);
    case MCA_COLL_ASCEND_NONBLOCKING:
        return lower->coll_igatherv(call->sbuf, call->scount, call->sdtype, call->rbuf,
                                    call->rcounts, call->rdispls, call->rdtype, call->root,
                                    call->comm, call->request, lower->coll_igatherv_module);
    default:
        return lower->coll_gatherv_init(call->sbuf, call->scount, call->sdtype, call->rbuf,
                                        call->rcounts, call->rdispls, call->rdtype, call->root,
                                        call->comm, call->info, call->request,
                                        lower->coll_gatherv_init_module);
    }
}

static const mca_coll_ascend_family_t family_gatherv = {
    .kind = MCA_COLL_ASCEND_GATHERV, .describe = describe_gatherv, .invoke = invoke_gatherv};

static int gatherv(const void *sbuf, int scount, struct ompi_datatype_t *sdtype, void *rbuf,
                   const int *rcounts, const int *rdispls, struct ompi_datatype_t *rdtype, int root,
                   struct ompi_communicator_t *comm, mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call = mca_coll_ascend_call_gatherv(
        &family_gatherv, module, comm, sbuf, scount, sdtype, rbuf, rcounts, rdispls, rdtype);

    call.root = root;
    return mca_coll_ascend_run(&call);
}

static int igatherv(const void *sbuf, int scount, struct ompi_datatype_t *sdtype, void *rbuf,
                    const int *rcounts, const int *rdispls, struct ompi_datatype_t *rdtype,
                    int root, struct ompi_communicator_t *comm, ompi_request_t **request,
                    mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call = mca_coll_ascend_call_gatherv(
        &family_gatherv, module, comm, sbuf, scount, sdtype, rbuf, rcounts, rdispls, rdtype);

    call.root = root;
    return mca_coll_ascend_start(&call, request);
}

static int gatherv_init(const void *sbuf, int scount, struct ompi_datatype_t *sdtype, void *rbuf,
                        const int *rcounts, const int *rdispls, struct ompi_datatype_t *rdtype,
                        int root, struct ompi_communicator_t *comm, struct ompi_info_t *info,
                        ompi_request_t **request, mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call = mca_coll_ascend_call_gatherv(
        &family_gatherv, module, comm, sbuf, scount, sdtype, rbuf, rcounts, rdispls, rdtype);

    call.root = root;
    return mca_coll_ascend_init(&call, info, request);
}

void mca_coll_ascend_install_gather(mca_coll_base_module_t *module)
{
    module->coll_gather = gather;
    module->coll_igather = igather;
    module->coll_gather_init = gather_init;
    module->coll_gatherv = gatherv;
    module->coll_igatherv = igatherv;
    module->coll_gatherv_init = gatherv_init;
}
