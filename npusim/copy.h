/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy.h - what all engines check before they touch memory.
 */
#ifndef NPUSIM_COPY_H
#define NPUSIM_COPY_H

#include "memory.h"

struct stream;

/* May an engine of device dev touch [p, p + len)? r is the region of p, or
 * NULL, which is right for pageable host memory only. Else the asynchronous
 * error, and its reason in why. */
aclError copy_check(struct region *r, const void *p, size_t len, int dev, const char **why);

/* Where the engine finds p. */
char *copy_engine(const struct region *r, const void *p);

/* One checked aclrtMemcpyAsync. */
aclError copy_async(void *dst, size_t dest_max, const void *src, size_t count, aclrtMemcpyKind kind,
                    struct stream *s);

#endif
