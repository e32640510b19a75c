/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies from and to imported memory: asynchronous D2D on the pair's stream
 * (the only form that runtimes accept on an imported address), an event for
 * this process, a record on the owner's notify behind both.
 */
#include "link/transfer.h"

#include "acl/asc_log.h"
#include "link/context.h"
#include "link/counters.h"
#include "link/import.h"
#include "link/import_open.h"
#include "link/notify.h"
#include "link/rescue.h"

#define BOUNCE_MAX ((size_t)8 << 20)

/* ------------------------------------------------------ streams --------- */

/* Context current. */
static link_stream_t *pair_stream(const asc_link_import_t *import)
{
    asc_link_peer_t *owner = import->owner;
    link_stream_t *stream = atomic_load_explicit(&owner->stream, memory_order_acquire);
    link_stream_t *fresh;

    if (owner->self) {
        return link_stream_get(import->device, LINK_STREAM_D2D);
    }
    if (stream != NULL && stream->device == import->device && stream->epoch == import->ctx_epoch &&
        !__atomic_load_n(&stream->failed, __ATOMIC_RELAXED)) {
        return stream;
    }
    fresh = link_stream_create(import->device);
    if (fresh != NULL) {
        /* a failed stream is left alone: another thread may just be using it */
        fresh->older = stream;
    }
    if (fresh != NULL && !atomic_compare_exchange_strong(&owner->stream, &stream, fresh)) {
        link_stream_destroy(fresh, false);
        return stream;
    }
    return fresh;
}

/* A runtime that was reset through dlsym, which nobody sees, no longer knows
 * the stream: that is no error to speak of when everything ends. */
static bool stream_known(const link_stream_t *stream)
{
    const asc_acl_t *acl = asc_acl_get();
    aclrtStreamStatus state;

    return acl != NULL && (acl->aclrtStreamQuery == NULL ||
                           acl->aclrtStreamQuery(stream->handle, &state) == ACL_SUCCESS);
}

void link_transfer_close(unsigned long long deadline_ms)
{
    unsigned count = link_peer_count();

    for (unsigned i = 0; i < count; i++) {
        asc_link_peer_t *peer = link_peer_at(i);
        link_stream_t *stream = atomic_load(&peer->stream);
        uint64_t now = link_now_ms();
        link_ctx_t ctx;
        link_op_t op;

        if (stream == NULL || stream->epoch != link_ctx_epoch(stream->device) ||
            !link_ctx_usable(stream->device) || link_ctx_enter(stream->device, &ctx) != ASC_OK) {
            continue;
        }
        /* ops that nobody has tested yet look at their stream once more */
        if (!stream->failed && stream_known(stream) &&
            link_op_mark(&op, stream, NULL) == ASC_INPROGRESS &&
            link_op_wait(&op, now < deadline_ms ? (unsigned)(deadline_ms - now) : 0) == ASC_OK &&
            link_import_busy() == 0 &&
            atomic_compare_exchange_strong(&peer->stream, &stream, NULL)) {
            link_stream_destroy(stream, false);
        }
        link_ctx_leave(&ctx);
    }
}

/* ------------------------------------------------------ direct ---------- */

enum {
    COVERED = 1, /* a record is behind the copy */
    PUT = 2,
    RELAY = 4, /* the owner relays if need be */
    AGAIN = 8  /* it has failed once */
};

static void report(const link_transfer_t *task, aclError error)
{
    char text[ASC_ACL_TEXT_MAX];

    link_rescue_mention(task, asc_acl_error_text(error, text, sizeof(text)));
}

static aclError enqueue(const link_stream_t *stream, char *there, char *here, size_t len, bool put)
{
    return link_stream_copy(stream, put ? there : here, put ? here : there, len,
                            ACL_MEMCPY_DEVICE_TO_DEVICE);
}

static asc_status_t finish(link_op_t *op, asc_status_t status);

/* Context current. The op is counted as begun; on failure nothing of it is
 * left in the stream. */
static asc_status_t start(const link_transfer_t *task, link_stream_t *stream, link_op_t *op,
                          uint32_t flags)
{
    aclError error = enqueue(stream, task->there, task->here, task->len, task->put);
    asc_status_t status = ASC_ERR_ACL;
    uint64_t seq;

    if (error != ACL_SUCCESS) {
        report(task, error);
        (void)link_stream_settle(stream);
    } else {
        status = link_op_start(op, stream, finish);
    }
    if (status != ASC_INPROGRESS) {
        if (status != ASC_OK) {
            link_stream_fail(stream);
        }
        return status;
    }
    op->arg[0] = task->import;
    op->arg[1] = task->here;
    op->arg[2] = task->there;
    op->len = task->len;
    op->quiet = 1; /* what follows tells */
    op->flags = flags | (task->put ? PUT : 0) | (task->relay ? RELAY : 0);
    seq = task->import->owner->self ? 0 : link_notify_record(task->import->owner, stream);
    if (seq != 0) {
        op->flags |= COVERED;
        link_import_op_covered(task->import, seq);
    }
    return ASC_INPROGRESS;
}

static asc_status_t try_direct(const link_transfer_t *task, link_op_t *op, uint32_t flags)
{
    asc_link_import_t *import = task->import;
    asc_status_t status = ASC_ERR_ACL;
    link_stream_t *stream;
    link_ctx_t ctx;

    if (!link_import_usable(import) || link_ctx_enter(import->device, &ctx) != ASC_OK) {
        return ASC_ERR_ACL;
    }
    stream = pair_stream(import);
    if (stream != NULL) {
        status = start(task, stream, op, flags);
    }
    link_ctx_leave(&ctx);
    return status;
}

/* The direct copy is over, as @a status says; the op may go on another way. */
static asc_status_t end_direct(const link_transfer_t *task, asc_status_t status, link_op_t *op)
{
    if (status == ASC_OK) {
        link_rescue_not_needed(task->import->owner);
        link_import_op_end(task->import, false, false);
        return ASC_OK;
    }
    return link_rescue(task, op);
}

static asc_status_t finish(link_op_t *op, asc_status_t status)
{
    asc_link_import_t *import = op->arg[0];
    link_transfer_t task = {.import = import,
                            .here = op->arg[1],
                            .there = op->arg[2],
                            .len = op->len,
                            .put = (op->flags & PUT) != 0,
                            .relay = (op->flags & RELAY) != 0};
    bool again = (op->flags & AGAIN) != 0;

    if (status == ASC_OK) {
        link_rescue_not_needed(import->owner);
        link_import_op_end(import, (op->flags & COVERED) != 0, false);
        return ASC_OK;
    }
    if ((op->flags & COVERED) != 0) {
        link_import_op_uncover(import);
        link_notify_spoil(import->owner);
    }
    if (op->error != ACL_SUCCESS) {
        report(&task, op->error);
    }
    if (!again && asc_link_peer_alive(import->owner)) {
        status = try_direct(&task, op, AGAIN);
    }
    return status == ASC_INPROGRESS ? status : end_direct(&task, status, op);
}

static asc_status_t run_direct(const link_transfer_t *task, asc_link_op_t *op)
{
    asc_status_t status = ASC_ERR_ACL;

    link_import_op_begin(task->import);
    if (!link_rescue_at_once(task)) {
        status = try_direct(task, (link_op_t *)op, 0);
        if (status == ASC_ERR_ACL) {
            status = try_direct(task, (link_op_t *)op, AGAIN);
        }
    }
    if (status != ASC_INPROGRESS) {
        return end_direct(task, status, (link_op_t *)op);
    }
    return asc_link_op_test(op); /* a short copy is often over by now */
}

/* ------------------------------------------------------ bounce ---------- */

/* One piece by way of device memory beside the import; returns when done. */
static asc_status_t bounce_piece(const link_transfer_t *task, link_stream_t *stream, char *bounce,
                                 size_t at, size_t part)
{
    aclError error;

    if (task->put && asc_link_copy(bounce, task->here + at, part) != ASC_OK) {
        return ASC_ERR_ACL;
    }
    error = enqueue(stream, task->there + at, bounce, part, task->put);
    if (error == ACL_SUCCESS) {
        error = link_stream_settle(stream);
    }
    if (error != ACL_SUCCESS) {
        report(task, error);
        link_stream_fail(stream);
        return ASC_ERR_ACL;
    }
    return task->put ? ASC_OK : asc_link_copy(task->here + at, bounce, part);
}

/* The import is on the home device, the local buffer on another one. */
static asc_status_t run_bounced(const link_transfer_t *task, asc_link_op_t *op)
{
    size_t room = task->len < BOUNCE_MAX ? task->len : BOUNCE_MAX;
    link_stream_t *stream = NULL;
    void *bounce = NULL;
    asc_status_t status;
    link_ctx_t ctx;

    link_import_op_begin(task->import);
    if (link_rescue_at_once(task) || link_ctx_enter(task->import->device, &ctx) != ASC_OK) {
        return end_direct(task, ASC_ERR_ACL, (link_op_t *)op);
    }
    status = asc_link_mem_alloc(room, &bounce);
    if (status == ASC_OK) {
        stream = pair_stream(task->import);
        status = stream != NULL ? ASC_OK : ASC_ERR_ACL;
    }
    for (size_t at = 0; at < task->len && status == ASC_OK; at += room) {
        size_t part = task->len - at < room ? task->len - at : room;

        status = bounce_piece(task, stream, bounce, at, part);
    }
    if (bounce != NULL) {
        (void)asc_link_mem_free(bounce);
    }
    link_ctx_leave(&ctx);
    link_count(get_bounced, 1);
    return end_direct(task, status, (link_op_t *)op);
}

/* ------------------------------------------------------ door ------------ */

static asc_status_t transfer(link_transfer_t *task, uint64_t remote, asc_link_op_t *op)
{
    const link_rkey_t *rkey = &task->import->rkey;
    asc_link_mem_t mem;

    if (remote < rkey->base || remote - rkey->base > rkey->size ||
        task->len > rkey->size - (remote - rkey->base)) {
        asc_log_once(ASC_LOG_ERROR,
                     "%zu bytes at %llx are not inside the imported %llu bytes at "
                     "%llx of process %d",
                     task->len, (unsigned long long)remote, (unsigned long long)rkey->size,
                     (unsigned long long)rkey->base, task->import->owner->addr.pid);
        return ASC_ERR_INVALID;
    }
    if (task->len == 0) {
        return ASC_OK;
    }
    if (asc_link_mem_query(task->here, task->len, &mem) != ASC_LINK_MEM_DEVICE) {
        asc_log_once(ASC_LOG_ERROR,
                     "local buffer %p of %zu bytes is not device memory of this "
                     "process",
                     (void *)task->here, task->len);
        return ASC_ERR_INVALID;
    }
    if (task->put) {
        link_count(put_ops, 1);
        link_count(put_bytes, task->len);
    } else {
        link_count(get_ops, 1);
        link_count(get_bytes, task->len);
    }
    task->there = (char *)task->import->local + (remote - rkey->base);
    if (mem.device == task->import->device) {
        return run_direct(task, op);
    }
    if (task->import->owner->self) {
        return asc_link_copy(task->put ? task->there : task->here,
                             task->put ? task->here : task->there, task->len);
    }
    return run_bounced(task, op);
}

asc_status_t asc_link_get(asc_link_import_t *import, uint64_t remote, void *local, size_t len,
                          asc_link_op_t *op)
{
    link_transfer_t task = {.import = import, .here = local, .len = len};

    return transfer(&task, remote, op);
}

asc_status_t asc_link_put(asc_link_import_t *import, uint64_t remote, const void *local, size_t len,
                          asc_link_op_t *op)
{
    link_transfer_t task = {.import = import, .here = (void *)local, .len = len, .put = true};

    return transfer(&task, remote, op);
}

asc_status_t asc_link_get_or_relay(asc_link_import_t *import, uint64_t remote, void *local,
                                   size_t len, asc_link_op_t *op)
{
    link_transfer_t task = {.import = import, .here = local, .len = len, .relay = true};

    return transfer(&task, remote, op);
}

asc_status_t asc_link_put_or_relay(asc_link_import_t *import, uint64_t remote, const void *local,
                                   size_t len, asc_link_op_t *op)
{
    link_transfer_t task = {
        .import = import, .here = (void *)local, .len = len, .put = true, .relay = true};

    return transfer(&task, remote, op);
}
