/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_ascend_call.h"

#include "ompi/mca/topo/base/base.h"

/* Blocks of neighbours that are MPI_PROC_NULL are not received: so all of a
 * receive buffer is copied in first, and comes back as it was. */

void mca_coll_ascend_degrees(const mca_coll_ascend_call_t *call, int *in, int *out)
{
    *in = *out = 0;
    if (NULL != call->comm->c_topo) {
        (void)mca_topo_base_neighbor_count(call->comm, in, out);
    }
}

static void describe_neighbor_allgather(const mca_coll_ascend_call_t *call,
                                        mca_common_ascend_use_t *send,
                                        mca_common_ascend_use_t *recv)
{
    int in, out;

    mca_coll_ascend_degrees(call, &in, &out);
    mca_common_ascend_layout_simple(&send->in, call->sbuf, (size_t)call->scount, call->sdtype);
    mca_coll_ascend_blocks(&recv->out, call->rbuf, in, call->rcount, call->rdtype);
    recv->in = recv->out;
}

static int invoke_neighbor_allgather(const mca_coll_ascend_call_t *call)
{
    const mca_coll_base_comm_coll_t *lower = mca_coll_ascend_lower(call);

    switch (call->form) {
    case MCA_COLL_ASCEND_BLOCKING:
        return lower->coll_neighbor_allgather(call->sbuf, call->scount, call->sdtype, call->rbuf,
                                              call->rcount, call->rdtype, call->comm,
                                              lower->coll_neighbor_allgather_module);
    case MCA_COLL_ASCEND_NONBLOCKING:
        return lower->coll_ineighbor_allgather(
            call->sbuf, call->scount, call->sdtype, call->rbuf, call->rcount, call->rdtype,
            call->comm, call->request, lower->coll_ineighbor_allgather_module);
    default:
        return lower->coll_neighbor_allgather_init(
            call->sbuf, call->scount, call->sdtype, call->rbuf, call->rcount, call->rdtype,
            call->comm, call->info, call->request, lower->coll_neighbor_allgather_init_module);
    }
}

static const mca_coll_ascend_family_t family_neighbor_allgather = {
    .kind = MCA_COLL_ASCEND_NEIGHBOR_ALLGATHER,
    .describe = describe_neighbor_allgather,
    .invoke = invoke_neighbor_allgather};

static int neighbor_allgather(const void *sbuf, int scount, struct ompi_datatype_t *sdtype,
                              void *rbuf, int rcount, struct ompi_datatype_t *rdtype,
                              struct ompi_communicator_t *comm, mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call = mca_coll_ascend_call_blocks(
        &family_neighbor_allgather, module, comm, sbuf, scount, sdtype, rbuf, rcount, rdtype);

    return mca_coll_ascend_run(&call);
}

static int ineighbor_allgather(const void *sbuf, int scount, struct ompi_datatype_t *sdtype,
                               void *rbuf, int rcount, struct ompi_datatype_t *rdtype,
                               struct ompi_communicator_t *comm, ompi_request_t **request,
                               mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call = mca_coll_ascend_call_blocks(
        &family_neighbor_allgather, module, comm, sbuf, scount, sdtype, rbuf, rcount, rdtype);

    return mca_coll_ascend_start(&call, request);
}

static int neighbor_allgather_init(const void *sbuf, int scount, struct ompi_datatype_t *sdtype,
                                   void *rbuf, int rcount, struct ompi_datatype_t *rdtype,
                                   struct ompi_communicator_t *comm, struct ompi_info_t *info,
                                   ompi_request_t **request, mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call = mca_coll_ascend_call_blocks(
        &family_neighbor_allgather, module, comm, sbuf, scount, sdtype, rbuf, rcount, rdtype);

    return mca_coll_ascend_init(&call, info, request);
}

static void describe_neighbor_allgatherv(const mca_coll_ascend_call_t *call,
                                         mca_common_ascend_use_t *send,
                                         mca_common_ascend_use_t *recv)
{
    int in, out;

    mca_coll_ascend_degrees(call, &in, &out);
    mca_common_ascend_layout_simple(&send->in, call->sbuf, (size_t)call->scount, call->sdtype);
    mca_coll_ascend_vector(&recv->out, call->rbuf, in, call->rcounts, call->rdispls, call->rdtype);
    recv->in = recv->out;
}

static int invoke_neighbor_allgatherv(const mca_coll_ascend_call_t *call)
{
    const mca_coll_base_comm_coll_t *lower = mca_coll_ascend_lower(call);

    switch (call->form) {
    case MCA_COLL_ASCEND_BLOCKING:
        return lower->coll_neighbor_allgatherv(call->sbuf, call->scount, call->sdtype, call->rbuf,
                                               call->rcounts, call->rdispls, call->rdtype,
                                               call->comm, lower->coll_neighbor_allgatherv_module);
    case MCA_COLL_ASCEND_NONBLOCKING:
        return lower->coll_ineighbor_allgatherv(
            call->sbuf, call->scount, call->sdtype, call->rbuf, call->rcounts, call->rdispls,
            call->rdtype, call->comm, call->request, lower->coll_ineighbor_allgatherv_module);
    default:
        return lower->coll_neighbor_allgatherv_init(
            call->sbuf, call->scount, call->sdtype, call->rbuf, call->rcounts, call->rdispls,
            call->rdtype, call->comm, call->info, call->request,
            lower->coll_neighbor_allgatherv_init_module);
    }
}

static const mca_coll_ascend_family_t family_neighbor_allgatherv = {
    .kind = MCA_COLL_ASCEND_NEIGHBOR_ALLGATHERV,
    .describe = describe_neighbor_allgatherv,
    .invoke = invoke_neighbor_allgatherv};

static int neighbor_allgatherv(const void *sbuf, int scount, struct ompi_datatype_t *sdtype,
                               void *rbuf, const int *rcounts, const int *rdispls,
                               struct ompi_datatype_t *rdtype, struct ompi_communicator_t *comm,
                               mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call =
        mca_coll_ascend_call_gatherv(&family_neighbor_allgatherv, module, comm, sbuf, scount,
                                     sdtype, rbuf, rcounts, rdispls, rdtype);

    return mca_coll_ascend_run(&call);
}

static int ineighbor_allgatherv(const void *sbuf, int scount, struct ompi_datatype_t *sdtype,
                                void *rbuf, const int *rcounts, const int *rdispls,
                                struct ompi_datatype_t *rdtype, struct ompi_communicator_t *comm,
                                ompi_request_t **request, mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call =
        mca_coll_ascend_call_gatherv(&family_neighbor_allgatherv, module, comm, sbuf, scount,
                                     sdtype, rbuf, rcounts, rdispls, rdtype);

    return mca_coll_ascend_start(&call, request);
}

static int neighbor_allgatherv_init(const void *sbuf, int scount, struct ompi_datatype_t *sdtype,
                                    void *rbuf, const int *rcounts, const int *rdispls,
                                    struct ompi_datatype_t *rdtype,
                                    struct ompi_communicator_t *comm, struct ompi_info_t *info,
                                    ompi_request_t **request, mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call =
        mca_coll_ascend_call_gatherv(&family_neighbor_allgatherv, module, comm, sbuf, scount,
                                     sdtype, rbuf, rcounts, rdispls, rdtype);

    return mca_coll_ascend_init(&call, info, request);
}

void mca_coll_ascend_install_neighbor_allgather(mca_coll_base_module_t *module)
{
    module->coll_neighbor_allgather = neighbor_allgather;
    module->coll_ineighbor_allgather = ineighbor_allgather;
    module->coll_neighbor_allgather_init = neighbor_allgather_init;
    module->coll_neighbor_allgatherv = neighbor_allgatherv;
    module->coll_ineighbor_allgatherv = ineighbor_allgatherv;
    module->coll_neighbor_allgatherv_init = neighbor_allgatherv_init;
}
