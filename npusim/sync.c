/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sync.c - the stream calls of the ABI: make, end, wait, query.
 */
#include "node.h"
#include "stream.h"
#include "sysmem.h"

aclError stream_sync(struct stream *s, int32_t timeout_ms)
{
    struct backoff b = {0};
    uint64_t deadline =
        timeout_ms < 0 ? UINT64_MAX : sysmem_now() + (uint64_t)timeout_ms * 1000000u;
    aclError rc = ACL_SUCCESS;
    for (;;) {
        stream_push(s);
        if (stream_idle(s)) {
            rc = stream_result(s);
            break;
        }
        if (!handle_live(s)) {
            rc = sim_fail(ACL_ERROR_RT_STREAM_ABORT, "the stream was destroyed meanwhile");
            break;
        }
        if (deadline != UINT64_MAX && sysmem_now() >= deadline) {
            rc = sim_fail(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "not done after %d ms", timeout_ms);
            break;
        }
        worker_note_poll();
        backoff_wait(&b);
    }
    backoff_end(&b);
    return rc;
}

static aclError create(aclrtStream *stream, uint32_t flag)
{
    struct context *ctx;
    uint32_t known = ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC | ACL_STREAM_PERSISTENT |
                     ACL_STREAM_HUGE | ACL_STREAM_CPU_SCHEDULE | ACL_STREAM_DEVICE_USE_ONLY;
    if (stream == NULL) {
        return sim_fail(ACL_ERROR_INVALID_PARAM, "stream is NULL");
    }
    if ((flag & ~known) != 0) {
        return sim_fail(ACL_ERROR_RT_PARAM_INVALID, "flag 0x%x is unknown", flag);
    }
    aclError rc = context_need(&ctx);
    if (rc != ACL_SUCCESS) {
        return rc;
    }
    struct stream *s = stream_new(ctx, flag);
    if (s == NULL) {
        return sim_fail(ACL_ERROR_RT_NO_STREAM_RESOURCE, "device %d has no stream left",
                        knobs_user(ctx->dev));
    }
    *stream = s;
    return ACL_SUCCESS;
}

SIM_API aclError aclrtCreateStream(aclrtStream *stream)
{
    aclError rc = sim_enter(SIM_F_aclrtCreateStream);
    return rc != ACL_SUCCESS ? rc : create(stream, 0);
}

SIM_API aclError aclrtCreateStreamWithConfig(aclrtStream *stream, uint32_t priority, uint32_t flag)
{
    aclError rc = sim_enter(SIM_F_aclrtCreateStreamWithConfig);
    (void)priority;
    return rc != ACL_SUCCESS ? rc : create(stream, flag);
}

static aclError destroy(aclrtStream stream, bool force)
{
    struct stream *s;
    if (stream == NULL) {
        return sim_fail(ACL_ERROR_INVALID_PARAM, "stream is NULL");
    }
    aclError rc = stream_use(stream, &s);
    if (rc != ACL_SUCCESS) {
        return rc;
    }
    if (s == s->ctx->def) {
        return sim_fail(ACL_ERROR_RT_PARAM_INVALID, "a default stream cannot be destroyed");
    }
    if (!force) {
        stream_sync(s, -1); /* its error was for the caller to ask for */
    }
    stream_end(s);
    return ACL_SUCCESS;
}

SIM_API aclError aclrtDestroyStream(aclrtStream stream)
{
    aclError rc = sim_enter(SIM_F_aclrtDestroyStream);
    return rc != ACL_SUCCESS ? rc : destroy(stream, false);
}

SIM_API aclError aclrtDestroyStreamForce(aclrtStream stream)
{
    aclError rc = sim_enter(SIM_F_aclrtDestroyStreamForce);
    return rc != ACL_SUCCESS ? rc : destroy(stream, true);
}

SIM_API aclError aclrtSynchronizeStream(aclrtStream stream)
{
    struct stream *s;
    aclError rc = sim_enter(SIM_F_aclrtSynchronizeStream);
    if (rc != ACL_SUCCESS || (rc = stream_any(stream, &s)) != ACL_SUCCESS) {
        return rc;
    }
    return stream_sync(s, -1);
}

SIM_API aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout)
{
    struct stream *s;
    aclError rc = sim_enter(SIM_F_aclrtSynchronizeStreamWithTimeout);
    if (rc != ACL_SUCCESS) {
        return rc;
    }
    if (timeout < -1) {
        return sim_fail(ACL_ERROR_RT_PARAM_INVALID, "timeout %d is below -1", timeout);
    }
    rc = stream_any(stream, &s);
    return rc != ACL_SUCCESS ? rc : stream_sync(s, timeout);
}

SIM_API aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus *status)
{
    struct stream *s;
    aclError rc = sim_enter(SIM_F_aclrtStreamQuery);
    if (rc != ACL_SUCCESS) {
        return rc;
    }
    if (status == NULL) {
        return sim_fail(ACL_ERROR_INVALID_PARAM, "status is NULL");
    }
    if ((rc = stream_any(stream, &s)) != ACL_SUCCESS) {
        return rc;
    }
    stream_poll(s);
    if ((rc = stream_result(s)) == ACL_SUCCESS) {
        *status = stream_idle(s) ? ACL_STREAM_STATUS_COMPLETE : ACL_STREAM_STATUS_NOT_READY;
        rc = stream_result(s);
    }
    return rc;
}

SIM_API aclError aclrtStreamGetId(aclrtStream stream, int32_t *streamId)
{
    struct stream *s;
    aclError rc = sim_enter(SIM_F_aclrtStreamGetId);
    if (rc != ACL_SUCCESS) {
        return rc;
    }
    if (streamId == NULL) {
        return sim_fail(ACL_ERROR_INVALID_PARAM, "streamId is NULL");
    }
    if ((rc = stream_any(stream, &s)) == ACL_SUCCESS) {
        *streamId = (int32_t)stream_id(s);
    }
    return rc;
}

SIM_API aclError aclrtStreamAbort(aclrtStream stream)
{
    struct stream *s;
    aclError rc = sim_enter(SIM_F_aclrtStreamAbort);
    if (rc != ACL_SUCCESS || (rc = stream_use(stream, &s)) != ACL_SUCCESS) {
        return rc;
    }
    stream_fault(s, ACL_ERROR_RT_STREAM_ABORT, "aborted by aclrtStreamAbort");
    stream_advance(s, INT_MAX, false);
    return ACL_SUCCESS;
}

static enum task_result host_run(struct stream *s, struct task *t)
{
    (void)s;
    t->u.host.fn(t->u.host.args);
    return TASK_DONE;
}

static void host_drop(struct stream *s, struct task *t)
{
    (void)s;
    (void)t;
}

const struct task_ops host_ops = {host_run, host_drop, NULL};

SIM_API aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void *args)
{
    struct stream *s;
    aclError rc = sim_enter(SIM_F_aclrtLaunchHostFunc);
    if (rc != ACL_SUCCESS) {
        return rc;
    }
    if (fn == NULL) {
        return sim_fail(ACL_ERROR_INVALID_PARAM, "fn is NULL");
    }
    if ((rc = stream_use(stream, &s)) != ACL_SUCCESS) {
        return rc;
    }
    struct task t = {.type = TASK_HOST_FUNC, .u.host = {fn, args}};
    return stream_submit(s, &t);
}
