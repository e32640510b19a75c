/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * A device buffer of a point-to-point message as contiguous bytes: where they
 * lie together anyway, in a packed device buffer, or in packed host memory.
 */
#ifndef MCA_COMMON_ASCEND_PACKED_H
#define MCA_COMMON_ASCEND_PACKED_H

#include "common_ascend.h"

BEGIN_C_DECLS

/** Where a message may lie. */
typedef enum mca_common_ascend_may {
    MCA_COMMON_ASCEND_MAY_HOST,  /**< the pml takes no device memory */
    MCA_COMMON_ASCEND_MAY_COPY,  /**< anywhere but in the buffer itself */
    MCA_COMMON_ASCEND_MAY_DEVICE /**< anywhere */
} mca_common_ascend_may_t;

/**
 * Gets memory for the message and decides how it is packed. Checks that all
 * bytes lie in live device memory.
 * @param sends whether the buffer is read, and not written.
 * @return OMPI_SUCCESS; OMPI_ERR_NOT_SUPPORTED: not for this type or memory,
 *         stage it, nothing was told; or an MPI error class after telling the
 *         user why.
 */
int mca_common_ascend_packed_open(mca_common_ascend_packed_t *packed, const void *buf, size_t count,
                                  struct ompi_datatype_t *dtype, mca_common_ascend_may_t may,
                                  bool sends, const mca_common_ascend_names_t *names);

/** Does the buffer still lie in live memory? @return as stage_check. */
int mca_common_ascend_packed_check(const mca_common_ascend_packed_t *packed);

/** The message, packed->map->bytes long. */
static inline void *mca_common_ascend_packed_message(const mca_common_ascend_packed_t *packed)
{
    return packed->message;
}

/** Fills the message from the buffer. @return as copy_in. */
int mca_common_ascend_packed_pack(mca_common_ascend_packed_t *packed);

/** Starts the copies of the message's first @a limit bytes to the buffer, and of
 *  no other byte. */
void mca_common_ascend_packed_unpack(mca_common_ascend_packed_t *packed, size_t limit,
                                     mca_common_ascend_copies_t *copies);

/** The same, and waits. @return as copy_out. */
int mca_common_ascend_packed_finish(mca_common_ascend_packed_t *packed, size_t limit);

/** Gives all back; harmless when not open. */
void mca_common_ascend_packed_close(mca_common_ascend_packed_t *packed);

END_C_DECLS

#endif
