/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Derived types of every kind, from rows of 8 bytes to rows that are copied
 * inside the device, and the bytes that belong to them.
 */
#ifndef T_LAYOUTS_H
#define T_LAYOUTS_H

#include <mpi.h>
#include <stddef.h>

typedef struct t_layout {
    const char *name;
    MPI_Datatype type;
    int count;
    size_t before, after; /**< room that the data need around the buffer's address */
    size_t bytes;
} t_layout_t;

/** All, ended by a NULL name; made at the first call and never freed. */
const t_layout_t *t_layouts(void);

/** Message of @a buffer by the CPU, and the way back for its first @a bytes. */
void t_layout_pack(const t_layout_t *layout, const char *buffer, char *packed);
void t_layout_unpack(const t_layout_t *layout, const char *packed, size_t bytes, char *buffer);

#endif
