/* SPDX-License-Identifier: BSD-3-Clause */
/* Host buffers whose type begins far from their address, as with MPI_BOTTOM:
 * pml/ucx gives UCX that address, and UCX asks which memory is there, not where
 * the data are. For a host copy of a device buffer it may be anything, even
 * device memory. So UCX is given the address of the first byte, and the type is
 * moved back by as much. */
#include "hook_ascend.h"

#include "ompi/message/message.h"

bool mca_hook_ascend_far_origin(const void *buf, struct ompi_datatype_t *dtype)
{
    return 0 != dtype->super.true_lb && mca_hook_ascend_component.ucx_active &&
           ASC_LINK_MEM_HOST != asc_link_mem_query(buf, 0, NULL);
}

typedef struct origin {
    const void *buf;
    struct ompi_datatype_t *dtype;
    bool moved;
} origin_t;

static int move_type(struct ompi_datatype_t *dtype, struct ompi_datatype_t **moved)
{
    const ptrdiff_t back = -dtype->super.true_lb;
    struct ompi_datatype_t *shifted = NULL;
    ptrdiff_t lb, extent;
    const int one = 1;
    int rc;

    (void)ompi_datatype_get_extent(dtype, &lb, &extent);
    rc = ompi_datatype_create_hindexed(1, &one, &back, dtype, &shifted);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    /* With an extent of its own it would be padded anew. */
    rc = ompi_datatype_create_resized(shifted, lb + back, extent, moved);
    (void)ompi_datatype_destroy(&shifted);
    return (OMPI_SUCCESS == rc) ? ompi_datatype_commit(moved) : rc;
}

static int origin_open(origin_t *origin, const void *buf, struct ompi_datatype_t *dtype)
{
    *origin = (origin_t){.buf = buf, .dtype = dtype};
    if (OPAL_LIKELY(!mca_hook_ascend_far_origin(buf, dtype))) {
        return OMPI_SUCCESS;
    }
    origin->buf = (const void *)((uintptr_t)buf + (uintptr_t)dtype->super.true_lb);
    origin->moved = true;
    return move_type(dtype, &origin->dtype);
}

/* What is under way holds the type. */
static void origin_close(origin_t *origin)
{
    if (origin->moved) {
        (void)ompi_datatype_destroy(&origin->dtype);
    }
}

int mca_hook_ascend_host_send(const void *buf, size_t count, struct ompi_datatype_t *dtype, int dst,
                              int tag, mca_pml_base_send_mode_t mode,
                              struct ompi_communicator_t *comm)
{
    origin_t origin;
    int rc = origin_open(&origin, buf, dtype);

    if (OMPI_SUCCESS == rc) {
        rc = mca_hook_ascend_pml.pml_send(origin.buf, count, origin.dtype, dst, tag, mode, comm);
        origin_close(&origin);
    }
    return rc;
}

int mca_hook_ascend_host_recv(void *buf, size_t count, struct ompi_datatype_t *dtype, int src,
                              int tag, struct ompi_communicator_t *comm,
                              ompi_status_public_t *status)
{
    origin_t origin;
    int rc = origin_open(&origin, buf, dtype);

    if (OMPI_SUCCESS == rc) {
        rc = mca_hook_ascend_pml.pml_recv((void *)origin.buf, count, origin.dtype, src, tag, comm,
                                          status);
        origin_close(&origin);
    }
    return rc;
}

int mca_hook_ascend_host_mrecv(void *buf, size_t count, struct ompi_datatype_t *dtype,
                               struct ompi_message_t **message, ompi_status_public_t *status)
{
    origin_t origin;
    int rc = origin_open(&origin, buf, dtype);

    if (OMPI_SUCCESS == rc) {
        rc =
            mca_hook_ascend_pml.pml_mrecv((void *)origin.buf, count, origin.dtype, message, status);
        origin_close(&origin);
    }
    return rc;
}

int mca_hook_ascend_host_post(const mca_hook_ascend_post_t *post, const void *buf,
                              ompi_request_t **request)
{
    mca_hook_ascend_post_t moved = *post;
    origin_t origin;
    int rc = origin_open(&origin, buf, post->dtype);

    if (OMPI_SUCCESS == rc) {
        moved.dtype = origin.dtype;
        rc = mca_hook_ascend_post(&moved, origin.buf, request);
        origin_close(&origin);
    }
    return rc;
}
