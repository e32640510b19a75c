/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Sendrecv_replace: Open MPI packs the message with the CPU before it is
 * sent. MPI_Sendrecv: only so that messages name it, and not its two halves. */
#include "hook_ascend_calls.h"

#include "ompi/errhandler/errhandler.h"

static const mca_common_ascend_names_t replace_names = {"MPI_Sendrecv_replace", "message"};

static bool replace_is_ours(const mca_common_ascend_layout_t *layout, int count,
                            struct ompi_datatype_t *dtype, struct ompi_communicator_t *comm)
{
    return count > 0 && NULL != dtype && MPI_DATATYPE_NULL != dtype && !ompi_comm_invalid(comm) &&
           ASC_LINK_MEM_HOST != mca_common_ascend_layout_kind(layout);
}

int mca_hook_ascend_call_Sendrecv_replace(void *buf, int count, MPI_Datatype dtype, int dst,
                                          int send_tag, int src, int recv_tag, MPI_Comm comm,
                                          MPI_Status *status)
{
    MPI_Status got = ompi_status_empty;
    mca_common_ascend_stage_t stage;
    mca_common_ascend_use_t use;
    int rc, passed = OMPI_SUCCESS;

    mca_common_ascend_layout_simple(&use.in, buf, (size_t)count, dtype);
    if (!replace_is_ours(&use.in, count, dtype, comm)) {
        return mca_hook_ascend_real.Sendrecv_replace(buf, count, dtype, dst, send_tag, src,
                                                     recv_tag, comm, status);
    }
    mca_common_ascend_note_device_use();
    use.out = use.in;
    rc = mca_common_ascend_stage_open(&stage, &use, &replace_names);
    if (OMPI_SUCCESS != rc) {
        return OMPI_ERRHANDLER_INVOKE(comm, rc, replace_names.call);
    }
    rc = mca_common_ascend_copy_in(&stage, 1);
    if (OMPI_SUCCESS == rc) {
        passed =
            mca_hook_ascend_real.Sendrecv_replace(mca_common_ascend_stage_host(&stage), count,
                                                  dtype, dst, send_tag, src, recv_tag, comm, &got);
        if (OMPI_SUCCESS == passed) {
            rc = mca_common_ascend_copy_out(&stage, 1, got._ucount);
        }
        if (MPI_STATUS_IGNORE != status) {
            OMPI_COPY_STATUS(status, got, false);
        }
    }
    mca_common_ascend_stage_close(&stage);
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
