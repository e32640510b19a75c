/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * window.h - allocation in the devices' address windows.
 */
#ifndef NPUSIM_WINDOW_H
#define NPUSIM_WINDOW_H

#include "memory.h"

/* size bytes on a device, of which the program asked for the first "asked",
 * from pages as the policy says, or NULL. The table holds the region's
 * reference: look it up again to use it. */
struct region *window_alloc(int dev, size_t size, size_t asked, aclrtMemMallocPolicy policy);

/* Frees the allocation that starts at p; false when there is none. */
bool window_free(void *p);

#endif
