/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_ascend_call.h"

static void describe_alltoall(const mca_coll_ascend_call_t *call, mca_common_ascend_use_t *send,
                              mca_common_ascend_use_t *recv)
{
    const int peers = mca_coll_ascend_peers(call);

    mca_coll_ascend_blocks(&recv->out, call->rbuf, peers, call->rcount, call->rdtype);
    if (MPI_IN_PLACE == call->sbuf) {
        recv->in = recv->out;
    } else {
        mca_coll_ascend_blocks(&send->in, call->sbuf, peers, call->scount, call->sdtype);
    }
}

static int invoke_alltoall(const mca_coll_ascend_call_t *call)
{
    const mca_coll_base_comm_coll_t *lower = mca_coll_ascend_lower(call);

    switch (call->form) {
    case MCA_COLL_ASCEND_BLOCKING:
        return lower->coll_alltoall(call->sbuf, call->scount, call->sdtype, call->rbuf,
                                    call->rcount, call->rdtype, call->comm,
                                    lower->coll_alltoall_module);
    case MCA_COLL_ASCEND_NONBLOCKING:
        return lower->coll_ialltoall(call->sbuf, call->scount, call->sdtype, call->rbuf,
                                     call->rcount, call->rdtype, call->comm, call->request,
                                     lower->coll_ialltoall_module);
    default:
        return lower->coll_alltoall_init(call->sbuf, call->scount, call->sdtype, call->rbuf,
                                         call->rcount, call->rdtype, call->comm, call->info,
                                         call->request, lower->coll_alltoall_init_module);
    }
}

static const mca_coll_ascend_family_t family_alltoall = {
    .kind = MCA_COLL_ASCEND_ALLTOALL, .describe = describe_alltoall, .invoke = invoke_alltoall};

static int alltoall(const void *sbuf, int scount, struct ompi_datatype_t *sdtype, void *rbuf,
                    int rcount, struct ompi_datatype_t *rdtype, struct ompi_communicator_t *comm,
                    mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call = mca_coll_ascend_call_blocks(&family_alltoall, module, comm, sbuf,
                                                              scount, sdtype, rbuf, rcount, rdtype);

    return mca_coll_ascend_run(&call);
}

static int ialltoall(const void *sbuf, int scount, struct ompi_datatype_t *sdtype, void *rbuf,
                     int rcount, struct ompi_datatype_t *rdtype, struct ompi_communicator_t *comm,
                     ompi_request_t **request, mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call = mca_coll_ascend_call_blocks(&family_alltoall, module, comm, sbuf,
                                                              scount, sdtype, rbuf, rcount, rdtype);

    return mca_coll_ascend_start(&call, request);
}

static int alltoall_init(const void *sbuf, int scount, struct ompi_datatype_t *sdtype, void *rbuf,
                         int rcount, struct ompi_datatype_t *rdtype,
                         struct ompi_communicator_t *comm, struct ompi_info_t *info,
                         ompi_request_t **request, mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call = mca_coll_ascend_call_blocks(&family_alltoall, module, comm, sbuf,
                                                              scount, sdtype, rbuf, rcount, rdtype);

    return mca_coll_ascend_init(&call, info, request);
}

static void describe_alltoallv(const mca_coll_ascend_call_t *call, mca_common_ascend_use_t *send,
                               mca_common_ascend_use_t *recv)
{
    const int peers = mca_coll_ascend_peers(call);

    mca_coll_ascend_vector(&recv->out, call->rbuf, peers, call->rcounts, call->rdispls,
                           call->rdtype);
    if (MPI_IN_PLACE == call->sbuf) {
        recv->in = recv->out;
    } else {
        mca_coll_ascend_vector(&send->in, call->sbuf, peers, call->scounts, call->sdispls,
                               call->sdtype);
    }
}

static int invoke_alltoallv(const mca_coll_ascend_call_t *call)
{
    const mca_coll_base_comm_coll_t *lower = mca_coll_ascend_lower(call);

    switch (call->form) {
    case MCA_COLL_ASCEND_BLOCKING:
        return lower->coll_alltoallv(call->sbuf, call->scounts, call->sdispls, call->sdtype,
                                     call->rbuf, call->rcounts, call->rdispls, call->rdtype,
                                     call->comm, lower->coll_alltoallv_module);
    case MCA_COLL_ASCEND_NONBLOCKING:
        return lower->coll_ialltoallv(call->sbuf, call->scounts, call->sdispls, call->sdtype,
                                      call->rbuf, call->rcounts, call->rdispls, call->rdtype,
                                      call->comm, call->request, lower->coll_ialltoallv_module);
    default:
        return lower->coll_alltoallv_init(call->sbuf, call->scounts, call->sdispls, call->sdtype,
                                          call->rbuf, call->rcounts, call->rdispls, call->rdtype,
                                          call->comm, call->info, call->request,
                                          lower->coll_alltoallv_init_module);
    }
}

static const mca_coll_ascend_family_t family_alltoallv = {
    .kind = MCA_COLL_ASCEND_ALLTOALLV, .describe = describe_alltoallv, .invoke = invoke_alltoallv};

static int alltoallv(const void *sbuf, const int *scounts, const int *sdispls,
                     struct ompi_datatype_t *sdtype, void *rbuf, const int *rcounts,
                     const int *rdispls, struct ompi_datatype_t *rdtype,
                     struct ompi_communicator_t *comm, mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call =
        mca_coll_ascend_call_vectors(&family_alltoallv, module, comm, sbuf, scounts, sdispls,
                                     sdtype, rbuf, rcounts, rdispls, rdtype);

    return mca_coll_ascend_run(&call);
}

static int ialltoallv(const void *sbuf, const int *scounts, const int *sdispls,
                      struct ompi_datatype_t *sdtype, void *rbuf, const int *rcounts,
                      const int *rdispls, struct ompi_datatype_t *rdtype,
                      struct ompi_communicator_t *comm, ompi_request_t **request,
                      mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call =
        mca_coll_ascend_call_vectors(&family_alltoallv, module, comm, sbuf, scounts, sdispls,
                                     sdtype, rbuf, rcounts, rdispls, rdtype);

    return mca_coll_ascend_start(&call, request);
}

static int alltoallv_init(const void *sbuf, const int *scounts, const int *sdispls,
                          struct ompi_datatype_t *sdtype, void *rbuf, const int *rcounts,
                          const int *rdispls, struct ompi_datatype_t *rdtype,
                          struct ompi_communicator_t *comm, struct ompi_info_t *info,
                          ompi_request_t **request, mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call =
        mca_coll_ascend_call_vectors(&family_alltoallv, module, comm, sbuf, scounts, sdispls,
                                     sdtype, rbuf, rcounts, rdispls, rdtype);

    return mca_coll_ascend_init(&call, info, request);
}

static void describe_alltoallw(const mca_coll_ascend_call_t *call, mca_common_ascend_use_t *send,
                               mca_common_ascend_use_t *recv)
{
    const int peers = mca_coll_ascend_peers(call);

    recv->out = (mca_common_ascend_layout_t){.buf = call->rbuf,
                                             .nblocks = peers,
                                             .counts = call->rcounts,
                                             .displs = call->rdispls,
                                             .dtypes = call->rdtypes};
    if (MPI_IN_PLACE == call->sbuf) {
        recv->in = recv->out;
    } else {
        send->in = (mca_common_ascend_layout_t){.buf = call->sbuf,
                                                .nblocks = peers,
                                                .counts = call->scounts,
                                                .displs = call->sdispls,
                                                .dtypes = call->sdtypes};
    }
}

/* Open MPI 4.1's coll/self takes the displacements for extents, not bytes, and
 * would leave our host copies. Moving the pointers instead is right anyway. */
static int invoke_alltoallw_self(const mca_coll_ascend_call_t *call)
{
    const mca_coll_base_comm_coll_t *lower = mca_coll_ascend_lower(call);
    const bool in_place = MPI_IN_PLACE == call->sbuf;
    const int none[1] = {0};

    return lower->coll_alltoallw(
        in_place ? MPI_IN_PLACE : (const char *)call->sbuf + call->sdispls[0], call->scounts, none,
        call->sdtypes, (char *)call->rbuf + call->rdispls[0], call->rcounts, none, call->rdtypes,
        call->comm, lower->coll_alltoallw_module);
}

static int invoke_alltoallw(const mca_coll_ascend_call_t *call)
{
    const mca_coll_base_comm_coll_t *lower = mca_coll_ascend_lower(call);

    if (call->staged && MCA_COLL_ASCEND_BLOCKING == call->form && OMPI_COMM_IS_INTRA(call->comm) &&
        1 == ompi_comm_size(call->comm)) {
        return invoke_alltoallw_self(call);
    }
    switch (call->form) {
    case MCA_COLL_ASCEND_BLOCKING:
        return lower->coll_alltoallw(call->sbuf, call->scounts, call->sdispls, call->sdtypes,
                                     call->rbuf, call->rcounts, call->rdispls, call->rdtypes,
                                     call->comm, lower->coll_alltoallw_module);
    case MCA_COLL_ASCEND_NONBLOCKING:
        return lower->coll_ialltoallw(call->sbuf, call->scounts, call->sdispls, call->sdtypes,
                                      call->rbuf, call->rcounts, call->rdispls, call->rdtypes,
                                      call->comm, call->request, lower->coll_ialltoallw_module);
    default:
        return lower->coll_alltoallw_init(call->sbuf, call->scounts, call->sdispls, call->sdtypes,
                                          call->rbuf, call->rcounts, call->rdispls, call->rdtypes,
                                          call->comm, call->info, call->request,
                                          lower->coll_alltoallw_init_module);
    }
}

static const mca_coll_ascend_family_t family_alltoallw = {
    .kind = MCA_COLL_ASCEND_ALLTOALLW, .describe = describe_alltoallw, .invoke = invoke_alltoallw};

static mca_coll_ascend_call_t call_alltoallw(mca_coll_base_module_t *module,
                                             struct ompi_communicator_t *comm, const void *sbuf,
                                             const int *scounts, const int *sdispls,
                                             struct ompi_datatype_t *const *sdtypes, void *rbuf,
                                             const int *rcounts, const int *rdispls,
                                             struct ompi_datatype_t *const *rdtypes)
{
    return (mca_coll_ascend_call_t){.family = &family_alltoallw,
                                    .module = module,
                                    .comm = comm,
                                    .sbuf = sbuf,
                                    .scounts = scounts,
                                    .sdispls = sdispls,
                                    .sdtypes = sdtypes,
                                    .rbuf = rbuf,
                                    .rcounts = rcounts,
                                    .rdispls = rdispls,
                                    .rdtypes = rdtypes};
}

static int alltoallw(const void *sbuf, const int *scounts, const int *sdispls,
                     struct ompi_datatype_t *const *sdtypes, void *rbuf, const int *rcounts,
                     const int *rdispls, struct ompi_datatype_t *const *rdtypes,
                     struct ompi_communicator_t *comm, mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call = call_alltoallw(module, comm, sbuf, scounts, sdispls, sdtypes,
                                                 rbuf, rcounts, rdispls, rdtypes);

    return mca_coll_ascend_run(&call);
}

static int ialltoallw(const void *sbuf, const int *scounts, const int *sdispls,
                      struct ompi_datatype_t *const *sdtypes, void *rbuf, const int *rcounts,
                      const int *rdispls, struct ompi_datatype_t *const *rdtypes,
                      struct ompi_communicator_t *comm, ompi_request_t **request,
                      mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call = call_alltoallw(module, comm, sbuf, scounts, sdispls, sdtypes,
                                                 rbuf, rcounts, rdispls, rdtypes);

    return mca_coll_ascend_start(&call, request);
}

static int alltoallw_init(const void *sbuf, const int *scounts, const int *sdispls,
                          struct ompi_datatype_t *const *sdtypes, void *rbuf, const int *rcounts,
                          const int *rdispls, struct ompi_datatype_t *const *rdtypes,
                          struct ompi_communicator_t *comm, struct ompi_info_t *info,
                          ompi_request_t **request, mca_coll_base_module_t *module)
{
    mca_coll_ascend_call_t call = call_alltoallw(module, comm, sbuf, scounts, sdispls, sdtypes,
                                                 rbuf, rcounts, rdispls, rdtypes);

    return mca_coll_ascend_init(&call, info, request);
}

void mca_coll_ascend_install_alltoall(mca_coll_base_module_t *module)
{
    module->coll_alltoall = alltoall;
    module->coll_ialltoall = ialltoall;
    module->coll_alltoall_init = alltoall_init;
    module->coll_alltoallv = alltoallv;
    module->coll_ialltoallv = ialltoallv;
    module->coll_alltoallv_init = alltoallv_init;
    module->coll_alltoallw = alltoallw;
    module->coll_ialltoallw = ialltoallw;
    module->coll_alltoallw_init = alltoallw_init;
}
