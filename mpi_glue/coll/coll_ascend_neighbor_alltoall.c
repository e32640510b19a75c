/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_ascend_call.h"

/* Blocks of neighbours that are MPI_PROC_NULL are not received: so all of a
 * receive buffer is copied in first, and comes back as it was. */

static void describe_neighbor_alltoall(const mca_coll_ascend_call_t *call,
                                       mca_common_ascend_use_t *send, mca_common_ascend_use_t *recv)
{
    int in, out;

    mca_coll_ascend_degrees(call, &in, &out);
    mca_coll_ascend_blocks(&send->in, call->sbuf, out, call->scount, call->sdtype);
    mca_coll_ascend_blocks(&recv->out, call->rbuf, in, call->rcount, call->rdtype);
    recv->in = recv->out;
}

static int invoke_neighbor_alltoall(const mca_coll_ascend_call_t *call)
{
    const mca_coll_base_comm_coll_t *lower = mca_coll_ascend_lower(call);

    switch (call->form) {
    case MCA_COLL_ASCEND_BLOCKING:
        return lower->coll_neighbor_alltoall(call->sbuf, call->scount, call->sdtype, call->rbuf,
                                             call->rcount, call->rdtype, call->comm,
                                             lower->coll_neighbor_alltoall_module);
    case MCA_COLL_ASCEND_NONBLOCKING:
        return lower->coll_ineighbor_alltoall(call->sbuf, call->scount, call->sdtype, call->rbuf,
                                              call->rcount, call->rdtype, call->comm, call->request,
                                              lower->coll_ineighbor_alltoall_module);
    default:
        return lower->coll_neighbor_alltoall_init(
            call->sbuf, call->scount, call->sdtype, call->rbuf, call->rcount, call->rdtype,
            call->comm, call->info, call->request, lower->coll_neighbor_alltoall_init_module);
    }
}

static const mca_coll_ascend_family_t family_neighbor_alltoall = {
    .kind = MCA_COLL_ASCEND_NEIGHBOR_ALLTOALL,
    .describe = describe_neighbor_alltoall,
    .invoke = invoke_neighbor_alltoall};

static int neighbor_alltoall(const void *sbuf, int scount, struct ompi_datatype_t *sdtype,
                             void *rbuf, int rcount, struct ompi_datatype_t *rdtype,
                             struct ompi_communicator_t *comm, mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call = mca_coll_ascend_call_blocks(
        &family_neighbor_alltoall, module, comm, sbuf, scount, sdtype, rbuf, rcount, rdtype);

    return mca_coll_ascend_run(&call);
}

static int ineighbor_alltoall(const void *sbuf, int scount, struct ompi_datatype_t *sdtype,
                              void *rbuf, int rcount, struct ompi_datatype_t *rdtype,
                              struct ompi_communicator_t *comm, ompi_request_t **request,
                              mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call = mca_coll_ascend_call_blocks(
        &family_neighbor_alltoall, module, comm, sbuf, scount, sdtype, rbuf, rcount, rdtype);

    return mca_coll_ascend_start(&call, request);
}

static int neighbor_alltoall_init(const void *sbuf, int scount, struct ompi_datatype_t *sdtype,
                                  void *rbuf, int rcount, struct ompi_datatype_t *rdtype,
                                  struct ompi_communicator_t *comm, struct ompi_info_t *info,
                                  ompi_request_t **request, mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call = mca_coll_ascend_call_blocks(
        &family_neighbor_alltoall, module, comm, sbuf, scount, sdtype, rbuf, rcount, rdtype);

    return mca_coll_ascend_init(&call, info, request);
}

static void describe_neighbor_alltoallv(const mca_coll_ascend_call_t *call,
                                        mca_common_ascend_use_t *send,
                                        mca_common_ascend_use_t *recv)
{
    int in, out;

    mca_coll_ascend_degrees(call, &in, &out);
    mca_coll_ascend_vector(&send->in, call->sbuf, out, call->scounts, call->sdispls, call->sdtype);
    mca_coll_ascend_vector(&recv->out, call->rbuf, in, call->rcounts, call->rdispls, call->rdtype);
    recv->in = recv->out;
}

static int invoke_neighbor_alltoallv(const mca_coll_ascend_call_t *call)
{
    const mca_coll_base_comm_coll_t *lower = mca_coll_ascend_lower(call);

    switch (call->form) {
    case MCA_COLL_ASCEND_BLOCKING:
        return lower->coll_neighbor_alltoallv(
            call->sbuf, call->scounts, call->sdispls, call->sdtype, call->rbuf, call->rcounts,
            call->rdispls, call->rdtype, call->comm, lower->coll_neighbor_alltoallv_module);
    case MCA_COLL_ASCEND_NONBLOCKING:
        return lower->coll_ineighbor_alltoallv(
            call->sbuf, call->scounts, call->sdispls, call->sdtype, call->rbuf, call->rcounts,
            call->rdispls, call->rdtype, call->comm, call->request,
            lower->coll_ineighbor_alltoallv_module);
    default:
        return lower->coll_neighbor_alltoallv_init(
            call->sbuf, call->scounts, call->sdispls, call->sdtype, call->rbuf, call->rcounts,
            call->rdispls, call->rdtype, call->comm, call->info, call->request,
            lower->coll_neighbor_alltoallv_init_module);
    }
}

static const mca_coll_ascend_family_t family_neighbor_alltoallv = {
    .kind = MCA_COLL_ASCEND_NEIGHBOR_ALLTOALLV,
    .describe = describe_neighbor_alltoallv,
    .invoke = invoke_neighbor_alltoallv};

static int neighbor_alltoallv(const void *sbuf, const int *scounts, const int *sdispls,
                              struct ompi_datatype_t *sdtype, void *rbuf, const int *rcounts,
                              const int *rdispls, struct ompi_datatype_t *rdtype,
                              struct ompi_communicator_t *comm, mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call =
        mca_coll_ascend_call_vectors(&family_neighbor_alltoallv, module, comm, sbuf, scounts,
                                     sdispls, sdtype, rbuf, rcounts, rdispls, rdtype);

    return mca_coll_ascend_run(&call);
}

static int ineighbor_alltoallv(const void *sbuf, const int *scounts, const int *sdispls,
                               struct ompi_datatype_t *sdtype, void *rbuf, const int *rcounts,
                               const int *rdispls, struct ompi_datatype_t *rdtype,
                               struct ompi_communicator_t *comm, ompi_request_t **request,
                               mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call =
        mca_coll_ascend_call_vectors(&family_neighbor_alltoallv, module, comm, sbuf, scounts,
                                     sdispls, sdtype, rbuf, rcounts, rdispls, rdtype);

    return mca_coll_ascend_start(&call, request);
}

static int neighbor_alltoallv_init(const void *sbuf, const int *scounts, const int *sdispls,
                                   struct ompi_datatype_t *sdtype, void *rbuf, const int *rcounts,
                                   const int *rdispls, struct ompi_datatype_t *rdtype,
                                   struct ompi_communicator_t *comm, struct ompi_info_t *info,
                                   ompi_request_t **request, mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call =
        mca_coll_ascend_call_vectors(&family_neighbor_alltoallv, module, comm, sbuf, scounts,
                                     sdispls, sdtype, rbuf, rcounts, rdispls, rdtype);

    return mca_coll_ascend_init(&call, info, request);
}

static void describe_neighbor_alltoallw(const mca_coll_ascend_call_t *call,
                                        mca_common_ascend_use_t *send,
                                        mca_common_ascend_use_t *recv)
{
    int in, out;

    mca_coll_ascend_degrees(call, &in, &out);
    send->in = (mca_common_ascend_layout_t){.buf = call->sbuf,
                                            .nblocks = out,
                                            .counts = call->scounts,
                                            .adispls = call->sadispls,
                                            .dtypes = call->sdtypes};
    recv->out = (mca_common_ascend_layout_t){.buf = call->rbuf,
                                             .nblocks = in,
                                             .counts = call->rcounts,
                                             .adispls = call->radispls,
                                             .dtypes = call->rdtypes};
    recv->in = recv->out;
}

static int invoke_neighbor_alltoallw(const mca_coll_ascend_call_t *call)
{
    const mca_coll_base_comm_coll_t *lower = mca_coll_ascend_lower(call);

    switch (call->form) {
    case MCA_COLL_ASCEND_BLOCKING:
        return lower->coll_neighbor_alltoallw(
            call->sbuf, call->scounts, call->sadispls, call->sdtypes, call->rbuf, call->rcounts,
            call->radispls, call->rdtypes, call->comm, lower->coll_neighbor_alltoallw_module);
    case MCA_COLL_ASCEND_NONBLOCKING:
        return lower->coll_ineighbor_alltoallw(
            call->sbuf, call->scounts, call->sadispls, call->sdtypes, call->rbuf, call->rcounts,
            call->radispls, call->rdtypes, call->comm, call->request,
            lower->coll_ineighbor_alltoallw_module);
    default:
        return lower->coll_neighbor_alltoallw_init(
            call->sbuf, call->scounts, call->sadispls, call->sdtypes, call->rbuf, call->rcounts,
            call->radispls, call->rdtypes, call->comm, call->info, call->request,
            lower->coll_neighbor_alltoallw_init_module);
    }
}

static const mca_coll_ascend_family_t family_neighbor_alltoallw = {
    .kind = MCA_COLL_ASCEND_NEIGHBOR_ALLTOALLW,
    .describe = describe_neighbor_alltoallw,
    .invoke = invoke_neighbor_alltoallw};

static mca_coll_ascend_call_t
call_neighbor_alltoallw(mca_coll_base_module_t *module, struct ompi_communicator_t *comm,
                        const void *sbuf, const int *scounts, const MPI_Aint *sdispls,
                        struct ompi_datatype_t *const *sdtypes, void *rbuf, const int *rcounts,
                        const MPI_Aint *rdispls, struct ompi_datatype_t *const *rdtypes)
{
    return (mca_coll_ascend_call_t){.family = &family_neighbor_alltoallw,
                                    .module = module,
                                    .comm = comm,
                                    .sbuf = sbuf,
                                    .scounts = scounts,
                                    .sadispls = sdispls,
                                    .sdtypes = sdtypes,
                                    .rbuf = rbuf,
                                    .rcounts = rcounts,
                                    .radispls = rdispls,
                                    .rdtypes = rdtypes};
}

static int neighbor_alltoallw(const void *sbuf, const int *scounts, const MPI_Aint *sdispls,
                              struct ompi_datatype_t *const *sdtypes, void *rbuf,
                              const int *rcounts, const MPI_Aint *rdispls,
                              struct ompi_datatype_t *const *rdtypes,
                              struct ompi_communicator_t *comm, mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call = call_neighbor_alltoallw(module, comm, sbuf, scounts, sdispls,
                                                          sdtypes, rbuf, rcounts, rdispls, rdtypes);

    return mca_coll_ascend_run(&call);
}

static int ineighbor_alltoallw(const void *sbuf, const int *scounts, const MPI_Aint *sdispls,
                               struct ompi_datatype_t *const *sdtypes, void *rbuf,
                               const int *rcounts, const MPI_Aint *rdispls,
                               struct ompi_datatype_t *const *rdtypes,
                               struct ompi_communicator_t *comm, ompi_request_t **request,
                               mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call = call_neighbor_alltoallw(module, comm, sbuf, scounts, sdispls,
                                                          sdtypes, rbuf, rcounts, rdispls, rdtypes);

    return mca_coll_ascend_start(&call, request);
}

static int neighbor_alltoallw_init(const void *sbuf, const int *scounts, const MPI_Aint *sdispls,
                                   struct ompi_datatype_t *const *sdtypes, void *rbuf,
                                   const int *rcounts, const MPI_Aint *rdispls,
                                   struct ompi_datatype_t *const *rdtypes,
                                   struct ompi_communicator_t *comm, struct ompi_info_t *info,
                                   ompi_request_t **request, mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call = call_neighbor_alltoallw(module, comm, sbuf, scounts, sdispls,
                                                          sdtypes, rbuf, rcounts, rdispls, rdtypes);

    return mca_coll_ascend_init(&call, info, request);
}

void mca_coll_ascend_install_neighbor_alltoall(mca_coll_base_module_t *module)
{
    module->coll_neighbor_alltoall = neighbor_alltoall;
    module->coll_ineighbor_alltoall = ineighbor_alltoall;
    module->coll_neighbor_alltoall_init = neighbor_alltoall_init;
    module->coll_neighbor_alltoallv = neighbor_alltoallv;
    module->coll_ineighbor_alltoallv = ineighbor_alltoallv;
    module->coll_neighbor_alltoallv_init = neighbor_alltoallv_init;
    module->coll_neighbor_alltoallw = neighbor_alltoallw;
    module->coll_ineighbor_alltoallw = ineighbor_alltoallw;
    module->coll_neighbor_alltoallw_init = neighbor_alltoallw_init;
}
