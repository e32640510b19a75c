/* SPDX-License-Identifier: BSD-3-Clause */
#include "link/op.h"
#include "acl/asc_log.h"
#include "link/context.h"

#include <sched.h>
#include <time.h>

/* A stream that has failed may never fire the event: it is asked directly
 * once in so many polls. */
#define LINK_OP_POLLS 64

asc_status_t link_op_mark(link_op_t *op, link_stream_t *stream, link_op_finish_fn finish)
{
    const asc_acl_t *acl = asc_acl_get();
    char text[ASC_ACL_TEXT_MAX];
    aclError err;

    if (acl == NULL) {
        return ASC_ERR_NO_RUNTIME;
    }
    op->stream = stream;
    op->finish = finish;
    op->polls = 0;
    op->quiet = 0;
    op->error = ACL_SUCCESS;
    op->event = link_event_get(stream->device);
    if (op->event == NULL) {
        return ASC_ERR_ACL;
    }
    err = acl->aclrtRecordEvent(op->event, stream->handle);
    if (err != ACL_SUCCESS) {
        asc_log(ASC_LOG_ERROR, "an event of device %d cannot be recorded: %s", stream->device,
                asc_acl_error_text(err, text, sizeof(text)));
        link_event_put(stream->device, op->event, stream->epoch);
        return ASC_ERR_ACL;
    }
    return ASC_INPROGRESS;
}

asc_status_t link_op_start(link_op_t *op, link_stream_t *stream, link_op_finish_fn finish)
{
    asc_status_t status = link_op_mark(op, stream, finish);

    if (status == ASC_ERR_ACL) {
        /* What is in the stream must be over before buffers are given up. */
        status = link_stream_settle(stream) == ACL_SUCCESS ? ASC_OK : ASC_ERR_ACL;
    }
    return status;
}

/* The stream's own word on whether its tasks went well. It needs its context,
 * which most threads have; the others are found out by asking. */
static aclError link_op_ask_stream(const asc_acl_t *acl, link_stream_t *stream)
{
    aclrtStreamStatus state;
    link_ctx_t guard;
    aclError err;

    if (acl->aclrtStreamQuery == NULL) {
        return ACL_SUCCESS;
    }
    err = acl->aclrtStreamQuery(stream->handle, &state);
    if (err != ACL_ERROR_RT_CONTEXT_NULL && err != ACL_ERROR_RT_STREAM_CONTEXT) {
        return err;
    }
    asc_acl_forget_error();
    if (link_ctx_enter(stream->device, &guard) != ASC_OK) {
        return ACL_SUCCESS;
    }
    err = acl->aclrtStreamQuery(stream->handle, &state);
    link_ctx_leave(&guard);
    return err;
}

/* Some runtimes want a context even for looking at an event. */
static aclError link_op_ask_event(const asc_acl_t *acl, const link_op_t *op,
                                  aclrtEventRecordedStatus *state)
{
    aclError err = acl->aclrtQueryEventStatus(op->event, state);
    link_ctx_t guard;

    if (err != ACL_ERROR_RT_CONTEXT_NULL) {
        return err;
    }
    asc_acl_forget_error();
    if (link_ctx_enter(op->stream->device, &guard) == ASC_OK) {
        err = acl->aclrtQueryEventStatus(op->event, state);
        link_ctx_leave(&guard);
    }
    return err;
}

static asc_status_t link_op_end(link_op_t *op, asc_status_t status)
{
    link_event_put(op->stream->device, op->event, op->stream->epoch);
    op->event = NULL;
    return op->finish != NULL ? op->finish(op, status) : status;
}

static asc_status_t link_op_failed(link_op_t *op, aclError err)
{
    char text[ASC_ACL_TEXT_MAX];

    if (op->quiet == 0 && !__atomic_load_n(&op->stream->failed, __ATOMIC_ACQUIRE)) {
        asc_log(ASC_LOG_ERROR, "a copy on device %d failed: %s", op->stream->device,
                asc_acl_error_text(err, text, sizeof(text)));
    } else {
        asc_acl_forget_error();
    }
    link_stream_fail(op->stream);
    op->error = err;
    return link_op_end(op, ASC_ERR_ACL);
}

asc_status_t asc_link_op_test(asc_link_op_t *handle)
{
    link_op_t *op = (link_op_t *)(void *)handle;
    const asc_acl_t *acl = asc_acl_peek();
    aclrtEventRecordedStatus state = ACL_EVENT_RECORDED_STATUS_NOT_READY;
    aclError err;

    if (op->stream == NULL) {
        return op->finish(op, ASC_INPROGRESS);
    }
    if (acl == NULL) {
        return ASC_ERR_NO_RUNTIME;
    }
    if (op->stream->epoch != link_ctx_epoch(op->stream->device)) {
        asc_log_once(ASC_LOG_WARN, "device %d was reset while a copy was under way",
                     op->stream->device);
        return link_op_end(op, ASC_ERR_ACL);
    }
    err = link_op_ask_event(acl, op, &state);
    if (err != ACL_SUCCESS) {
        return link_op_failed(op, err);
    }
    if (state != ACL_EVENT_RECORDED_STATUS_COMPLETE && ++op->polls % LINK_OP_POLLS != 0) {
        return ASC_INPROGRESS;
    }
    /* An event fires also behind a task that failed. */
    err = link_op_ask_stream(acl, op->stream);
    if (err != ACL_SUCCESS) {
        return link_op_failed(op, err);
    }
    if (state != ACL_EVENT_RECORDED_STATUS_COMPLETE) {
        return ASC_INPROGRESS;
    }
    return link_op_end(op, ASC_OK);
}

uint64_t link_now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

asc_status_t link_op_wait(link_op_t *op, unsigned timeout_ms)
{
    uint64_t end = link_now_ms() + timeout_ms;
    asc_status_t status;
    unsigned spins = 0;

    do {
        status = asc_link_op_test((asc_link_op_t *)(void *)op);
        if (status == ASC_INPROGRESS && ++spins > 1000) {
            sched_yield();
        }
    } while (status == ASC_INPROGRESS && link_now_ms() < end);
    return status == ASC_INPROGRESS ? ASC_ERR_TIMEOUT : status;
}
