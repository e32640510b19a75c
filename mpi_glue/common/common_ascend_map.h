/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Where the bytes of count elements of a type lie, as few regular blocks, made
 * from Open MPI's own description of the type. Blocks carry offsets only, so a
 * map serves every buffer.
 */
#ifndef MCA_COMMON_ASCEND_MAP_H
#define MCA_COMMON_ASCEND_MAP_H

#include "common_ascend.h"

BEGIN_C_DECLS

/** Rows of @a len bytes. Row i lies at @a at + i * @a stride from the buffer and
 *  is byte @a packed + i * @a packed_stride of the message. One row: no strides. */
typedef struct mca_common_ascend_rows {
    ptrdiff_t at, stride;
    size_t packed, packed_stride;
    size_t len, rows;
} mca_common_ascend_rows_t;

/** Immutable; see mca_common_ascend_map_put(). */
typedef struct mca_common_ascend_map {
    size_t nblocks;
    size_t nrows; /**< of all blocks */
    size_t bytes;
    ptrdiff_t low, high; /**< first byte, and the one behind the last */
    int32_t references;
    mca_common_ascend_rows_t *blocks;
} mca_common_ascend_map_t;

/**
 * The map of @a count elements, from a cache that compares descriptions, so
 * that a type made anew in each step of a program is found, too.
 * @return NULL when there is no data, too many blocks (65536), or no memory.
 */
mca_common_ascend_map_t *mca_common_ascend_map_get(const struct ompi_datatype_t *dtype,
                                                   size_t count);
void mca_common_ascend_map_put(mca_common_ascend_map_t *map);

/** Copies by CPU from @a base, the address of the buffer's origin or of a host
 *  copy of it, to @a packed. */
void mca_common_ascend_map_pack(const mca_common_ascend_map_t *map, const char *base, char *packed);

END_C_DECLS

#endif
