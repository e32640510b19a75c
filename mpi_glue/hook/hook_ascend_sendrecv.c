/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Sendrecv_replace: Open MPI packs the message with the CPU before it is
 * sent, so here what is sent is a packed copy. MPI_Sendrecv: only so that messages name it, and not
 * its two halves. */
#include "hook_ascend_calls.h"

#include <limits.h>

#include "ompi/errhandler/errhandler.h"

#include "mpi_glue/common/common_ascend_map.h"
#include "mpi_glue/common/common_ascend_packed.h"

static const mca_common_ascend_names_t replace_names = {"MPI_Sendrecv_replace", "message"};

static bool replace_is_ours(const mca_common_ascend_layout_t *layout, int count,
                            struct ompi_datatype_t *dtype, struct ompi_communicator_t *comm)
{
    return count > 0 && NULL != dtype && MPI_DATATYPE_NULL != dtype && !ompi_comm_invalid(comm) &&
           ASC_LINK_MEM_HOST != mca_common_ascend_layout_kind(layout);
}

/* The arguments other than the buffer. */
typedef struct replace {
    int dst, send_tag, src, recv_tag;
    MPI_Comm comm;
    MPI_Status *status;
} replace_t;

/* The message as it is sent, and as it comes, side by side. */
typedef struct sides {
    mca_common_ascend_packed_t out, in;
} sides_t;

static int open_sides(sides_t *sides, const mca_common_ascend_layout_t *layout)
{
    const bool by_device = mca_hook_ascend_component.ucx_active;
    int rc;

    /* in place it would be overwritten while it is sent */
    rc = mca_common_ascend_packed_open(
        &sides->out, layout->buf, layout->count, layout->dtype,
        by_device ? MCA_COMMON_ASCEND_MAY_COPY : MCA_COMMON_ASCEND_MAY_HOST, true, &replace_names);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    rc = mca_common_ascend_packed_open(&sides->in, layout->buf, layout->count, layout->dtype,
                                       by_device ? MCA_COMMON_ASCEND_MAY_DEVICE
                                                 : MCA_COMMON_ASCEND_MAY_HOST,
                                       false, &replace_names);
    if (OMPI_SUCCESS == rc && sides->out.map->bytes > INT_MAX) {
        mca_common_ascend_packed_close(&sides->in);
        rc = OMPI_ERR_NOT_SUPPORTED;
    }
    if (OMPI_SUCCESS != rc) {
        mca_common_ascend_packed_close(&sides->out);
    }
    return rc;
}

/* @a passed gets what the real function returned, of which it has told. */
static int replace_packed(sides_t *sides, const replace_t *args, int *passed)
{
    const int bytes = (int)sides->out.map->bytes;
    MPI_Status got = ompi_status_empty;
    int rc = mca_common_ascend_packed_pack(&sides->out);

    if (OMPI_SUCCESS == rc) {
        *passed = mca_hook_ascend_real.Sendrecv(sides->out.message, bytes, MPI_BYTE, args->dst,
                                                args->send_tag, sides->in.message, bytes, MPI_BYTE,
                                                args->src, args->recv_tag, args->comm, &got);
        if (OMPI_SUCCESS == *passed) {
            rc = mca_common_ascend_packed_finish(&sides->in, got._ucount);
        }
        if (MPI_STATUS_IGNORE != args->status) {
            OMPI_COPY_STATUS(args->status, got, false);
        }
    }
    mca_common_ascend_packed_close(&sides->in);
    mca_common_ascend_packed_close(&sides->out);
    return rc;
}

/* Wrong ones are left to the real function, which has the right name for them. */
static bool arguments_valid(const replace_t *args)
{
    const MPI_Comm comm = args->comm;

    return args->send_tag >= 0 && args->send_tag <= mca_pml.pml_max_tag &&
           (MPI_ANY_TAG == args->recv_tag ||
            (args->recv_tag >= 0 && args->recv_tag <= mca_pml.pml_max_tag)) &&
           (MPI_PROC_NULL == args->dst || !ompi_comm_peer_invalid(comm, args->dst)) &&
           (MPI_PROC_NULL == args->src || MPI_ANY_SOURCE == args->src ||
            !ompi_comm_peer_invalid(comm, args->src));
}

static int replace_staged(const mca_common_ascend_layout_t *layout, const replace_t *args,
                          int *passed)
{
    const mca_common_ascend_use_t use = {*layout, *layout};
    MPI_Status got = ompi_status_empty;
    mca_common_ascend_stage_t stage;
    int rc = mca_common_ascend_stage_open(&stage, &use, &replace_names);

    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    rc = mca_common_ascend_copy_in(&stage, 1);
    if (OMPI_SUCCESS == rc) {
        *passed = mca_hook_ascend_real.Sendrecv_replace(
            mca_common_ascend_stage_host(&stage), (int)layout->count, layout->dtype, args->dst,
            args->send_tag, args->src, args->recv_tag, args->comm, &got);
        if (OMPI_SUCCESS == *passed) {
            rc = mca_common_ascend_copy_out(&stage, 1, got._ucount);
        }
        if (MPI_STATUS_IGNORE != args->status) {
            OMPI_COPY_STATUS(args->status, got, false);
        }
    }
    mca_common_ascend_stage_close(&stage);
    return rc;
}

int mca_hook_ascend_call_Sendrecv_replace(void *buf, int count, MPI_Datatype dtype, int dst,
                                          int send_tag, int src, int recv_tag, MPI_Comm comm,
                                          MPI_Status *status)
{
    const replace_t args = {dst, send_tag, src, recv_tag, comm, status};
    mca_common_ascend_layout_t layout;
    int rc, passed = OMPI_SUCCESS;
    sides_t sides;

    mca_common_ascend_layout_simple(&layout, buf, (size_t)count, dtype);
    if (!replace_is_ours(&layout, count, dtype, comm)) {
        return mca_hook_ascend_real.Sendrecv_replace(buf, count, dtype, dst, send_tag, src,
                                                     recv_tag, comm, status);
    }
    mca_common_ascend_note_device_use();
    rc = arguments_valid(&args) ? open_sides(&sides, &layout) : OMPI_ERR_NOT_SUPPORTED;
    if (OMPI_SUCCESS == rc) {
        rc = replace_packed(&sides, &args, &passed);
    } else if (OMPI_ERR_NOT_SUPPORTED == rc) {
        rc = replace_staged(&layout, &args, &passed);
    }
    /* The real function has told the error handler of its own errors. */
    if (OMPI_SUCCESS == rc) {
        return passed;
    }
    return OMPI_ERRHANDLER_INVOKE(comm, rc, replace_names.call);
}

int mca_hook_ascend_call_Sendrecv(const void *sbuf, int scount, MPI_Datatype sdtype, int dst,
                                  int send_tag, void *rbuf, int rcount, MPI_Datatype rdtype,
                                  int src, int recv_tag, MPI_Comm comm, MPI_Status *status)
{
    int rc;

    mca_hook_ascend_outer = "MPI_Sendrecv";
    rc = mca_hook_ascend_real.Sendrecv(sbuf, scount, sdtype, dst, send_tag, rbuf, rcount, rdtype,
                                       src, recv_tag, comm, status);
    mca_hook_ascend_outer = NULL;
    return rc;
}
