/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies inside the process.
 *
 * A copy that the host waits for is one synchronous call of the runtime in
 * whatever context the thread has; only if that is refused is the device's own
 * context borrowed. Pageable host memory is never given to an asynchronous
 * call: old runtimes want it pinned, newer ones turn the call into a
 * synchronous one anyway.
 */
#include "acl/asc_acl.h"
#include "acl/asc_log.h"
#include "link/asc_link.h"
#include "link/context.h"
#include "link/counters.h"
#include "link/hooks.h"
#include "link/mem_query.h"
#include "link/op.h"
#include "link/peer_access.h"
#include "link/stream.h"

#include <stdint.h>
#include <string.h>

#define LINK_COPY_SHORT  ((size_t)16 << 10) /* below, starting costs more than waiting */
#define LINK_BOUNCE_SIZE ((size_t)4 << 20)

typedef struct link_copy {
    char *dst;
    const char *src;
    size_t len;
    int device;     /* whose context and streams; of the source for D2D */
    int dst_device; /* differs from device for D2D between devices */
    aclrtMemcpyKind kind;
} link_copy_t;

static asc_status_t link_copy_failed(const link_copy_t *copy, aclError err)
{
    char text[ASC_ACL_TEXT_MAX];

    link_count(copy_failed, 1);
    asc_log(ASC_LOG_ERROR, "copy of %zu bytes from %p to %p failed: %s", copy->len,
            (const void *)copy->src, (void *)copy->dst,
            asc_acl_error_text(err, text, sizeof(text)));
    return ASC_ERR_ACL;
}

static asc_status_t link_copy_bad(const void *ptr, size_t len)
{
    link_count(copy_failed, 1);
    asc_log(ASC_LOG_ERROR,
            "%zu bytes at %p are not memory of this process: freed, foreign, or "
            "past the end of an allocation",
            len, ptr);
    return ASC_ERR_STALE;
}

/* Finds out what the two sides are. ASC_INPROGRESS: a copy for the runtime. */
static asc_status_t link_copy_plan(link_copy_t *copy, void *dst, const void *src, size_t len)
{
    asc_link_mem_t from, to;

    if (len == 0) {
        return ASC_OK;
    }
    if (asc_link_mem_query(dst, len, &to) == ASC_LINK_MEM_BAD) {
        return link_copy_bad(dst, len);
    }
    if (asc_link_mem_query(src, len, &from) == ASC_LINK_MEM_BAD) {
        return link_copy_bad(src, len);
    }
    if (to.kind == ASC_LINK_MEM_HOST && from.kind == ASC_LINK_MEM_HOST) {
        memmove(dst, src, len);
        link_count(copy_h2h, 1);
        link_count(copy_bytes, len);
        return ASC_OK;
    }
    copy->dst = dst;
    copy->src = src;
    copy->len = len;
    copy->dst_device = to.device;
    if (to.kind == ASC_LINK_MEM_HOST) {
        copy->kind = ACL_MEMCPY_DEVICE_TO_HOST;
        copy->device = copy->dst_device = from.device;
        link_count(copy_d2h, 1);
    } else if (from.kind == ASC_LINK_MEM_HOST) {
        copy->kind = ACL_MEMCPY_HOST_TO_DEVICE;
        copy->device = to.device;
        link_count(copy_h2d, 1);
    } else {
        copy->kind = ACL_MEMCPY_DEVICE_TO_DEVICE;
        copy->device = from.device;
        link_count(copy_d2d, 1);
    }
    link_count(copy_bytes, len);
    return ASC_INPROGRESS;
}

/* ---------------------------------------------- waiting for the copy ----- */

/* Inside one device, or between it and the host. */
static asc_status_t link_copy_sync(const link_copy_t *copy)
{
    asc_status_t status;
    link_ctx_t guard;
    aclError err = link_stream_copy(NULL, copy->dst, copy->src, copy->len, copy->kind);

    if (err == ACL_SUCCESS) {
        return ASC_OK;
    }
    asc_acl_forget_error();
    status = link_ctx_enter(copy->device, &guard);
    if (status != ASC_OK) {
        return link_copy_failed(copy, err);
    }
    err = link_stream_copy(NULL, copy->dst, copy->src, copy->len, copy->kind);
    link_ctx_leave(&guard);
    return err == ACL_SUCCESS ? ASC_OK : link_copy_failed(copy, err);
}

/* By way of pinned memory, one piece after the other: the path of pairs that
 * have no better one. */
static asc_status_t link_copy_bounce(const link_copy_t *copy)
{
    size_t room = copy->len < LINK_BOUNCE_SIZE ? copy->len : LINK_BOUNCE_SIZE;
    asc_status_t status;
    void *block;

    status = asc_link_pinned_get(room, &block);
    if (status != ASC_OK) {
        return status;
    }
    link_count(copy_bounced, 1);
    for (size_t at = 0; status == ASC_OK && at < copy->len; at += room) {
        size_t part = copy->len - at < room ? copy->len - at : room;
        link_copy_t out = {.dst = block,
                           .src = copy->src + at,
                           .len = part,
                           .device = copy->device,
                           .kind = ACL_MEMCPY_DEVICE_TO_HOST};
        link_copy_t in = {.dst = copy->dst + at,
                          .src = block,
                          .len = part,
                          .device = copy->dst_device,
                          .kind = ACL_MEMCPY_HOST_TO_DEVICE};

        status = link_copy_sync(&out);
        if (status == ASC_OK) {
            status = link_copy_sync(&in);
        }
    }
    asc_link_pinned_put(block, room);
    return status;
}

/* --------------------------------------------------- starting it --------- */

/* Once more and waiting for it, after the runtime refused or failed to do it in
 * a stream for the reason @a err. */
static asc_status_t link_copy_again(const link_copy_t *copy, aclError err)
{
    char text[ASC_ACL_TEXT_MAX];

    link_count(copy_again, 1);
    asc_log_once(ASC_LOG_WARN,
                 "an asynchronous copy of %zu bytes on device %d failed: %s; it is made again in "
                 "another way, as will others that fail",
                 copy->len, copy->device,
                 err != ACL_SUCCESS ? asc_acl_error_text(err, text, sizeof(text))
                                    : "no stream or event");
    asc_acl_forget_error();
    return copy->device == copy->dst_device ? link_copy_sync(copy) : link_copy_bounce(copy);
}

static asc_status_t link_copy_finish(link_op_t *op, asc_status_t status)
{
    link_copy_t copy = {.dst = op->arg[0],
                        .src = op->arg[1],
                        .len = op->len,
                        .device = op->stream->device,
                        .dst_device = (int)(op->flags >> 8),
                        .kind = (aclrtMemcpyKind)(op->flags & 0xff)};

    /* no error of the runtime: the memory went with a reset of the device */
    return status == ASC_OK || op->error == ACL_SUCCESS ? status
                                                        : link_copy_again(&copy, op->error);
}

static asc_status_t link_copy_enqueue(const link_copy_t *copy, link_op_t *op)
{
    asc_status_t status;
    link_stream_t *stream = link_stream_get(copy->device, link_stream_use_of(copy->kind));
    aclError err;

    if (stream == NULL) {
        return link_copy_again(copy, ACL_SUCCESS);
    }
    err = link_stream_copy(stream, copy->dst, copy->src, copy->len, copy->kind);
    if (err != ACL_SUCCESS) {
        /* Pieces before the refused one must not outlive the buffers. */
        (void)link_stream_settle(stream);
        return link_copy_again(copy, err);
    }
    status = link_op_start(op, stream, link_copy_finish);
    op->arg[0] = copy->dst;
    op->arg[1] = (void *)(uintptr_t)copy->src;
    op->len = copy->len;
    op->flags = (uint32_t)copy->kind | (uint32_t)copy->dst_device << 8;
    op->quiet = 1;
    if (status == ASC_ERR_ACL) {
        link_stream_fail(stream);
        status = link_copy_again(copy, ACL_SUCCESS);
    }
    return status;
}

static asc_status_t link_copy_async(const link_copy_t *copy, asc_link_op_t *op)
{
    link_ctx_t guard;
    asc_status_t status = link_ctx_enter(copy->device, &guard);

    if (status != ASC_OK) {
        return link_copy_again(copy, ACL_SUCCESS);
    }
    status = link_copy_enqueue(copy, (link_op_t *)(void *)op);
    link_ctx_leave(&guard);
    return status == ASC_INPROGRESS ? asc_link_op_test(op) : status;
}

static bool link_copy_pageable(const link_copy_t *copy)
{
    return (copy->kind == ACL_MEMCPY_HOST_TO_DEVICE && !link_host_is_pinned(copy->src)) ||
           (copy->kind == ACL_MEMCPY_DEVICE_TO_HOST && !link_host_is_pinned(copy->dst));
}

/* Between devices the runtime takes asynchronous copies only. */
static asc_status_t link_copy_across(const link_copy_t *copy, asc_link_op_t *op)
{
    return link_peer_access(copy->device, copy->dst_device) ? link_copy_async(copy, op)
                                                            : link_copy_bounce(copy);
}

/* ----------------------------------------------------------- door -------- */

/* A local copy of any size ends, or its stream reports why not. */
#define LINK_COPY_WAIT_MS 600000

asc_status_t asc_link_copy(void *dst, const void *src, size_t len)
{
    asc_link_op_t op;
    link_copy_t copy;
    asc_status_t status = link_copy_plan(&copy, dst, src, len);

    if (status != ASC_INPROGRESS) {
        return status;
    }
    if (copy.device == copy.dst_device) {
        return link_copy_sync(&copy);
    }
    status = link_copy_across(&copy, &op);
    return status == ASC_INPROGRESS ? link_op_wait((link_op_t *)(void *)&op, LINK_COPY_WAIT_MS)
                                    : status;
}

asc_status_t asc_link_copy_start(void *dst, const void *src, size_t len, asc_link_op_t *op)
{
    link_copy_t copy;
    asc_status_t status = link_copy_plan(&copy, dst, src, len);

    if (status != ASC_INPROGRESS) {
        return status;
    }
    if (copy.device != copy.dst_device) {
        return link_copy_across(&copy, op);
    }
    if (len <= LINK_COPY_SHORT || link_copy_pageable(&copy)) {
        return link_copy_sync(&copy);
    }
    return link_copy_async(&copy, op);
}

asc_status_t asc_link_mem_alloc(size_t size, void **ptr)
{
    int device = asc_link_home_device();
    char text[ASC_ACL_TEXT_MAX];
    link_ctx_t guard;
    asc_status_t status;
    aclError err;

    if (device < 0) {
        asc_log_once(ASC_LOG_ERROR, "device memory is asked for, but this process has chosen no "
                                    "device: call aclrtSetDevice first");
        return ASC_ERR_NOT_FOUND;
    }
    status = link_ctx_enter(device, &guard);
    if (status != ASC_OK) {
        return status;
    }
    err = link_hooks_malloc(ptr, size);
    link_ctx_leave(&guard);
    if (err != ACL_SUCCESS) {
        asc_log(ASC_LOG_ERROR, "%zu bytes of device memory cannot be allocated: %s", size,
                asc_acl_error_text(err, text, sizeof(text)));
        return asc_acl_status(err);
    }
    return ASC_OK;
}

asc_status_t asc_link_mem_free(void *ptr)
{
    asc_link_mem_t mem;
    link_ctx_t guard;
    asc_status_t status;
    aclError err;
    char text[ASC_ACL_TEXT_MAX];

    if (asc_link_mem_query(ptr, 1, &mem) != ASC_LINK_MEM_DEVICE || mem.base != ptr) {
        asc_log(ASC_LOG_ERROR, "%p is not an allocation that could be freed", ptr);
        return ASC_ERR_INVALID;
    }
    status = link_ctx_enter(mem.device, &guard);
    if (status != ASC_OK) {
        return status;
    }
    err = link_hooks_free(ptr);
    link_ctx_leave(&guard);
    if (err != ACL_SUCCESS) {
        asc_log(ASC_LOG_ERROR, "device memory %p cannot be freed: %s", ptr,
                asc_acl_error_text(err, text, sizeof(text)));
        return ASC_ERR_ACL;
    }
    return ASC_OK;
}
