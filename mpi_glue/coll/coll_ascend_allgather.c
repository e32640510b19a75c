/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_ascend_call.h"

static void describe_allgather(const mca_coll_ascend_call_t *call, mca_common_ascend_use_t *send,
                               mca_common_ascend_use_t *recv)
{
    if (MPI_IN_PLACE == call->sbuf) {
        mca_coll_ascend_own_block(&recv->in, call->rbuf,
                                  (ptrdiff_t)call->rcount * ompi_comm_rank(call->comm),
                                  call->rcount, call->rdtype);
    } else {
        mca_common_ascend_layout_simple(&send->in, call->sbuf, (size_t)call->scount, call->sdtype);
    }
    mca_coll_ascend_blocks(&recv->out, call->rbuf, mca_coll_ascend_peers(call), call->rcount,
                           call->rdtype);
}

static int invoke_allgather(const mca_coll_ascend_call_t *call)
{
    const mca_coll_base_comm_coll_t *lower = mca_coll_ascend_lower(call);

    switch (call->form) {
    case MCA_COLL_ASCEND_BLOCKING:
        return lower->coll_allgather(call->sbuf, call->scount, call->sdtype, call->rbuf,
                                     call->rcount, call->rdtype, call->comm,
                                     lower->coll_allgather_module);
    case MCA_COLL_ASCEND_NONBLOCKING:
        return lower->coll_iallgather(call->sbuf, call->scount, call->sdtype, call->rbuf,
                                      call->rcount, call->rdtype, call->comm, call->request,
                                      lower->coll_iallgather_module);
    default:
        return lower->coll_allgather_init(call->sbuf, call->scount, call->sdtype, call->rbuf,
                                          call->rcount, call->rdtype, call->comm, call->info,
                                          call->request, lower->coll_allgather_init_module);
    }
}

static const mca_coll_ascend_family_t family_allgather = {
    .kind = MCA_COLL_ASCEND_ALLGATHER, .describe = describe_allgather, .invoke = invoke_allgather};

static int allgather(const void *sbuf, int scount, struct ompi_datatype_t *sdtype, void *rbuf,
                     int rcount, struct ompi_datatype_t *rdtype, struct ompi_communicator_t *comm,
                     mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call = mca_coll_ascend_call_blocks(&family_allgather, module, comm, sbuf,
                                                              scount, sdtype, rbuf, rcount, rdtype);

    return mca_coll_ascend_run(&call);
}

static int iallgather(const void *sbuf, int scount, struct ompi_datatype_t *sdtype, void *rbuf,
                      int rcount, struct ompi_datatype_t *rdtype, struct ompi_communicator_t *comm,
                      ompi_request_t **request, mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call = mca_coll_ascend_call_blocks(&family_allgather, module, comm, sbuf,
                                                              scount, sdtype, rbuf, rcount, rdtype);

    return mca_coll_ascend_start(&call, request);
}

static int allgather_init(const void *sbuf, int scount, struct ompi_datatype_t *sdtype, void *rbuf,
                          int rcount, struct ompi_datatype_t *rdtype,
                          struct ompi_communicator_t *comm, struct ompi_info_t *info,
                          ompi_request_t **request, mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call = mca_coll_ascend_call_blocks(&family_allgather, module, comm, sbuf,
                                                              scount, sdtype, rbuf, rcount, rdtype);

    return mca_coll_ascend_init(&call, info, request);
}

static void describe_allgatherv(const mca_coll_ascend_call_t *call, mca_common_ascend_use_t *send,
                                mca_common_ascend_use_t *recv)
{
    const int rank = ompi_comm_rank(call->comm);

    if (MPI_IN_PLACE == call->sbuf) {
        mca_coll_ascend_own_block(&recv->in, call->rbuf, call->rdispls[rank], call->rcounts[rank],
                                  call->rdtype);
    } else {
        mca_common_ascend_layout_simple(&send->in, call->sbuf, (size_t)call->scount, call->sdtype);
    }
    mca_coll_ascend_vector(&recv->out, call->rbuf, mca_coll_ascend_peers(call), call->rcounts,
                           call->rdispls, call->rdtype);
}

static int invoke_allgatherv(const mca_coll_ascend_call_t *call)
{
    const mca_coll_base_comm_coll_t *lower = mca_coll_ascend_lower(call);

    switch (call->form) {
    case MCA_COLL_ASCEND_BLOCKING:
        return lower->coll_allgatherv(call->sbuf, call->scount, call->sdtype, call->rbuf,
                                      call->rcounts, call->rdispls, call->rdtype, call->comm,
                                      lower->coll_allgatherv_module);
    case MCA_COLL_ASCEND_NONBLOCKING:
        return lower->coll_iallgatherv(call->sbuf, call->scount, call->sdtype, call->rbuf,
                                       call->rcounts, call->rdispls, call->rdtype, call->comm,
                                       call->request, lower->coll_iallgatherv_module);
    default:
        return lower->coll_allgatherv_init(call->sbuf, call->scount, call->sdtype, call->rbuf,
                                           call->rcounts, call->rdispls, call->rdtype, call->comm,
                                           call->info, call->request,
                                           lower->coll_allgatherv_init_module);
    }
}

static const mca_coll_ascend_family_t family_allgatherv = {.kind = MCA_COLL_ASCEND_ALLGATHERV,
                                                           .describe = describe_allgatherv,
                                                           .invoke = invoke_allgatherv};

static int allgatherv(const void *sbuf, int scount, struct ompi_datatype_t *sdtype, void *rbuf,
                      const int *rcounts, const int *rdispls, struct ompi_datatype_t *rdtype,
                      struct ompi_communicator_t *comm, mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call = mca_coll_ascend_call_gatherv(
        &family_allgatherv, module, comm, sbuf, scount, sdtype, rbuf, rcounts, rdispls, rdtype);

    return mca_coll_ascend_run(&call);
}

static int iallgatherv(const void *sbuf, int scount, struct ompi_datatype_t *sdtype, void *rbuf,
                       const int *rcounts, const int *rdispls, struct ompi_datatype_t *rdtype,
                       struct ompi_communicator_t *comm, ompi_request_t **request,
                       mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call = mca_coll_ascend_call_gatherv(
        &family_allgatherv, module, comm, sbuf, scount, sdtype, rbuf, rcounts, rdispls, rdtype);

    return mca_coll_ascend_start(&call, request);
}

static int allgatherv_init(const void *sbuf, int scount, struct ompi_datatype_t *sdtype, void *rbuf,
                           const int *rcounts, const int *rdispls, struct ompi_datatype_t *rdtype,
                           struct ompi_communicator_t *comm, struct ompi_info_t *info,
                           ompi_request_t **request, mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call = mca_coll_ascend_call_gatherv(
        &family_allgatherv, module, comm, sbuf, scount, sdtype, rbuf, rcounts, rdispls, rdtype);

    return mca_coll_ascend_init(&call, info, request);
}

void mca_coll_ascend_install_allgather(mca_coll_base_module_t *module)
{
    module->coll_allgather = allgather;
    module->coll_iallgather = iallgather;
    module->coll_allgather_init = allgather_init;
    module->coll_allgatherv = allgatherv;
    module->coll_iallgatherv = iallgatherv;
    module->coll_allgatherv_init = allgatherv_init;
}
