/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Blocks of a layout, for the files of common/ alone.
 */
#ifndef MCA_COMMON_ASCEND_LAYOUT_H
#define MCA_COMMON_ASCEND_LAYOUT_H

#include "common_ascend.h"

typedef struct mca_common_ascend_block {
    uintptr_t address; /**< of the type's origin, not of its first byte */
    size_t count;
    size_t bytes; /**< of data, without gaps */
    ptrdiff_t extent;
    struct ompi_datatype_t *dtype;
} mca_common_ascend_block_t;

/** Block @a i; false when it holds no byte. */
bool mca_common_ascend_block(const mca_common_ascend_layout_t *layout, int i,
                             mca_common_ascend_block_t *block);

/** First byte and the byte after the last, gaps between included. */
void mca_common_ascend_block_span(const mca_common_ascend_block_t *block, uintptr_t *low,
                                  uintptr_t *high);

#endif
