/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The cache of host pages behind asc_link_mem_query(), for the hooks and the
 * copies. Lock-free; forgetting too much costs a query, never correctness.
 */
#ifndef LINK_MEM_QUERY_H
#define LINK_MEM_QUERY_H

#include "link/asc_link.h"

#include <stdbool.h>
#include <stddef.h>

/** Forgets what is known of these pages: memory was made or freed there. */
void link_host_forget(const void *base, size_t size);

/** Forgets which pages are pinned by others: some pinned memory was freed. */
void link_host_forget_pinned(void);

/** Whether @a ptr is known to be pinned; false when nobody asked yet. */
bool link_host_is_pinned(const void *ptr);

/** Pinned memory of ours: spares the runtime the question. */
void link_host_note_pinned(void *base, size_t size);

#endif
