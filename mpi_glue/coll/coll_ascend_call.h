/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * From the arguments of a communicator's functions to a call, for the argument
 * lists that several collectives have. The three forms of a collective make the
 * same call and end in mca_coll_ascend_run(), _start() or _init().
 */
#ifndef MCA_COLL_ASCEND_CALL_H
#define MCA_COLL_ASCEND_CALL_H

#include "coll_ascend.h"

BEGIN_C_DECLS

/** Runs the nonblocking form. */
static inline int mca_coll_ascend_start(mca_coll_ascend_call_t *call, ompi_request_t **request)
{
    call->form = MCA_COLL_ASCEND_NONBLOCKING;
    call->request = request;
    return mca_coll_ascend_run(call);
}

/** Runs the persistent form. */
static inline int mca_coll_ascend_init(mca_coll_ascend_call_t *call, struct ompi_info_t *info,
                                       ompi_request_t **request)
{
    call->form = MCA_COLL_ASCEND_PERSISTENT;
    call->info = info;
    call->request = request;
    return mca_coll_ascend_run(call);
}

static inline mca_coll_ascend_call_t
mca_coll_ascend_call_reduction(const mca_coll_ascend_family_t *family,
                               mca_coll_base_module_t *module, struct ompi_communicator_t *comm,
                               const void *sbuf, void *rbuf, int count,
                               struct ompi_datatype_t *dtype, struct ompi_op_t *op)
{
    return (mca_coll_ascend_call_t){.family = family,
                                    .module = module,
                                    .comm = comm,
                                    .sbuf = sbuf,
                                    .rbuf = rbuf,
                                    .rcount = count,
                                    .rdtype = dtype,
                                    .op = op};
}

/** Data of a reduction whose result has as many elements as its operands. */
static inline void mca_coll_ascend_describe_reduction(const mca_coll_ascend_call_t *call,
                                                      mca_common_ascend_use_t *send,
                                                      mca_common_ascend_use_t *recv)
{
    mca_common_ascend_layout_simple(&recv->out, call->rbuf, (size_t)call->rcount, call->rdtype);
    if (MPI_IN_PLACE == call->sbuf) {
        recv->in = recv->out;
    } else {
        mca_common_ascend_layout_simple(&send->in, call->sbuf, (size_t)call->rcount, call->rdtype);
    }
}

/** Neighbours that are received from and sent to. */
void mca_coll_ascend_degrees(const mca_coll_ascend_call_t *call, int *in, int *out);

/** Equal blocks on both sides. */
static inline mca_coll_ascend_call_t
mca_coll_ascend_call_blocks(const mca_coll_ascend_family_t *family, mca_coll_base_module_t *module,
                            struct ompi_communicator_t *comm, const void *sbuf, int scount,
                            struct ompi_datatype_t *sdtype, void *rbuf, int rcount,
                            struct ompi_datatype_t *rdtype)
{
    return (mca_coll_ascend_call_t){.family = family,
                                    .module = module,
                                    .comm = comm,
                                    .sbuf = sbuf,
                                    .scount = scount,
                                    .sdtype = sdtype,
                                    .rbuf = rbuf,
                                    .rcount = rcount,
                                    .rdtype = rdtype};
}

/** Blocks of their own sizes on the receiving side. */
static inline mca_coll_ascend_call_t
mca_coll_ascend_call_gatherv(const mca_coll_ascend_family_t *family, mca_coll_base_module_t *module,
                             struct ompi_communicator_t *comm, const void *sbuf, int scount,
                             struct ompi_datatype_t *sdtype, void *rbuf, const int *rcounts,
                             const int *rdispls, struct ompi_datatype_t *rdtype)
{
    return (mca_coll_ascend_call_t){.family = family,
                                    .module = module,
                                    .comm = comm,
                                    .sbuf = sbuf,
                                    .scount = scount,
                                    .sdtype = sdtype,
                                    .rbuf = rbuf,
                                    .rcounts = rcounts,
                                    .rdispls = rdispls,
                                    .rdtype = rdtype};
}

/** Blocks of their own sizes on both sides. */
static inline mca_coll_ascend_call_t
mca_coll_ascend_call_vectors(const mca_coll_ascend_family_t *family, mca_coll_base_module_t *module,
                             struct ompi_communicator_t *comm, const void *sbuf, const int *scounts,
                             const int *sdispls, struct ompi_datatype_t *sdtype, void *rbuf,
                             const int *rcounts, const int *rdispls, struct ompi_datatype_t *rdtype)
{
    return (mca_coll_ascend_call_t){.family = family,
                                    .module = module,
                                    .comm = comm,
                                    .sbuf = sbuf,
                                    .scounts = scounts,
                                    .sdispls = sdispls,
                                    .sdtype = sdtype,
                                    .rbuf = rbuf,
                                    .rcounts = rcounts,
                                    .rdispls = rdispls,
                                    .rdtype = rdtype};
}

END_C_DECLS

#endif
