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
               asc_link_mem_query((const char *)buf + dtype->super.true_lb, 0, NULL) &&
           !mca_hook_ascend_far_origin(buf, dtype);
}

/* What pml/ucx gives to UCX as plain bytes; anything else it packs by CPU. */
static bool ucx_takes_as_bytes(struct ompi_datatype_t *dtype)
{
    const uint16_t wanted = OPAL_DATATYPE_FLAG_CONTIGUOUS | OPAL_DATATYPE_FLAG_NO_GAPS;

    return wanted == (dtype->super.flags & wanted) && 0 == dtype->super.lb;
}

/* By function and mode; a receive has no mode. */
static const char *const calls[][MCA_PML_BASE_SEND_SIZE] = {
    [MCA_HOOK_ASCEND_SEND] = {[MCA_PML_BASE_SEND_STANDARD] = "MPI_Send",
                              [MCA_PML_BASE_SEND_BUFFERED] = "MPI_Bsend",
                              [MCA_PML_BASE_SEND_SYNCHRONOUS] = "MPI_Ssend",
                              [MCA_PML_BASE_SEND_READY] = "MPI_Rsend"},
    [MCA_HOOK_ASCEND_ISEND] = {[MCA_PML_BASE_SEND_STANDARD] = "MPI_Isend",
                               [MCA_PML_BASE_SEND_BUFFERED] = "MPI_Ibsend",
                               [MCA_PML_BASE_SEND_SYNCHRONOUS] = "MPI_Issend",
                               [MCA_PML_BASE_SEND_READY] = "MPI_Irsend"},
    [MCA_HOOK_ASCEND_ISEND_INIT] = {[MCA_PML_BASE_SEND_STANDARD] = "MPI_Send_init",
                                    [MCA_PML_BASE_SEND_BUFFERED] = "MPI_Bsend_init",
                                    [MCA_PML_BASE_SEND_SYNCHRONOUS] = "MPI_Ssend_init",
                                    [MCA_PML_BASE_SEND_READY] = "MPI_Rsend_init"},
    [MCA_HOOK_ASCEND_RECV] = {[MCA_HOOK_ASCEND_NO_MODE] = "MPI_Recv"},
    [MCA_HOOK_ASCEND_IRECV] = {[MCA_HOOK_ASCEND_NO_MODE] = "MPI_Irecv"},
    [MCA_HOOK_ASCEND_IRECV_INIT] = {[MCA_HOOK_ASCEND_NO_MODE] = "MPI_Recv_init"},
    [MCA_HOOK_ASCEND_MRECV] = {[MCA_HOOK_ASCEND_NO_MODE] = "MPI_Mrecv"},
    [MCA_HOOK_ASCEND_IMRECV] = {[MCA_HOOK_ASCEND_NO_MODE] = "MPI_Imrecv"},
};

__thread const char *mca_hook_ascend_outer;

mca_common_ascend_names_t mca_hook_ascend_names(mca_hook_ascend_what_t what,
                                                mca_pml_base_send_mode_t mode)
{
    const char *call = (NULL != mca_hook_ascend_outer) ? mca_hook_ascend_outer : calls[what][mode];

    return (mca_common_ascend_names_t){
        .call = (NULL != call) ? call : calls[what][MCA_PML_BASE_SEND_STANDARD],
        .argument = (what < MCA_HOOK_ASCEND_SENDS) ? "send" : "receive"};
}

typedef enum route {
    THROUGH, /* the pml may have the buffer as it is */
    MOVE,    /* host memory, to be described from another address */
    STAGE,   /* it needs a host copy */
    REFUSE   /* a bad pointer, the user has been told */
} route_t;

/* For device or odd buffers; host buffers are decided before the call. */
static route_t route(mca_hook_ascend_what_t what, mca_pml_base_send_mode_t mode, const void *buf,
                     size_t count, struct ompi_datatype_t *dtype)
{
    mca_common_ascend_layout_t layout;
    mca_common_ascend_names_t names;
    asc_link_mem_kind_t kind;

    mca_common_ascend_layout_simple(&layout, buf, count, dtype);
    kind = mca_common_ascend_layout_kind(&layout);
    if (ASC_LINK_MEM_HOST == kind) {
        return mca_hook_ascend_far_origin(buf, dtype) ? MOVE : THROUGH;
    }
    mca_common_ascend_note_device_use();
    if (ASC_LINK_MEM_DEVICE == kind && mca_hook_ascend_component.ucx_active &&
        MCA_PML_BASE_SEND_BUFFERED != mode && ucx_takes_as_bytes(dtype)) {
        kind = asc_link_mem_query(buf, count * dtype->super.size, NULL);
        if (ASC_LINK_MEM_DEVICE == kind) {
            return THROUGH;
        }
    }
    if (ASC_LINK_MEM_BAD == kind) {
        names = mca_hook_ascend_names(what, mode);
        (void)mca_common_ascend_bad_pointer(buf, &names);
        return REFUSE;
    }
    return STAGE;
}

static int pml_send(const void *buf, size_t count, struct ompi_datatype_t *dtype, int dst, int tag,
                    mca_pml_base_send_mode_t mode, struct ompi_communicator_t *comm)
{
    if (!is_host(buf, count, dtype)) {
        switch (route(MCA_HOOK_ASCEND_SEND, mode, buf, count, dtype)) {
        case MOVE:
            return mca_hook_ascend_host_send(buf, count, dtype, dst, tag, mode, comm);
        case STAGE:
            return mca_hook_ascend_staged_send(buf, count, dtype, dst, tag, mode, comm);
        case REFUSE:
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
        switch (route(MCA_HOOK_ASCEND_RECV, MCA_HOOK_ASCEND_NO_MODE, buf, count, dtype)) {
        case MOVE:
            return mca_hook_ascend_host_recv(buf, count, dtype, src, tag, comm, status);
        case STAGE:
            return mca_hook_ascend_staged_recv(buf, count, dtype, src, tag, comm, status);
        case REFUSE:
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
        switch (route(MCA_HOOK_ASCEND_MRECV, MCA_HOOK_ASCEND_NO_MODE, buf, count, dtype)) {
        case MOVE:
            return mca_hook_ascend_host_mrecv(buf, count, dtype, message, status);
        case STAGE:
            return mca_hook_ascend_staged_mrecv(buf, count, dtype, message, status);
        case REFUSE:
            return MPI_ERR_BUFFER;
        default:
            break;
        }
    }
    return mca_hook_ascend_pml.pml_mrecv(buf, count, dtype, message, status);
}

static int post(const mca_hook_ascend_post_t *post, ompi_request_t **request)
{
    switch (route(post->what, post->mode, post->buf, post->count, post->dtype)) {
    case MOVE:
        return mca_hook_ascend_host_post(post, post->buf, request);
    case STAGE:
        return mca_hook_ascend_staged_post(post, request);
    case REFUSE:
        return MPI_ERR_BUFFER;
    default:
        return mca_hook_ascend_post(post, post->buf, request);
    }
}

static int post_message(mca_hook_ascend_what_t what, const void *buf, size_t count,
                        struct ompi_datatype_t *dtype, int peer, int tag,
                        mca_pml_base_send_mode_t mode, struct ompi_communicator_t *comm,
                        ompi_request_t **request)
{
    const mca_hook_ascend_post_t args = {.what = what,
                                         .buf = buf,
                                         .count = count,
                                         .dtype = dtype,
                                         .peer = peer,
                                         .tag = tag,
                                         .mode = mode,
                                         .comm = comm};

    return post(&args, request);
}

static int pml_isend(const void *buf, size_t count, struct ompi_datatype_t *dtype, int dst, int tag,
                     mca_pml_base_send_mode_t mode, struct ompi_communicator_t *comm,
                     ompi_request_t **request)
{
    if (!is_host(buf, count, dtype)) {
        return post_message(MCA_HOOK_ASCEND_ISEND, buf, count, dtype, dst, tag, mode, comm,
                            request);
    }
    return mca_hook_ascend_pml.pml_isend(buf, count, dtype, dst, tag, mode, comm, request);
}

static int pml_isend_init(const void *buf, size_t count, struct ompi_datatype_t *dtype, int dst,
                          int tag, mca_pml_base_send_mode_t mode, struct ompi_communicator_t *comm,
                          ompi_request_t **request)
{
    int rc;

    if (!is_host(buf, count, dtype)) {
        return post_message(MCA_HOOK_ASCEND_ISEND_INIT, buf, count, dtype, dst, tag, mode, comm,
                            request);
    }
    rc = mca_hook_ascend_pml.pml_isend_init(buf, count, dtype, dst, tag, mode, comm, request);
    if (OMPI_SUCCESS == rc) {
        mca_hook_ascend_forget_buffer(*request);
    }
    return rc;
}

static int pml_irecv(void *buf, size_t count, struct ompi_datatype_t *dtype, int src, int tag,
                     struct ompi_communicator_t *comm, ompi_request_t **request)
{
    if (!is_host(buf, count, dtype)) {
        return post_message(MCA_HOOK_ASCEND_IRECV, buf, count, dtype, src, tag,
                            MCA_HOOK_ASCEND_NO_MODE, comm, request);
    }
    return mca_hook_ascend_pml.pml_irecv(buf, count, dtype, src, tag, comm, request);
}

static int pml_irecv_init(void *buf, size_t count, struct ompi_datatype_t *dtype, int src, int tag,
                          struct ompi_communicator_t *comm, ompi_request_t **request)
{
    int rc;

    if (!is_host(buf, count, dtype)) {
        return post_message(MCA_HOOK_ASCEND_IRECV_INIT, buf, count, dtype, src, tag,
                            MCA_HOOK_ASCEND_NO_MODE, comm, request);
    }
    rc = mca_hook_ascend_pml.pml_irecv_init(buf, count, dtype, src, tag, comm, request);
    if (OMPI_SUCCESS == rc) {
        mca_hook_ascend_forget_buffer(*request);
    }
    return rc;
}

static int pml_imrecv(void *buf, size_t count, struct ompi_datatype_t *dtype,
                      struct ompi_message_t **message, ompi_request_t **request)
{
    if (!is_host(buf, count, dtype)) {
        const mca_hook_ascend_post_t args = {.what = MCA_HOOK_ASCEND_IMRECV,
                                             .buf = buf,
                                             .count = count,
                                             .dtype = dtype,
                                             .mode = MCA_HOOK_ASCEND_NO_MODE,
                                             .comm = (*message)->comm,
                                             .message = message};

        return post(&args, request);
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

/* Each function at once: other threads may be calling the pml. */
#define WRAP(_name) __atomic_store_n(&mca_pml.pml_##_name, pml_##_name, __ATOMIC_RELEASE)

static void wrap(void *unused)
{
    (void)unused;
    mca_hook_ascend_pml = mca_pml;
    WRAP(send);
    WRAP(recv);
    WRAP(isend);
    WRAP(irecv);
    WRAP(isend_init);
    WRAP(irecv_init);
    WRAP(mrecv);
    WRAP(imrecv);
    WRAP(start);
}

void mca_hook_ascend_wrap_pml(void)
{
    mca_hook_ascend_pml = mca_pml;
    asc_link_on_first_use(wrap, NULL);
}

/* Only where nobody has put himself in front of us since. */
void mca_hook_ascend_unwrap_pml(void)
{
    asc_link_first_use_forget(wrap, NULL);
    if (pml_send == mca_pml.pml_send && pml_start == mca_pml.pml_start) {
        mca_pml = mca_hook_ascend_pml;
    }
}
