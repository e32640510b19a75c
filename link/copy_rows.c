/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scattered copies with few calls: one pitched call for a regular block, one
 * batch for many single pieces, one task for each piece where the runtime has
 * neither. What a runtime refuses is found out at the first use.
 */
#include "acl/asc_acl.h"
#include "acl/asc_log.h"
#include "link/asc_link.h"
#include "link/context.h"
#include "link/counters.h"
#include "link/mem_query.h"
#include "link/op.h"

#include <stdlib.h>
#include <string.h>

#define ROWS_HEIGHT_MAX ((size_t)5 << 20) /* documented for pitched calls */
#define ROWS_BATCH      1024              /* pieces of one batch */
#define ROWS_BATCH_MIN  3                 /* fewer pieces are copied one by one */
#define ROWS_SHORT      ((size_t)16 << 10)

/* Of many blocks only tall ones get a pitched call: a batch takes in all rows of
 * several low ones. */
#define ROWS_FEW        8
#define ROWS_TALL       128

/* What has been refused; atomic. */
static struct {
    bool pitched, pitched_inside, batch;
} refused;

typedef struct rows_batch {
    void *dst[ROWS_BATCH], *src[ROWS_BATCH];
    size_t len[ROWS_BATCH];
    size_t n;
} rows_batch_t;

typedef struct rows_copy {
    const asc_acl_t *acl;
    aclrtMemcpyKind kind;
    int device;
    link_stream_t *stream; /* NULL: each call waits */
    rows_batch_t *batch;   /* NULL where there is none */
    bool plain;            /* only calls for single pieces */
    size_t blocks, bytes, calls;
} rows_copy_t;

static void rows_refuse(bool *what)
{
    asc_acl_forget_error();
    __atomic_store_n(what, true, __ATOMIC_RELAXED);
}

static bool rows_has(const void *function, const bool *no)
{
    return function != NULL && !__atomic_load_n(no, __ATOMIC_RELAXED);
}

static bool rows_unsupported(aclError err)
{
    return err == ACL_ERROR_RT_FEATURE_NOT_SUPPORT || err == ACL_ERROR_API_NOT_SUPPORT ||
           err == ACL_ERROR_FEATURE_UNSUPPORTED || err == ACL_ERROR_INVALID_PARAM;
}

/* Moves two bytes inside the device: no document promises that it works, and a
 * message of many small rows must not be the one that finds out. Context current. */
static bool rows_probe(const asc_acl_t *acl, char *memory)
{
    const char sent[8] = {1, 2, 3, 4, 5, 6, 7, 8}, want[8] = {1, 2, 3, 4, 1, 6, 3, 8};
    link_stream_t *stream = link_stream_get(asc_link_home_device(), LINK_STREAM_D2D);
    char got[8] = {0};
    aclError err;

    if (stream == NULL || asc_link_copy(memory, sent, sizeof(sent)) != ASC_OK) {
        return false;
    }
    err = acl->aclrtMemcpy2dAsync(memory + 4, 2, memory, 2, 1, 2, ACL_MEMCPY_DEVICE_TO_DEVICE,
                                  stream->handle);
    if (err != ACL_SUCCESS || acl->aclrtSynchronizeStream(stream->handle) != ACL_SUCCESS) {
        if (err == ACL_SUCCESS) {
            link_stream_fail(stream);
        }
        asc_acl_forget_error();
        return false;
    }
    return asc_link_copy(got, memory, sizeof(got)) == ASC_OK &&
           memcmp(got, want, sizeof(want)) == 0;
}

static bool rows_inside_works(const asc_acl_t *acl)
{
    static bool known;
    void *memory = NULL;
    link_ctx_t guard;
    bool works = false;

    if (__atomic_load_n(&known, __ATOMIC_ACQUIRE)) {
        return !__atomic_load_n(&refused.pitched_inside, __ATOMIC_RELAXED);
    }
    if (asc_link_home_device() < 0 || asc_link_scratch_get(1, &memory) != ASC_OK) {
        return false;
    }
    if (link_ctx_enter(asc_link_home_device(), &guard) == ASC_OK) {
        works = rows_probe(acl, memory);
        link_ctx_leave(&guard);
    }
    asc_link_scratch_put(memory, 1);
    __atomic_store_n(&refused.pitched_inside, !works, __ATOMIC_RELAXED);
    __atomic_store_n(&known, true, __ATOMIC_RELEASE);
    return works;
}

bool asc_link_pitched(bool inside)
{
    const asc_acl_t *acl = asc_acl_peek();

    return acl != NULL && rows_has((void *)acl->aclrtMemcpy2dAsync, &refused.pitched) &&
           (!inside || rows_inside_works(acl));
}

bool asc_link_batched(void)
{
    const asc_acl_t *acl = asc_acl_peek();

    return acl != NULL && rows_has((void *)acl->aclrtMemcpyBatchAsync, &refused.batch);
}

static aclError rows_plain(rows_copy_t *copy, void *dst, const void *src, size_t len)
{
    copy->calls++;
    return link_stream_copy(copy->stream, dst, src, len, copy->kind);
}

static aclError rows_pitched(rows_copy_t *copy, const asc_link_rows_t *rows)
{
    aclError err = ACL_SUCCESS;

    for (size_t at = 0, part; err == ACL_SUCCESS && at < rows->height; at += part) {
        char *dst = (char *)rows->dst + at * rows->dpitch;
        const char *src = (const char *)rows->src + at * rows->spitch;

        part = rows->height - at < ROWS_HEIGHT_MAX ? rows->height - at : ROWS_HEIGHT_MAX;
        err = copy->stream != NULL
                  ? copy->acl->aclrtMemcpy2dAsync(dst, rows->dpitch, src, rows->spitch, rows->width,
                                                  part, copy->kind, copy->stream->handle)
                  : copy->acl->aclrtMemcpy2d(dst, rows->dpitch, src, rows->spitch, rows->width,
                                             part, copy->kind);
        copy->calls++;
    }
    return err;
}

/* ---------------------------------------------------------- batches ------ */

static aclError rows_batch_call(rows_copy_t *copy)
{
    rows_batch_t *b = copy->batch;
    aclrtMemcpyBatchAttr attr = {0};
    size_t first = 0, fail = 0;
    aclrtMemLocation *there = copy->kind == ACL_MEMCPY_HOST_TO_DEVICE ? &attr.dstLoc : &attr.srcLoc;

    there->id = (uint32_t)copy->device;
    there->type = ACL_MEM_LOCATION_TYPE_DEVICE;
    copy->calls++;
    return copy->stream != NULL
               ? copy->acl->aclrtMemcpyBatchAsync(b->dst, b->len, b->src, b->len, b->n, &attr,
                                                  &first, 1, &fail, copy->stream->handle)
               : copy->acl->aclrtMemcpyBatch(b->dst, b->len, b->src, b->len, b->n, &attr, &first, 1,
                                             &fail);
}

static aclError rows_flush(rows_copy_t *copy)
{
    rows_batch_t *b = copy->batch;
    aclError err = ACL_SUCCESS;

    if (b == NULL || b->n == 0) {
        return ACL_SUCCESS;
    }
    if (b->n >= ROWS_BATCH_MIN && !__atomic_load_n(&refused.batch, __ATOMIC_RELAXED)) {
        err = rows_batch_call(copy);
        if (!rows_unsupported(err)) {
            b->n = 0;
            return err;
        }
        rows_refuse(&refused.batch);
        err = ACL_SUCCESS;
    }
    for (size_t i = 0; err == ACL_SUCCESS && i < b->n; i++) {
        err = rows_plain(copy, b->dst[i], b->src[i], b->len[i]);
    }
    b->n = 0;
    return err;
}

static aclError rows_piece(rows_copy_t *copy, void *dst, const void *src, size_t len)
{
    rows_batch_t *b = copy->batch;
    aclError err = ACL_SUCCESS;

    if (b == NULL) {
        return rows_plain(copy, dst, src, len);
    }
    if (b->n == ROWS_BATCH) {
        err = rows_flush(copy);
    }
    b->dst[b->n] = dst;
    b->src[b->n] = (void *)src;
    b->len[b->n++] = len;
    return err;
}

/* ------------------------------------------------------------ blocks ----- */

static bool rows_by_pitch(const rows_copy_t *copy, const asc_link_rows_t *rows)
{
    if (copy->plain || rows->height == 1 || (ptrdiff_t)rows->dpitch < 0 ||
        (ptrdiff_t)rows->spitch < 0 || rows->dpitch < rows->width || rows->spitch < rows->width ||
        (copy->stream == NULL && copy->acl->aclrtMemcpy2d == NULL)) {
        return false;
    }
    return (copy->batch == NULL || copy->blocks <= ROWS_FEW || rows->height >= ROWS_TALL) &&
           asc_link_pitched(copy->kind == ACL_MEMCPY_DEVICE_TO_DEVICE);
}

static aclError rows_block(rows_copy_t *copy, const asc_link_rows_t *rows)
{
    bool inside = copy->kind == ACL_MEMCPY_DEVICE_TO_DEVICE;
    aclError err = ACL_SUCCESS;

    copy->bytes += rows->width * rows->height;
    if (rows_by_pitch(copy, rows)) {
        err = rows_pitched(copy, rows);
        if (!rows_unsupported(err)) {
            return err;
        }
        rows_refuse(inside ? &refused.pitched_inside : &refused.pitched);
        err = ACL_SUCCESS;
    }
    for (size_t i = 0; err == ACL_SUCCESS && i < rows->height; i++) {
        err = rows_piece(copy, (char *)rows->dst + i * rows->dpitch,
                         (const char *)rows->src + i * rows->spitch, rows->width);
    }
    return err;
}

static aclError rows_all(rows_copy_t *copy, const asc_link_rows_t *rows, size_t n)
{
    aclError err = ACL_SUCCESS;

    for (size_t i = 0; err == ACL_SUCCESS && i < n; i++) {
        err = rows_block(copy, &rows[i]);
    }
    return err == ACL_SUCCESS ? rows_flush(copy) : err;
}

static void rows_account(const rows_copy_t *copy)
{
    if (copy->kind == ACL_MEMCPY_HOST_TO_DEVICE) {
        link_count(copy_h2d, copy->calls);
    } else if (copy->kind == ACL_MEMCPY_DEVICE_TO_HOST) {
        link_count(copy_d2h, copy->calls);
    } else {
        link_count(copy_d2d, copy->calls);
    }
    link_count(copy_bytes, copy->bytes);
}

/* Once more, piece by piece and waiting for each, after the runtime refused or
 * failed to do it for the reason @a why. Context current. */
static asc_status_t rows_again(rows_copy_t *copy, const asc_link_rows_t *rows, size_t n,
                               aclError why)
{
    char text[ASC_ACL_TEXT_MAX];
    aclError err;

    link_count(copy_again, 1);
    asc_log_once(ASC_LOG_WARN,
                 "a copy of the pieces of a buffer on device %d failed: %s; it is made again piece "
                 "by piece, as will others that fail",
                 copy->device, asc_acl_error_text(why, text, sizeof(text)));
    asc_acl_forget_error();
    copy->plain = true;
    copy->stream = NULL;
    copy->batch = NULL;
    err = rows_all(copy, rows, n);
    if (err == ACL_SUCCESS) {
        return ASC_OK;
    }
    link_count(copy_failed, 1);
    asc_log(ASC_LOG_ERROR, "copy of the pieces of a buffer on device %d failed: %s", copy->device,
            asc_acl_error_text(err, text, sizeof(text)));
    return ASC_ERR_ACL;
}

static asc_status_t rows_finish(link_op_t *op, asc_status_t status)
{
    rows_copy_t copy = {.acl = asc_acl_peek(),
                        .kind = (aclrtMemcpyKind)op->flags,
                        .device = op->stream->device,
                        .blocks = op->len};
    asc_link_rows_t *rows = op->arg[0];
    link_ctx_t guard;

    /* no error of the runtime: the memory went with a reset of the device */
    if (status != ASC_OK && op->error != ACL_SUCCESS && rows != NULL &&
        link_ctx_enter(copy.device, &guard) == ASC_OK) {
        status = rows_again(&copy, rows, op->len, op->error);
        link_ctx_leave(&guard);
    }
    free(rows);
    return status;
}

/* The caller's table may be gone when the copies turn out to have failed. */
static asc_status_t rows_start(rows_copy_t *copy, const asc_link_rows_t *rows, size_t n,
                               link_op_t *op)
{
    asc_link_rows_t *kept = malloc(n * sizeof(*rows));
    asc_status_t status = link_op_start(op, copy->stream, rows_finish);

    if (status != ASC_INPROGRESS) {
        free(kept);
        return status == ASC_OK ? ASC_OK : rows_again(copy, rows, n, ACL_ERROR_RT_INTERNAL_ERROR);
    }
    if (kept != NULL) {
        memcpy(kept, rows, n * sizeof(*rows));
    }
    op->arg[0] = kept;
    op->len = n;
    op->flags = (uint32_t)copy->kind;
    op->quiet = kept != NULL; /* who makes it again tells */
    return ASC_INPROGRESS;
}

/* Which sides are where. */
static asc_status_t rows_sides(const asc_link_rows_t *rows, rows_copy_t *copy, bool *waits)
{
    asc_link_mem_t to, from;

    if (asc_link_mem_query(rows->dst, 0, &to) == ASC_LINK_MEM_BAD ||
        asc_link_mem_query(rows->src, 0, &from) == ASC_LINK_MEM_BAD) {
        return ASC_ERR_STALE;
    }
    if (to.kind == ASC_LINK_MEM_DEVICE && from.kind == ASC_LINK_MEM_DEVICE) {
        copy->kind = ACL_MEMCPY_DEVICE_TO_DEVICE;
        copy->device = to.device;
        return to.device == from.device ? ASC_OK : ASC_ERR_UNSUPPORTED;
    }
    if (to.kind == ASC_LINK_MEM_HOST && from.kind == ASC_LINK_MEM_HOST) {
        return ASC_ERR_INVALID;
    }
    copy->kind =
        to.kind == ASC_LINK_MEM_HOST ? ACL_MEMCPY_DEVICE_TO_HOST : ACL_MEMCPY_HOST_TO_DEVICE;
    copy->device = to.kind == ASC_LINK_MEM_HOST ? from.device : to.device;
    *waits = !link_host_is_pinned(to.kind == ASC_LINK_MEM_HOST ? rows->dst : rows->src);
    return ASC_OK;
}

/* Context current. */
static asc_status_t rows_run(rows_copy_t *copy, const asc_link_rows_t *rows, size_t n, bool waits,
                             link_op_t *op)
{
    aclError err;

    copy->stream = waits ? NULL : link_stream_get(copy->device, link_stream_use_of(copy->kind));
    if (copy->stream == NULL) {
        waits = true; /* the runtime refused a stream (logged) */
    }
    if (copy->kind != ACL_MEMCPY_DEVICE_TO_DEVICE && asc_link_batched() &&
        (!waits || copy->acl->aclrtMemcpyBatch != NULL)) {
        copy->batch = malloc(sizeof(*copy->batch));
        if (copy->batch != NULL) {
            copy->batch->n = 0;
        }
    }
    err = rows_all(copy, rows, n);
    free(copy->batch);
    rows_account(copy);
    if (err != ACL_SUCCESS) {
        /* Pieces before the refused one must not outlive the buffers. */
        if (copy->stream != NULL) {
            (void)link_stream_settle(copy->stream);
        }
        return rows_again(copy, rows, n, err);
    }
    return waits ? ASC_OK : rows_start(copy, rows, n, op);
}

asc_status_t asc_link_copy_rows_start(const asc_link_rows_t *rows, size_t n, asc_link_op_t *op)
{
    rows_copy_t copy = {.acl = asc_acl_peek(), .blocks = n};
    link_ctx_t guard;
    asc_status_t status;
    bool waits = false;

    if (n == 0) {
        return ASC_OK;
    }
    if (copy.acl == NULL) {
        return ASC_ERR_NO_RUNTIME;
    }
    status = rows_sides(rows, &copy, &waits);
    if (status != ASC_OK) {
        return status;
    }
    status = link_ctx_enter(copy.device, &guard);
    if (status != ASC_OK) {
        return status;
    }
    /* one short block is not worth an event */
    waits = waits || (n == 1 && rows->width * rows->height <= ROWS_SHORT &&
                      copy.kind != ACL_MEMCPY_DEVICE_TO_DEVICE);
    status = rows_run(&copy, rows, n, waits, (link_op_t *)(void *)op);
    link_ctx_leave(&guard);
    return status == ASC_INPROGRESS ? asc_link_op_test(op) : status;
}
