/* SPDX-License-Identifier: BSD-3-Clause */
#include "common_ascend.h"
#include "common_ascend_layout.h"

#include "opal/datatype/opal_convertor.h"
#include "opal/datatype/opal_datatype.h"

bool mca_common_ascend_block(const mca_common_ascend_layout_t *layout, int i,
                             mca_common_ascend_block_t *block)
{
    ptrdiff_t lb, extent, offset;
    size_t size;

    block->count = (NULL != layout->counts) ? (size_t)layout->counts[i] : layout->count;
    block->dtype = (NULL != layout->dtypes) ? layout->dtypes[i] : layout->dtype;
    if (0 == block->count) {
        return false;
    }
    ompi_datatype_type_size(block->dtype, &size);
    if (0 == size) {
        return false;
    }
    (void)ompi_datatype_get_extent(block->dtype, &lb, &extent);
    if (NULL != layout->adispls) {
        offset = layout->adispls[i];
    } else if (NULL != layout->displs) {
        offset = (NULL != layout->dtypes) ? layout->displs[i] : layout->displs[i] * extent;
    } else {
        offset = (ptrdiff_t)block->count * extent * i;
    }
    block->address = (uintptr_t)layout->buf + (uintptr_t)offset;
    block->extent = extent;
    block->bytes = block->count * size;
    return true;
}

void mca_common_ascend_block_span(const mca_common_ascend_block_t *block, uintptr_t *low,
                                  uintptr_t *high)
{
    const ptrdiff_t last = (ptrdiff_t)(block->count - 1) * block->extent;

    *low = block->address + (uintptr_t)block->dtype->super.true_lb;
    *high = block->address + (uintptr_t)block->dtype->super.true_ub;
    if (last < 0) {
        *low += (uintptr_t)last;
    } else {
        *high += (uintptr_t)last;
    }
}

/* A run of bytes that may still grow. */
typedef struct pending {
    uintptr_t address;
    size_t len;
    mca_common_ascend_emit_fn_t emit;
    void *ctx;
} pending_t;

static int pending_flush(pending_t *pending)
{
    const size_t len = pending->len;

    pending->len = 0;
    return (0 == len) ? 0 : pending->emit(pending->ctx, (char *)pending->address, len);
}

static int pending_add(pending_t *pending, uintptr_t address, size_t len)
{
    int rc;

    if (0 != pending->len && pending->address + pending->len == address) {
        pending->len += len;
        return 0;
    }
    rc = pending_flush(pending);
    pending->address = address;
    pending->len = len;
    return rc;
}

#define RAW_IOVS 32

static int walk_derived(const mca_common_ascend_block_t *block, pending_t *pending)
{
    opal_convertor_t convertor;
    int done = 0, rc = 0;

    OBJ_CONSTRUCT(&convertor, opal_convertor_t);
    if (OPAL_SUCCESS != opal_convertor_copy_and_prepare_for_send(
                            ompi_mpi_local_convertor, &block->dtype->super, block->count,
                            (void *)block->address, 0, &convertor)) {
        OBJ_DESTRUCT(&convertor);
        return OMPI_ERROR;
    }
    while (0 == done && 0 == rc) {
        struct iovec iov[RAW_IOVS];
        uint32_t n = RAW_IOVS;
        size_t len = SIZE_MAX;

        done = opal_convertor_raw(&convertor, iov, &n, &len);
        for (uint32_t i = 0; i < n && 0 == rc; i++) {
            if (0 != iov[i].iov_len) {
                rc = pending_add(pending, (uintptr_t)iov[i].iov_base, iov[i].iov_len);
            }
        }
        if (0 == done && 0 == n) {
            rc = OMPI_ERROR;
        }
    }
    OBJ_DESTRUCT(&convertor);
    return rc;
}

int mca_common_ascend_layout_walk(const mca_common_ascend_layout_t *layout,
                                  mca_common_ascend_emit_fn_t emit, void *ctx)
{
    pending_t pending = {.emit = emit, .ctx = ctx};
    mca_common_ascend_block_t block;
    int rc = 0;

    for (int i = 0; i < layout->nblocks && 0 == rc; i++) {
        if (!mca_common_ascend_block(layout, i, &block)) {
            continue;
        }
        if (opal_datatype_is_contiguous_memory_layout(&block.dtype->super, (int32_t)2) ||
            (1 == block.count &&
             opal_datatype_is_contiguous_memory_layout(&block.dtype->super, 1))) {
            rc = pending_add(&pending, block.address + (uintptr_t)block.dtype->super.true_lb,
                             block.bytes);
        } else {
            rc = walk_derived(&block, &pending);
        }
    }
    return (0 != rc) ? rc : pending_flush(&pending);
}

/* Stops at the first run that is not plain host memory. */
static int find_device(void *ctx, char *address, size_t len)
{
    asc_link_mem_kind_t *kind = ctx;

    *kind = asc_link_mem_query(address, len, NULL);
    return ASC_LINK_MEM_HOST != *kind;
}

asc_link_mem_kind_t mca_common_ascend_layout_kind(const mca_common_ascend_layout_t *layout)
{
    asc_link_mem_kind_t kind = ASC_LINK_MEM_HOST;
    mca_common_ascend_block_t block;

    if (OPAL_UNLIKELY(MPI_BOTTOM == layout->buf)) {
        (void)mca_common_ascend_layout_walk(layout, find_device, &kind);
        return kind;
    }
    for (int i = 0; i < layout->nblocks; i++) {
        if (mca_common_ascend_block(layout, i, &block)) {
            return asc_link_mem_query(
                (const void *)(block.address + (uintptr_t)block.dtype->super.true_lb), 0, NULL);
        }
    }
    return kind;
}
