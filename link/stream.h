/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Streams and events that link/ uses, per device, in the device's primary
 * context. A stream in which a task failed is retired, not reused: its error
 * sticks to it.
 */
#ifndef LINK_STREAM_H
#define LINK_STREAM_H

#include "acl/asc_acl.h"
#include "acl/asc_status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct link_stream {
    aclrtStream handle;
    int device;
    uint32_t epoch; /**< of the device's context; see link_ctx_epoch() */
    bool failed;    /**< a task of it failed; atomic */

    struct link_stream *older;   /**< the one it replaced in link_stream_get() */
    struct link_stream *retired; /**< next one whose handle is gone */
} link_stream_t;

typedef enum link_stream_use {
    LINK_STREAM_H2D,
    LINK_STREAM_D2H,
    LINK_STREAM_D2D,
    LINK_STREAM_USES
} link_stream_use_t;

/** The copy stream of @a device for @a use, made at first use. Context
 *  current. NULL: the runtime refused (logged). Never freed: a retired one
 *  stays readable for ops that still point to it. */
link_stream_t *link_stream_get(int device, link_stream_use_t use);

/** Longest task that is given to a copy engine, which takes less than 4 GiB. */
#define LINK_STREAM_TASK ((size_t)1 << 31)

/** The process's stream for copies of a kind. */
link_stream_use_t link_stream_use_of(aclrtMemcpyKind kind);

/** Enqueues a copy of any length, context current, or copies at once where
 *  @a stream is NULL. When a part is refused, those before it may be in the
 *  stream or done. */
aclError link_stream_copy(const link_stream_t *stream, void *dst, const void *src, size_t len,
                          aclrtMemcpyKind kind);

/** A stream of the caller's own (pairs, drain). Context current. */
link_stream_t *link_stream_create(int device);

/** Ends it, with @a force dropping what is still in it. The memory of the
 *  struct stays (ops may point to it); the handle does not. */
void link_stream_destroy(link_stream_t *stream, bool force);

/** Waits until nothing of it is under way; its error if it has one. Context
 *  current. */
aclError link_stream_settle(const link_stream_t *stream);

/** Marks it failed; the next link_stream_get() makes another. */
void link_stream_fail(link_stream_t *stream);

/** An event from the pool of the stream's device, and back. Context current
 *  for get. NULL: the runtime refused (logged). */
aclrtEvent link_event_get(int device);
void link_event_put(int device, aclrtEvent event, uint32_t epoch);

#endif
