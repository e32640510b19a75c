/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * region.h - the region table as the allocators use it; see memory.h for the
 * part that everyone uses.
 */
#ifndef NPUSIM_REGION_H
#define NPUSIM_REGION_H

#include "memory.h"

struct region_slot {
    uintptr_t base, end;
    struct region *region;
};

/* Removes any one region that accept chooses, as region_take() does. */
struct region *region_take_any(bool (*accept)(const struct region *, const void *),
                               const void *arg);

/* Calls fn for every region, under the table's lock. */
void region_each(void (*fn)(struct region *r, void *arg), void *arg);

/* Lowest multiple of align in [lo, hi) with len free bytes, or 0. */
uintptr_t region_gap(uintptr_t lo, uintptr_t hi, size_t len, size_t align);

#endif
