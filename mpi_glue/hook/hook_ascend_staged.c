/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of device memory that the pml cannot be given as they are: packed to
 * contiguous bytes, or, where that cannot be done, through a host copy of the
 * buffer. */
#include "hook_ascend.h"

#include "mpi_glue/common/common_ascend_map.h"
#include "mpi_glue/common/common_ascend_packed.h"

#include "ompi/message/message.h"
#include "opal/util/output.h"

static int open_stage(mca_common_ascend_stage_t *stage, mca_hook_ascend_what_t what,
                      mca_pml_base_send_mode_t mode, const void *buf, size_t count,
                      struct ompi_datatype_t *dtype)
{
    const mca_common_ascend_names_t names = mca_hook_ascend_names(what, mode);
    mca_common_ascend_use_t use = {.in = {.buf = buf}, .out = {.buf = buf}};

    opal_output_verbose(20, mca_hook_ascend_component.output,
                        "hook:ascend: %s of %zu elements at %p staged", names.call, count, buf);
    mca_common_ascend_layout_simple(what < MCA_HOOK_ASCEND_SENDS ? &use.in : &use.out, buf, count,
                                    dtype);
    return mca_common_ascend_stage_open(stage, &use, &names);
}

static int open_packed(mca_common_ascend_packed_t *packed, mca_hook_ascend_what_t what,
                       mca_pml_base_send_mode_t mode, const void *buf, size_t count,
                       struct ompi_datatype_t *dtype)
{
    const mca_common_ascend_names_t names = mca_hook_ascend_names(what, mode);
    const mca_common_ascend_may_t may =
        (mca_hook_ascend_component.ucx_active && MCA_PML_BASE_SEND_BUFFERED != mode)
            ? MCA_COMMON_ASCEND_MAY_DEVICE
            : MCA_COMMON_ASCEND_MAY_HOST;
    const int rc = mca_common_ascend_packed_open(packed, buf, count, dtype, may,
                                                 what < MCA_HOOK_ASCEND_SENDS, &names);

    if (OMPI_SUCCESS == rc) {
        opal_output_verbose(20, mca_hook_ascend_component.output,
                            "hook:ascend: %s of %zu elements at %p: %zu bytes in %zu rows of %zu "
                            "blocks, packed %s",
                            names.call, count, buf, packed->map->bytes, packed->map->nrows,
                            packed->map->nblocks,
                            (MCA_COMMON_ASCEND_IN_PLACE == packed->where)    ? "already"
                            : (MCA_COMMON_ASCEND_ON_DEVICE == packed->where) ? "on the device"
                                                                             : "on the host");
    }
    return rc;
}

static int packed_send(mca_common_ascend_packed_t *packed, int dst, int tag,
                       mca_pml_base_send_mode_t mode, struct ompi_communicator_t *comm)
{
    int rc = mca_common_ascend_packed_pack(packed);

    if (OMPI_SUCCESS == rc) {
        rc = mca_hook_ascend_pml.pml_send(packed->message, packed->map->bytes, MPI_BYTE, dst, tag,
                                          mode, comm);
    }
    mca_common_ascend_packed_close(packed);
    return rc;
}

int mca_hook_ascend_staged_send(const void *buf, size_t count, struct ompi_datatype_t *dtype,
                                int dst, int tag, mca_pml_base_send_mode_t mode,
                                struct ompi_communicator_t *comm)
{
    mca_common_ascend_packed_t packed;
    mca_common_ascend_stage_t stage;
    int rc = open_packed(&packed, MCA_HOOK_ASCEND_SEND, mode, buf, count, dtype);

    if (OMPI_SUCCESS == rc) {
        return packed_send(&packed, dst, tag, mode, comm);
    }
    if (OMPI_ERR_NOT_SUPPORTED == rc) {
        rc = open_stage(&stage, MCA_HOOK_ASCEND_SEND, mode, buf, count, dtype);
    }
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    rc = mca_common_ascend_copy_in(&stage, 1);
    if (OMPI_SUCCESS == rc) {
        rc = mca_hook_ascend_host_send(mca_common_ascend_stage_host(&stage), count, dtype, dst, tag,
                                       mode, comm);
    }
    mca_common_ascend_stage_close(&stage);
    return rc;
}

static int finish_recv(mca_common_ascend_stage_t *stage, int rc, const ompi_status_public_t *got,
                       ompi_status_public_t *status)
{
    if (OMPI_SUCCESS == rc) {
        /* The bytes that came, and no more: what lies behind them stays as it was. */
        rc = mca_common_ascend_copy_out(stage, 1, got->_ucount);
    }
    if (MPI_STATUS_IGNORE != status) {
        OMPI_COPY_STATUS(status, *got, false);
    }
    mca_common_ascend_stage_close(stage);
    return rc;
}

/* The bytes that came, and no more. */
static int packed_finish(mca_common_ascend_packed_t *packed, int rc,
                         const ompi_status_public_t *got, ompi_status_public_t *status)
{
    if (OMPI_SUCCESS == rc) {
        rc = mca_common_ascend_packed_finish(packed, got->_ucount);
    }
    if (MPI_STATUS_IGNORE != status) {
        OMPI_COPY_STATUS(status, *got, false);
    }
    mca_common_ascend_packed_close(packed);
    return rc;
}

int mca_hook_ascend_staged_recv(void *buf, size_t count, struct ompi_datatype_t *dtype, int src,
                                int tag, struct ompi_communicator_t *comm,
                                ompi_status_public_t *status)
{
    ompi_status_public_t got = ompi_status_empty;
    mca_common_ascend_packed_t packed;
    mca_common_ascend_stage_t stage;
    int rc = open_packed(&packed, MCA_HOOK_ASCEND_RECV, MCA_HOOK_ASCEND_NO_MODE, buf, count, dtype);

    if (OMPI_SUCCESS == rc) {
        rc = mca_hook_ascend_pml.pml_recv(packed.message, packed.map->bytes, MPI_BYTE, src, tag,
                                          comm, &got);
        return packed_finish(&packed, rc, &got, status);
    }
    if (OMPI_ERR_NOT_SUPPORTED == rc) {
        rc = open_stage(&stage, MCA_HOOK_ASCEND_RECV, MCA_HOOK_ASCEND_NO_MODE, buf, count, dtype);
    }
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    rc = mca_hook_ascend_host_recv(mca_common_ascend_stage_host(&stage), count, dtype, src, tag,
                                   comm, &got);
    return finish_recv(&stage, rc, &got, status);
}

int mca_hook_ascend_staged_mrecv(void *buf, size_t count, struct ompi_datatype_t *dtype,
                                 struct ompi_message_t **message, ompi_status_public_t *status)
{
    ompi_status_public_t got = ompi_status_empty;
    mca_common_ascend_packed_t packed;
    mca_common_ascend_stage_t stage;
    int rc =
        open_packed(&packed, MCA_HOOK_ASCEND_MRECV, MCA_HOOK_ASCEND_NO_MODE, buf, count, dtype);

    if (OMPI_SUCCESS == rc) {
        rc = mca_hook_ascend_pml.pml_mrecv(packed.message, packed.map->bytes, MPI_BYTE, message,
                                           &got);
        return packed_finish(&packed, rc, &got, status);
    }
    if (OMPI_ERR_NOT_SUPPORTED == rc) {
        rc = open_stage(&stage, MCA_HOOK_ASCEND_MRECV, MCA_HOOK_ASCEND_NO_MODE, buf, count, dtype);
    }
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    rc = mca_hook_ascend_host_mrecv(mca_common_ascend_stage_host(&stage), count, dtype, message,
                                    &got);
    return finish_recv(&stage, rc, &got, status);
}

static int post_once(const mca_hook_ascend_post_t *post, const void *buf, ompi_request_t **request)
{
    const mca_pml_base_module_t *pml = &mca_hook_ascend_pml;

    switch (post->what) {
    case MCA_HOOK_ASCEND_ISEND:
        return pml->pml_isend(buf, post->count, post->dtype, post->peer, post->tag, post->mode,
                              post->comm, request);
    case MCA_HOOK_ASCEND_IRECV:
        return pml->pml_irecv((void *)buf, post->count, post->dtype, post->peer, post->tag,
                              post->comm, request);
    default:
        return pml->pml_imrecv((void *)buf, post->count, post->dtype, post->message, request);
    }
}

/* Device memory is looked at again when the request is started. */
static int post_persistent(const mca_hook_ascend_post_t *post, const void *buf,
                           ompi_request_t **request)
{
    const mca_common_ascend_names_t names = mca_hook_ascend_names(post->what, post->mode);
    const mca_pml_base_module_t *pml = &mca_hook_ascend_pml;
    int rc;

    if (MCA_HOOK_ASCEND_ISEND_INIT == post->what) {
        rc = pml->pml_isend_init(buf, post->count, post->dtype, post->peer, post->tag, post->mode,
                                 post->comm, request);
    } else {
        rc = pml->pml_irecv_init((void *)buf, post->count, post->dtype, post->peer, post->tag,
                                 post->comm, request);
    }
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    if (ASC_LINK_MEM_DEVICE != asc_link_mem_query(buf, 0, NULL)) {
        mca_hook_ascend_forget_buffer(*request);
        return rc;
    }
    rc = mca_hook_ascend_note_buffer(*request, buf, post->count * post->dtype->super.size, &names);
    if (OMPI_SUCCESS != rc) {
        (void)ompi_request_free(request);
    }
    return rc;
}

int mca_hook_ascend_post(const mca_hook_ascend_post_t *post, const void *buf,
                         ompi_request_t **request)
{
    const bool persistent =
        MCA_HOOK_ASCEND_ISEND_INIT == post->what || MCA_HOOK_ASCEND_IRECV_INIT == post->what;

    return persistent ? post_persistent(post, buf, request) : post_once(post, buf, request);
}

static int post_packed(const mca_common_ascend_packed_t *packed, const mca_hook_ascend_post_t *post,
                       ompi_request_t **request)
{
    mca_hook_ascend_post_t bytes = *post;

    bytes.count = packed->map->bytes;
    bytes.dtype = MPI_BYTE;
    return mca_hook_ascend_post(&bytes, packed->message, request);
}

static mca_common_ascend_request_t *new_request(const mca_hook_ascend_post_t *post)
{
    const bool persistent =
        MCA_HOOK_ASCEND_ISEND_INIT == post->what || MCA_HOOK_ASCEND_IRECV_INIT == post->what;
    mca_common_ascend_request_t *request = mca_common_ascend_request_new(post->comm, persistent);

    if (NULL != request) {
        request->super.super.req_type = OMPI_REQUEST_PML;
        request->p2p = true;
        request->names = mca_hook_ascend_names(post->what, post->mode);
    }
    return request;
}

/* Takes over @a packed. */
static int give_packed(const mca_common_ascend_packed_t *packed, const mca_hook_ascend_post_t *post,
                       ompi_request_t **user)
{
    mca_common_ascend_request_t *request = new_request(post);
    int rc = OMPI_SUCCESS;

    if (NULL == request) {
        mca_common_ascend_packed_t dropped = *packed;

        mca_common_ascend_packed_close(&dropped);
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    request->packed = *packed;
    if (MCA_HOOK_ASCEND_ISEND == post->what) {
        rc = mca_common_ascend_packed_pack(&request->packed);
    }
    if (OMPI_SUCCESS == rc) {
        rc = post_packed(&request->packed, post, &request->inner);
    }
    return mca_common_ascend_request_give(request, rc, user);
}

static int give_staged(const mca_hook_ascend_post_t *post, ompi_request_t **user)
{
    mca_common_ascend_request_t *request = new_request(post);
    int rc;

    if (NULL == request) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    request->dtype = post->dtype;
    OBJ_RETAIN(request->dtype);
    rc = open_stage(&request->stages[0], post->what, post->mode, post->buf, post->count,
                    post->dtype);
    if (OMPI_SUCCESS == rc && MCA_HOOK_ASCEND_ISEND == post->what) {
        rc = mca_common_ascend_copy_in(&request->stages[0], 1);
    }
    if (OMPI_SUCCESS == rc) {
        rc = mca_hook_ascend_host_post(post, mca_common_ascend_stage_host(&request->stages[0]),
                                       &request->inner);
    }
    return mca_common_ascend_request_give(request, rc, user);
}

int mca_hook_ascend_staged_post(const mca_hook_ascend_post_t *post, ompi_request_t **user)
{
    mca_common_ascend_packed_t packed;
    int rc = open_packed(&packed, post->what, post->mode, post->buf, post->count, post->dtype);

    if (OMPI_ERR_NOT_SUPPORTED == rc) {
        return give_staged(post, user);
    }
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    if (MCA_COMMON_ASCEND_IN_PLACE == packed.where) {
        rc = post_packed(&packed, post, user);
        mca_common_ascend_packed_close(&packed);
        return rc;
    }
    return give_packed(&packed, post, user);
}
