/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_ascend_call.h"

static void describe_scatter(const mca_coll_ascend_call_t *call, mca_common_ascend_use_t *send,
                             mca_common_ascend_use_t *recv)
{
    if (mca_coll_ascend_is_root(call)) {
        mca_coll_ascend_blocks(&send->in, call->sbuf, mca_coll_ascend_peers(call), call->scount,
                               call->sdtype);
    }
    if (mca_coll_ascend_is_leaf(call) && MPI_IN_PLACE != call->rbuf) {
        mca_common_ascend_layout_simple(&recv->out, call->rbuf, (size_t)call->rcount, call->rdtype);
    }
}

static int invoke_scatter(const mca_coll_ascend_call_t *call)
{
    const mca_coll_base_comm_coll_t *lower = mca_coll_ascend_lower(call);

    switch (call->form) {
    case MCA_COLL_ASCEND_BLOCKING:
        return lower->coll_scatter(call->sbuf, call->scount, call->sdtype, call->rbuf, call->rcount,
                                   call->rdtype, call->root, call->comm,
                                   lower->coll_scatter_module);
    case MCA_COLL_ASCEND_NONBLOCKING:
        return lower->coll_iscatter(call->sbuf, call->scount, call->sdtype, call->rbuf,
                                    call->rcount, call->rdtype, call->root, call->comm,
                                    call->request, lower->coll_iscatter_module);
    default:
        return lower->coll_scatter_init(call->sbuf, call->scount, call->sdtype, call->rbuf,
                                        call->rcount, call->rdtype, call->root, call->comm,
                                        call->info, call->request, lower->coll_scatter_init_module);
    }
}

static const mca_coll_ascend_family_t family_scatter = {
    .kind = MCA_COLL_ASCEND_SCATTER, .describe = describe_scatter, .invoke = invoke_scatter};

static int scatter(const void *sbuf, int scount, struct ompi_datatype_t *sdtype, void *rbuf,
                   int rcount, struct ompi_datatype_t *rdtype, int root,
                   struct ompi_communicator_t *comm, mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call = mca_coll_ascend_call_blocks(&family_scatter, module, comm, sbuf,
                                                              scount, sdtype, rbuf, rcount, rdtype);

    call.root = root;
    return mca_coll_ascend_run(&call);
}

static int iscatter(const void *sbuf, int scount, struct ompi_datatype_t *sdtype, void *rbuf,
                    int rcount, struct ompi_datatype_t *rdtype, int root,
                    struct ompi_communicator_t *comm, ompi_request_t **request,
                    mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call = mca_coll_ascend_call_blocks(&family_scatter, module, comm, sbuf,
                                                              scount, sdtype, rbuf, rcount, rdtype);

    call.root = root;
    return mca_coll_ascend_start(&call, request);
}

static int scatter_init(const void *sbuf, int scount, struct ompi_datatype_t *sdtype, void *rbuf,
                        int rcount, struct ompi_datatype_t *rdtype, int root,
                        struct ompi_communicator_t *comm, struct ompi_info_t *info,
                        ompi_request_t **request, mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call = mca_coll_ascend_call_blocks(&family_scatter, module, comm, sbuf,
                                                              scount, sdtype, rbuf, rcount, rdtype);

    call.root = root;
    return mca_coll_ascend_init(&call, info, request);
}

static void describe_scatterv(const mca_coll_ascend_call_t *call, mca_common_ascend_use_t *send,
                              mca_common_ascend_use_t *recv)
{
    if (mca_coll_ascend_is_root(call)) {
        mca_coll_ascend_vector(&send->in, call->sbuf, mca_coll_ascend_peers(call), call->scounts,
                               call->sdispls, call->sdtype);
    }
    if (mca_coll_ascend_is_leaf(call) && MPI_IN_PLACE != call->rbuf) {
        mca_common_ascend_layout_simple(&recv->out, call->rbuf, (size_t)call->rcount, call->rdtype);
    }
}

static int invoke_scatterv(const mca_coll_ascend_call_t *call)
{
    const mca_coll_base_comm_coll_t *lower = mca_coll_ascend_lower(call);

    switch (call->form) {
    case MCA_COLL_ASCEND_BLOCKING:
        return lower->coll_scatterv(call->sbuf, call->scounts, call->sdispls, call->sdtype,
                                    call->rbuf, call->rcount, call->rdtype, call->root, call->comm,
                                    lower->coll_scatterv_module);
    case MCA_COLL_ASCEND_NONBLOCKING:
        return lower->coll_iscatterv(call->sbuf, call->scounts, call->sdispls, call->sdtype,
                                     call->rbuf, call->rcount, call->rdtype, call->root, call->comm,
                                     call->request, lower->coll_iscatterv_module);
    default:
        return lower->coll_scatterv_init(call->sbuf, call->scounts, call->sdispls, call->sdtype,
                                         call->rbuf, call->rcount, call->rdtype, call->root,
                                         call->comm, call->info, call->request,
                                         lower->coll_scatterv_init_module);
    }
}

static const mca_coll_ascend_family_t family_scatterv = {
    .kind = MCA_COLL_ASCEND_SCATTERV, .describe = describe_scatterv, .invoke = invoke_scatterv};

static mca_coll_ascend_call_t call_scatterv(mca_coll_base_module_t *module,
                                            struct ompi_communicator_t *comm, const void *sbuf,
                                            const int *scounts, const int *sdispls,
                                            struct ompi_datatype_t *sdtype, void *rbuf, int rcount,
                                            struct ompi_datatype_t *rdtype, int root)
{
    return (mca_coll_ascend_call_t){.family = &family_scatterv,
                                    .module = module,
                                    .comm = comm,
                                    .sbuf = sbuf,
                                    .scounts = scounts,
                                    .sdispls = sdispls,
                                    .sdtype = sdtype,
                                    .rbuf = rbuf,
                                    .rcount = rcount,
                                    .rdtype = rdtype,
                                    .root = root};
}

static int scatterv(const void *sbuf, const int *scounts, const int *sdispls,
                    struct ompi_datatype_t *sdtype, void *rbuf, int rcount,
                    struct ompi_datatype_t *rdtype, int root, struct ompi_communicator_t *comm,
                    mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call =
        call_scatterv(module, comm, sbuf, scounts, sdispls, sdtype, rbuf, rcount, rdtype, root);

    return mca_coll_ascend_run(&call);
}

static int iscatterv(const void *sbuf, const int *scounts, const int *sdispls,
                     struct ompi_datatype_t *sdtype, void *rbuf, int rcount,
                     struct ompi_datatype_t *rdtype, int root, struct ompi_communicator_t *comm,
                     ompi_request_t **request, mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call =
        call_scatterv(module, comm, sbuf, scounts, sdispls, sdtype, rbuf, rcount, rdtype, root);

    return mca_coll_ascend_start(&call, request);
}

static int scatterv_init(const void *sbuf, const int *scounts, const int *sdispls,
                         struct ompi_datatype_t *sdtype, void *rbuf, int rcount,
                         struct ompi_datatype_t *rdtype, int root, struct ompi_communicator_t *comm,
                         struct ompi_info_t *info, ompi_request_t **request,
                         mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call =
        call_scatterv(module, comm, sbuf, scounts, sdispls, sdtype, rbuf, rcount, rdtype, root);

    return mca_coll_ascend_init(&call, info, request);
}

void mca_coll_ascend_install_scatter(mca_coll_base_module_t *module)
{
    module->coll_scatter = scatter;
    module->coll_iscatter = iscatter;
    module->coll_scatter_init = scatter_init;
    module->coll_scatterv = scatterv;
    module->coll_iscatterv = iscatterv;
    module->coll_scatterv_init = scatterv_init;
}
