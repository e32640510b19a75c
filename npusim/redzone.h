/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * redzone.h - red zones (NPUSIM_REDZONE): a pattern before each allocation and
 * from the first byte that the program did not ask for. Engines may write into
 * the runtime's own padding, as on hardware; here that is found and told.
 */
#ifndef NPUSIM_REDZONE_H
#define NPUSIM_REDZONE_H

#include "knobs.h"
#include "memory.h"

/* Writes the pattern around a new allocation. */
void redzone_fill(struct region *r);

/* Reports each zone of the allocation that was written to, once; returns how
 * many. found_by: what looked. */
unsigned redzone_check(struct region *r, const char *found_by);

/* The same for all allocations. */
unsigned redzone_check_all(const char *found_by);

/* An engine is about to write [p, p + len): notes who did it where a zone is
 * concerned. r: region of p or NULL. */
void redzone_note(struct region *r, const void *p, size_t len);

static inline void redzone_write(struct region *r, const void *p, size_t len)
{
    if (__builtin_expect(knobs.redzone != 0, 0)) {
        redzone_note(r, p, len);
    }
}

#endif
