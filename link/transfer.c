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
#include "link/notify.h"

#define BOUNCE_MAX ((size_t)8 << 20)

typedef struct transfer {
    asc_link_import_t *import;
    char *there; /* the remote address as mapped here */
    char *here;
    size_t len;
    bool put;
} transfer_t;

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
            link_op_start(&op, stream, NULL) == ASC_INPROGRESS &&
            link_op_wait(&op, now < deadline_ms ? (unsigned)(deadline_ms - now) : 0) == ASC_OK &&
            link_import_busy() == 0 &&
            atomic_compare_exchange_strong(&peer->stream, &stream, NULL)) {
            link_stream_destroy(stream, false);
        }
        link_ctx_leave(&ctx);
    }
}

/* ------------------------------------------------------ direct ---------- */

static void report(const transfer_t *task, aclError error)
{
    char text[ASC_ACL_TEXT_MAX];

    asc_log(ASC_LOG_ERROR, "copy of %zu bytes %s process %d failed: %s", task->len,
            task->put ? "to" : "from", task->import->owner->addr.pid,
            asc_acl_error_text(error, text, sizeof(text)));
}

static aclError enqueue(const link_stream_t *stream, char *there, char *here, size_t len, bool put)
{
    return link_stream_copy(stream, put ? there : here, put ? here : there, len,
                            ACL_MEMCPY_DEVICE_TO_DEVICE);
}

static asc_status_t finish(link_op_t *op, asc_status_t status)
{
    asc_link_import_t *import = op->arg[0];

    if (status != ASC_OK) {
        asc_log(ASC_LOG_ERROR, "copy %s process %d failed: %s", op->arg[2] != NULL ? "to" : "from",
                import->owner->addr.pid,
                asc_link_peer_alive(import->owner) ? "its memory or the link is not usable"
                                                   : "it has ended");
    }
    link_import_op_end(import, op->arg[1] != NULL, status != ASC_OK);
    return status;
}

/* Context current. The op is counted as begun; on failure nothing of it may
 * be left in the stream. */
static asc_status_t start(const transfer_t *task, link_stream_t *stream, link_op_t *op)
{
    const asc_acl_t *acl = asc_acl_get();
    aclError error = enqueue(stream, task->there, task->here, task->len, task->put);
    asc_status_t status = ASC_ERR_ACL;
    uint64_t seq;

    if (error != ACL_SUCCESS) {
        report(task, error);
    } else {
        status = link_op_start(op, stream, finish);
    }
    if (status != ASC_INPROGRESS) {
        (void)acl->aclrtSynchronizeStream(stream->handle);
        link_stream_fail(stream);
        return ASC_ERR_ACL;
    }
    op->arg[0] = task->import;
    op->arg[1] = NULL;
    op->arg[2] = task->put ? task->import : NULL;
    seq = task->import->owner->self ? 0 : link_notify_record(task->import->owner, stream);
    if (seq != 0) {
        op->arg[1] = task->import;
        link_import_op_covered(task->import, seq);
    }
    return ASC_INPROGRESS;
}

static asc_status_t run_direct(const transfer_t *task, asc_link_op_t *op)
{
    asc_link_import_t *import = task->import;
    link_stream_t *stream;
    asc_status_t status;
    link_ctx_t ctx;

    status = link_ctx_enter(import->device, &ctx);
    if (status != ASC_OK) {
        return ASC_ERR_ACL;
    }
    stream = pair_stream(import);
    if (stream == NULL) {
        link_ctx_leave(&ctx);
        return ASC_ERR_ACL;
    }
    link_import_op_begin(import);
    status = start(task, stream, (link_op_t *)op);
    link_ctx_leave(&ctx);
    if (status != ASC_INPROGRESS) {
        link_import_op_end(import, false, true);
        return status;
    }
    return asc_link_op_test(op); /* a short copy is often over by now */
}

/* ------------------------------------------------------ bounce ---------- */

/* One piece by way of device memory beside the import; returns when done. */
static asc_status_t bounce_piece(const transfer_t *task, link_stream_t *stream, char *bounce,
                                 size_t at, size_t part)
{
    const asc_acl_t *acl = asc_acl_get();
    aclError error;

    if (task->put && asc_link_copy(bounce, task->here + at, part) != ASC_OK) {
        return ASC_ERR_ACL;
    }
    error = enqueue(stream, task->there + at, bounce, part, task->put);
    if (error == ACL_SUCCESS) {
        error = acl->aclrtSynchronizeStream(stream->handle);
    }
    if (error != ACL_SUCCESS) {
        report(task, error);
        link_stream_fail(stream);
        return ASC_ERR_ACL;
    }
    return task->put ? ASC_OK : asc_link_copy(task->here + at, bounce, part);
}

/* The import is on the home device, the local buffer on another one. */
static asc_status_t run_bounced(const transfer_t *task)
{
    size_t room = task->len < BOUNCE_MAX ? task->len : BOUNCE_MAX;
    link_stream_t *stream = NULL;
    void *bounce = NULL;
    asc_status_t status;
    link_ctx_t ctx;

    if (link_ctx_enter(task->import->device, &ctx) != ASC_OK) {
        return ASC_ERR_ACL;
    }
    link_import_op_begin(task->import);
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
    link_import_op_end(task->import, false, status == ASC_ERR_ACL);
    link_count(get_bounced, 1);
    return status;
}

/* ------------------------------------------------------ door ------------ */

static asc_status_t transfer(transfer_t *task, uint64_t remote, asc_link_op_t *op)
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
    return run_bounced(task);
}

asc_status_t asc_link_get(asc_link_import_t *import, uint64_t remote, void *local, size_t len,
                          asc_link_op_t *op)
{
    transfer_t task = {.import = import, .here = local, .len = len, .put = false};

    return transfer(&task, remote, op);
}

asc_status_t asc_link_put(asc_link_import_t *import, uint64_t remote, const void *local, size_t len,
                          asc_link_op_t *op)
{
    transfer_t task = {.import = import, .here = (void *)local, .len = len, .put = true};

    return transfer(&task, remote, op);
}
