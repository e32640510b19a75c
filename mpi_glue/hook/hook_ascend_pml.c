/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * In front of the selected pml. A host buffer costs one look at its address;
 * a device buffer that UCX moves itself goes through; everything else that
 * would make the CPU touch device memory is staged.
 */
#include "hook_ascend.h"

#include <string.h>

#include "ompi/message/message.h"
#include "opal/datatype/opal_datatype.h"

mca_pml_base_module_t mca_hook_ascend_pml;

/* The question that every message asks. With MPI_BOTTOM the address says
 * nothing, so those go the long way. */
static inline bool is_host(const void *buf, size_t count, struct ompi_datatype_t *dtype)
{
    if (0 == count) {
        return true;
    }
    return OPAL_LIKELY(MPI_BOTTOM != buf) &&
           ASC_LINK_MEM_HOST ==
               asc_link_mem_query((const char *)buf + dtype->super.true_lb, 0, NULL);
}

/* What pml/ucx gives to UCX as plain bytes; anything else it packs by CPU. */
static bool ucx_takes_as_bytes(struct ompi_datatype_t *dtype)
{
    const uint16_t wanted = OPAL_DATATYPE_FLAG_CONTIGUOUS | OPAL_DATATYPE_FLAG_NO_GAPS;

    return wanted == (dtype->super.flags & wanted) && 0 == dtype->super.lb;
}

mca_hook_ascend_route_t mca_hook_ascend_route(const void *buf, size_t count,
                                              struct ompi_datatype_t *dtype, bool buffered,
                                              const mca_common_ascend_names_t *names)
{
    mca_common_ascend_layout_t layout;
    asc_link_mem_kind_t kind;

    mca_common_ascend_layout_simple(&layout, buf, count, dtype);
    kind = mca_common_ascend_layout_kind(&layout);
    if (ASC_LINK_MEM_HOST == kind) {
        return MCA_HOOK_ASCEND_THROUGH;
    }
    mca_common_ascend_note_device_use();
    if (ASC_LINK_MEM_DEVICE == kind && mca_hook_ascend_component.ucx_active && !buffered &&
        ucx_takes_as_bytes(dtype)) {
        kind = asc_link_mem_query(buf, count * dtype->super.size, NULL);
        if (ASC_LINK_MEM_DEVICE == kind) {
            return MCA_HOOK_ASCEND_THROUGH;
        }
    }
    if (ASC_LINK_MEM_BAD == kind) {
        (void)mca_common_ascend_bad_pointer(buf, names);
        return MCA_HOOK_ASCEND_REFUSE;
    }
    return MCA_HOOK_ASCEND_STAGE;
}

static const mca_common_ascend_names_t send_names = {"a send", "send"};
static const mca_common_ascend_names_t recv_names = {"a receive", "receive"};

static int pml_send(const void *buf, size_t count, struct ompi_datatype_t *dtype, int dst, int tag,
                    mca_pml_base_send_mode_t mode, struct ompi_communicator_t *comm)
{
    if (!is_host(buf, count, dtype)) {
        switch (mca_hook_ascend_route(buf, count, dtype, MCA_PML_BASE_SEND_BUFFERED == mode,
                                      &send_names)) {
        case MCA_HOOK_ASCEND_STAGE:
            return mca_hook_ascend_staged_send(buf, count, dtype, dst, tag, mode, comm);
        case MCA_HOOK_ASCEND_REFUSE:
            return MPI_ERR_BUFFER;
        default:
            break;
        }
    }
    return mca_hook_ascend_pml.pml_send(buf, count, dtype, dst, tag, mode, comm);
}

static int pml_recv(void *buf, size_t count, struct ompi_datatype_t *dtype, int src, int tag,
                    struct ompi_communicator_t *comm, ompi_status_public_t *status)
{
    if (!is_host(buf, count, dtype)) {
        switch (mca_hook_ascend_route(buf, count, dtype, false, &recv_names)) {
        case MCA_HOOK_ASCEND_STAGE:
            return mca_hook_ascend_staged_recv(buf, count, dtype, src, tag, comm, status);
        case MCA_HOOK_ASCEND_REFUSE:
            return MPI_ERR_BUFFER;
        default:
            break;
        }
    }
    return mca_hook_ascend_pml.pml_recv(buf, count, dtype, src, tag, comm, status);
}

static int pml_mrecv(void *buf, size_t count, struct ompi_datatype_t *dtype,
                     struct ompi_message_t **message, ompi_status_public_t *status)
{
    if (!is_host(buf, count, dtype)) {
        switch (mca_hook_ascend_route(buf, count, dtype, false, &recv_names)) {
        case MCA_HOOK_ASCEND_STAGE:
            return mca_hook_ascend_staged_mrecv(buf, count, dtype, message, status);
        case MCA_HOOK_ASCEND_REFUSE:
            return MPI_ERR_BUFFER;
        default:
            break;
        }
    }
    return mca_hook_ascend_pml.pml_mrecv(buf, count, dtype, message, status);
}

/* OMPI_SUCCESS: posted, MPI_ERR_*: refused, OMPI_ERR_NOT_AVAILABLE: through. */
static int post(const mca_hook_ascend_post_t *post, ompi_request_t **request)
{
    const bool sends =
        MCA_HOOK_ASCEND_ISEND == post->what || MCA_HOOK_ASCEND_ISEND_INIT == post->what;
    const bool buffered = sends && MCA_PML_BASE_SEND_BUFFERED == post->mode;

    switch (mca_hook_ascend_route(post->buf, post->count, post->dtype, buffered,
                                  sends ? &send_names : &recv_names)) {
    case MCA_HOOK_ASCEND_STAGE:
        return mca_hook_ascend_staged_post(post, request);
    case MCA_HOOK_ASCEND_REFUSE:
        return MPI_ERR_BUFFER;
    default:
        return OMPI_ERR_NOT_AVAILABLE;
    }
}

static int pml_isend(const void *buf, size_t count, struct ompi_datatype_t *dtype, int dst, int tag,
                     mca_pml_base_send_mode_t mode, struct ompi_communicator_t *comm,
                     ompi_request_t **request)
{
    if (!is_host(buf, count, dtype)) {
        const mca_hook_ascend_post_t args = {.what = MCA_HOOK_ASCEND_ISEND,
                                             .buf = buf,
                                             .count = count,
                                             .dtype = dtype,
                                             .peer = dst,
                                             .tag = tag,
                                             .mode = mode,
                                             .comm = comm};
        const int rc = post(&args, request);

        if (OMPI_ERR_NOT_AVAILABLE != rc) {
            return rc;
        }
    }
    return mca_hook_ascend_pml.pml_isend(buf, count, dtype, dst, tag, mode, comm, request);
}

static int pml_isend_init(const void *buf, size_t count, struct ompi_datatype_t *dtype, int dst,
                          int tag, mca_pml_base_send_mode_t mode, struct ompi_communicator_t *comm,
                          ompi_request_t **request)
{
    if (!is_host(buf, count, dtype)) {
        const mca_hook_ascend_post_t args = {.what = MCA_HOOK_ASCEND_ISEND_INIT,
                                             .buf = buf,
                                             .count = count,
                                             .dtype = dtype,
                                             .peer = dst,
                                             .tag = tag,
                                             .mode = mode,
                                             .comm = comm};
        const int rc = post(&args, request);

        if (OMPI_ERR_NOT_AVAILABLE != rc) {
            return rc;
        }
    }
    return mca_hook_ascend_pml.pml_isend_init(buf, count, dtype, dst, tag, mode, comm, request);
}

static int pml_irecv(void *buf, size_t count, struct ompi_datatype_t *dtype, int src, int tag,
                     struct ompi_communicator_t *comm, ompi_request_t **request)
{
    if (!is_host(buf, count, dtype)) {
        const mca_hook_ascend_post_t args = {.what = MCA_HOOK_ASCEND_IRECV,
                                             .buf = buf,
                                             .count = count,
                                             .dtype = dtype,
                                             .peer = src,
                                             .tag = tag,
                                             .comm = comm};
        const int rc = post(&args, request);

        if (OMPI_ERR_NOT_AVAILABLE != rc) {
            return rc;
        }
    }
    return mca_hook_ascend_pml.pml_irecv(buf, count, dtype, src, tag, comm, request);
}

static int pml_irecv_init(void *buf, size_t count, struct ompi_datatype_t *dtype, int src, int tag,
                          struct ompi_communicator_t *comm, ompi_request_t **request)
{
    if (!is_host(buf, count, dtype)) {
        const mca_hook_ascend_post_t args = {.what = MCA_HOOK_ASCEND_IRECV_INIT,
                                             .buf = buf,
                                             .count = count,
                                             .dtype = dtype,
                                             .peer = src,
                                             .tag = tag,
                                             .comm = comm};
        const int rc = post(&args, request);

        if (OMPI_ERR_NOT_AVAILABLE != rc) {
            return rc;
        }
    }
    return mca_hook_ascend_pml.pml_irecv_init(buf, count, dtype, src, tag, comm, request);
}

static int pml_imrecv(void *buf, size_t count, struct ompi_datatype_t *dtype,
                      struct ompi_message_t **message, ompi_request_t **request)
{
    if (!is_host(buf, count, dtype)) {
        const mca_hook_ascend_post_t args = {.what = MCA_HOOK_ASCEND_IMRECV,
                                             .buf = buf,
                                             .count = count,
                                             .dtype = dtype,
                                             .comm = (*message)->comm,
                                             .message = message};
        const int rc = post(&args, request);

        if (OMPI_ERR_NOT_AVAILABLE != rc) {
            return rc;
        }
    }
    return mca_hook_ascend_pml.pml_imrecv(buf, count, dtype, message, request);
}

/* Other components may start requests through the pml; ours have their own. */
static int pml_start(size_t count, ompi_request_t **requests)
{
    int rc = OMPI_SUCCESS;

    for (size_t i = 0; i < count && OMPI_SUCCESS == rc; i++) {
        rc = (mca_common_ascend_request_start == requests[i]->req_start)
                 ? mca_common_ascend_request_start(1, &requests[i])
                 : mca_hook_ascend_pml.pml_start(1, &requests[i]);
    }
    return rc;
}

void mca_hook_ascend_wrap_pml(void)
{
    mca_hook_ascend_pml = mca_pml;
    mca_pml.pml_send = pml_send;
    mca_pml.pml_recv = pml_recv;
    mca_pml.pml_isend = pml_isend;
    mca_pml.pml_irecv = pml_irecv;
    mca_pml.pml_isend_init = pml_isend_init;
    mca_pml.pml_irecv_init = pml_irecv_init;
    mca_pml.pml_mrecv = pml_mrecv;
    mca_pml.pml_imrecv = pml_imrecv;
    mca_pml.pml_start = pml_start;
}

/* Only where nobody has put himself in front of us since. */
void mca_hook_ascend_unwrap_pml(void)
{
    if (pml_send == mca_pml.pml_send && pml_start == mca_pml.pml_start) {
        mca_pml = mca_hook_ascend_pml;
    }
}
