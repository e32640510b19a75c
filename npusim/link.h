/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * link.h - how long copies take between two places (NPUSIM_LINK). A direction
 * of a link carries the bytes of this process's copies one after the other,
 * and each copy then needs the latency on top. Without an entry a copy takes
 * what the host needs for it.
 */
#ifndef NPUSIM_LINK_H
#define NPUSIM_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "knobs.h"

#define LINK_HOST SIM_MAX_DEVICES /* the place that is no device */

struct region;

/* What a copy moves: places are physical device ids or LINK_HOST. */
struct traffic {
    int src, dst;
    uint64_t len;
};

/* Reads "0-1=25G/10us,h-0=5G"; NULL: no links. On a bad text returns false
 * with what is wrong and what would be right in why. */
bool link_load(const char *text, char *why, size_t why_len);

bool link_any(void);

/* Where a region's memory is; NULL is pageable host memory. */
int link_place(const struct region *r);

/* When a copy that begins now is over, in monotonic nanoseconds; 0: at once.
 * Takes its share of the link. */
uint64_t link_done(const struct traffic *t);

/* Sleeps until then. */
void link_wait(const struct traffic *t);

#endif
