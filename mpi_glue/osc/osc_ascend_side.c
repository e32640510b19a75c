/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffers of the origin as contiguous bytes. */
#include "osc_ascend.h"

#include <stdlib.h>
#include <string.h>

#include "opal/datatype/opal_convertor.h"

void *mca_osc_ascend_memory_get(size_t size, const char *call, bool *pageable)
{
    void *memory = NULL;
    const asc_status_t status = asc_link_pinned_get(size, &memory);

    *pageable = ASC_OK != status;
    if (*pageable) {
        memory = malloc(size);
        mca_common_ascend_not_pinned(call, size, status);
    }
    return memory;
}

void mca_osc_ascend_memory_put(void *memory, size_t size, bool pageable)
{
    if (pageable) {
        free(memory);
    } else {
        asc_link_pinned_put(memory, size);
    }
}

int mca_osc_ascend_convert(void *buf, size_t count, struct ompi_datatype_t *dtype, void *bytes,
                           size_t len, bool pack)
{
    struct iovec iov = {.iov_base = bytes, .iov_len = len};
    opal_convertor_t convertor;
    uint32_t n = 1;
    int rc;

    OBJ_CONSTRUCT(&convertor, opal_convertor_t);
    rc = pack ? opal_convertor_copy_and_prepare_for_send(ompi_mpi_local_convertor, &dtype->super,
                                                         count, buf, 0, &convertor)
              : opal_convertor_copy_and_prepare_for_recv(ompi_mpi_local_convertor, &dtype->super,
                                                         count, buf, 0, &convertor);
    if (OPAL_SUCCESS == rc) {
        (void)(pack ? opal_convertor_pack(&convertor, &iov, &n, &len)
                    : opal_convertor_unpack(&convertor, &iov, &n, &len));
    }
    OBJ_DESTRUCT(&convertor);
    return (OPAL_SUCCESS == rc) ? OMPI_SUCCESS : OMPI_ERROR;
}

/* What the CPU sees of the buffer. */
static void *host_view(const mca_osc_ascend_side_t *side)
{
    return (NULL != side->stage.memory) ? mca_common_ascend_stage_host(&side->stage)
                                        : (void *)side->buf;
}

static int open_host(mca_osc_ascend_side_t *side, const mca_common_ascend_names_t *names)
{
    char *host = host_view(side);

    if (opal_datatype_is_contiguous_memory_layout(&side->dtype->super, (int32_t)2) ||
        (1 == side->count && opal_datatype_is_contiguous_memory_layout(&side->dtype->super, 1))) {
        side->message = host + side->dtype->super.true_lb;
        side->in_place = NULL == side->stage.memory;
        return OMPI_SUCCESS;
    }
    side->memory = mca_osc_ascend_memory_get(side->bytes, names->call, &side->pageable);
    if (NULL == side->memory) {
        return MPI_ERR_NO_MEM;
    }
    side->message = side->memory;
    return side->sends ? mca_osc_ascend_convert(host, side->count, side->dtype, side->memory,
                                                side->bytes, true)
                       : OMPI_SUCCESS;
}

static int open_staged(mca_osc_ascend_side_t *side, const mca_common_ascend_names_t *names)
{
    mca_common_ascend_use_t use;
    int rc;

    memset(&use, 0, sizeof(use));
    mca_common_ascend_layout_simple(&use.in, side->buf, side->count, side->dtype);
    if (!side->sends) {
        use.out = use.in;
    }
    rc = mca_common_ascend_stage_open(&side->stage, &use, names);
    if (OMPI_SUCCESS == rc) {
        rc = mca_common_ascend_copy_in(&side->stage, 1);
    }
    return (OMPI_SUCCESS == rc) ? open_host(side, names) : rc;
}

static int open_device(mca_osc_ascend_side_t *side, mca_common_ascend_may_t may,
                       const mca_common_ascend_names_t *names)
{
    int rc = mca_common_ascend_packed_open(&side->packed, side->buf, side->count, side->dtype, may,
                                           side->sends, names);

    if (OMPI_ERR_NOT_SUPPORTED == rc) {
        return open_staged(side, names);
    }
    if (OMPI_SUCCESS == rc) {
        side->message = mca_common_ascend_packed_message(&side->packed);
        side->in_place = MCA_COMMON_ASCEND_IN_PLACE == side->packed.where;
        rc = mca_common_ascend_packed_pack(&side->packed);
    }
    return rc;
}

int mca_osc_ascend_side_open(mca_osc_ascend_side_t *side, const void *buf, size_t count,
                             struct ompi_datatype_t *dtype, mca_common_ascend_may_t may, bool sends,
                             const mca_common_ascend_names_t *names)
{
    mca_common_ascend_layout_t layout;
    asc_link_mem_kind_t kind;
    int rc;

    memset(side, 0, sizeof(*side));
    side->buf = buf;
    side->count = count;
    side->dtype = dtype;
    side->sends = sends;
    ompi_datatype_type_size(dtype, &side->bytes);
    side->bytes *= count;
    if (0 == side->bytes) {
        return OMPI_SUCCESS;
    }
    mca_common_ascend_layout_simple(&layout, buf, count, dtype);
    kind = mca_common_ascend_layout_kind(&layout);
    if (ASC_LINK_MEM_BAD == kind) {
        return mca_common_ascend_bad_pointer(buf, names);
    }
    rc = (ASC_LINK_MEM_HOST == kind) ? open_host(side, names) : open_device(side, may, names);
    if (OMPI_SUCCESS != rc) {
        mca_osc_ascend_side_close(side);
    }
    return rc;
}

int mca_osc_ascend_side_drain(mca_osc_ascend_side_t *side)
{
    int rc = OMPI_SUCCESS;

    if (side->sends || side->in_place || 0 == side->bytes) {
        return OMPI_SUCCESS;
    }
    if (NULL != side->packed.map) {
        return mca_common_ascend_packed_finish(&side->packed, side->bytes);
    }
    if (NULL != side->memory) {
        rc = mca_osc_ascend_convert(host_view(side), side->count, side->dtype, side->memory,
                                    side->bytes, false);
    }
    if (OMPI_SUCCESS == rc && NULL != side->stage.memory) {
        rc = mca_common_ascend_copy_out(&side->stage, 1, side->bytes);
    }
    return rc;
}

void mca_osc_ascend_side_close(mca_osc_ascend_side_t *side)
{
    if (NULL != side->memory) {
        mca_osc_ascend_memory_put(side->memory, side->bytes, side->pageable);
        side->memory = NULL;
    }
    mca_common_ascend_packed_close(&side->packed);
    mca_common_ascend_stage_close(&side->stage);
}
