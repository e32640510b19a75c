/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * For tests of what link/ does inside one process.
 */
#ifndef T_LOCAL_H
#define T_LOCAL_H

#include "link/asc_link.h"
#include "tests/helpers/t_helpers.h"

/** asc_link_init() must succeed; device @a device becomes current. */
void t_link_start(int device);

/** Installs the hooks with UCX's relocation patcher; skips without UCX. The mode
 *  must be @a mode then: "hooks", or "preload" beside that library. */
void t_link_hooks(const char *mode);

/** Starts this program again with libascend_preload.so, unless it is there. */
void t_link_preload(char **argv);

/** Increase of a counter since the last call for it. */
int64_t t_count(const char *name);

/** The address must be of that kind. */
void t_kind(const void *ptr, size_t len, asc_link_mem_kind_t kind, asc_link_mem_t *mem);

#endif
