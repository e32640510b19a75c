/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * event.c - events. A record counts up "submitted" when it is enqueued and
 * "done" when the stream gets there; the event is complete when they agree.
 */
#include "leaks.h"
#include "node.h"
#include "stream.h"
#include "sysmem.h"

#define EVENTS 65536

struct event {
    struct handle_head head;
    uint32_t flags;
    bool ex; /* made by CreateEventExWithFlag */
    int dev;
    _Atomic uint32_t tasks; /* queued tasks that hold the event, plus the handle */
    _Atomic uint64_t submitted, done;
    _Atomic uint64_t time_ns; /* of the last record done */
    _Atomic int error;        /* of the stream that recorded it */
    _Atomic(struct stream *) stream;
};

static struct handle_table events = HANDLE_TABLE(struct event, EVENTS);

static void event_put(struct event *ev)
{
    if (atomic_fetch_sub(&ev->tasks, 1) == 1) {
        handle_free(&events, ev);
    }
}

/* ---- tasks ---- */

static void record_finish(struct task *t, int error)
{
    struct event *ev = t->u.event.ev;
    if ((ev->flags & ACL_EVENT_TIME_LINE) != 0) {
        atomic_store_explicit(&ev->time_ns, sysmem_now(), memory_order_relaxed);
    }
    atomic_store_explicit(&ev->error, error, memory_order_relaxed);
    uint64_t done = atomic_load_explicit(&ev->done, memory_order_relaxed);
    while (done < t->u.event.gen &&
           !atomic_compare_exchange_weak_explicit(&ev->done, &done, t->u.event.gen,
                                                  memory_order_release, memory_order_relaxed)) {
    }
    event_put(ev);
}

static enum task_result record_run(struct stream *s, struct task *t)
{
    (void)s;
    record_finish(t, ACL_SUCCESS);
    return TASK_DONE;
}

/* On a failed stream the event still completes, with the stream's error, so
 * that nobody waits for it for ever. */
static void record_drop(struct stream *s, struct task *t)
{
    int error = atomic_load(&s->error);
    record_finish(t, error != ACL_SUCCESS ? error : ACL_ERROR_RT_STREAM_ABORT);
}

const struct task_ops event_record_ops = {record_run, record_drop, NULL};

static bool event_reached(struct event *ev, uint64_t gen)
{
    return atomic_load_explicit(&ev->done, memory_order_acquire) >= gen;
}

static enum task_result wait_run(struct stream *s, struct task *t)
{
    struct event *ev = t->u.event.ev;
    if (!event_reached(ev, t->u.event.gen)) {
        struct stream *from = atomic_load(&ev->stream);
        if (from != NULL && from != s && knobs.async != ASYNC_RANDOM) {
            stream_advance(from, INT_MAX, false);
        }
    }
    if (!event_reached(ev, t->u.event.gen)) {
        if (t->u.event.timeout_s == 0) {
            return TASK_BLOCKED;
        }
        uint64_t now = sysmem_now();
        if (t->deadline_ns == 0) {
            t->deadline_ns = now + t->u.event.timeout_s * 1000000000ull;
        }
        if (now < t->deadline_ns) {
            return TASK_BLOCKED;
        }
        stream_fault(s, ACL_ERROR_RT_TS_ERROR, "event wait timed out after %u s",
                     t->u.event.timeout_s);
    } else if (atomic_load(&ev->error) != ACL_SUCCESS) {
        stream_fault(s, atomic_load(&ev->error), "the stream that recorded the event failed");
    }
    event_put(ev);
    return TASK_DONE;
}

static void wait_drop(struct stream *s, struct task *t)
{
    (void)s;
    event_put(t->u.event.ev);
}

const struct task_ops event_wait_ops = {wait_run, wait_drop, NULL};

/* ---- calls ---- */

static aclError create(aclrtEvent *event, uint32_t flag, bool ex)
{
    struct context *ctx;
    uint32_t known = ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS | ACL_EVENT_TIME_LINE |
                     ACL_EVENT_DEVICE_USE_ONLY | ACL_EVENT_EXTERNAL;
    if (event == NULL) {
        return sim_fail(ACL_ERROR_INVALID_PARAM, "event is NULL");
    }
    if (flag == ACL_EVENT_IPC && ex) {
        return sim_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "npusim has no IPC events");
    }
    bool mixed = (flag & ACL_EVENT_EXTERNAL) != 0 && flag != ACL_EVENT_EXTERNAL;
    if (flag == 0 || (flag & ~known) != 0 || mixed) {
        return sim_fail(ACL_ERROR_RT_PARAM_INVALID, "flag 0x%x is not valid", flag);
    }
    aclError rc = context_need(&ctx);
    if (rc != ACL_SUCCESS) {
        return rc;
    }
    bool limited = knobs.max_event != UINT32_MAX;
    if (limited && !node_take(ctx->dev, BUDGET_EVENTS, 1)) {
        return sim_fail(ACL_ERROR_RT_NO_EVENT_RESOURCE, "device %d has no event left (%u in all)",
                        knobs_user(ctx->dev), knobs.max_event);
    }
    struct event *ev = handle_new(&events, sizeof(*ev));
    if (ev == NULL) {
        if (limited) {
            node_give(ctx->dev, BUDGET_EVENTS, 1);
        }
        return sim_fail(ACL_ERROR_RT_NO_EVENT_RESOURCE, "all %d events are in use", EVENTS);
    }
    ev->flags = flag;
    ev->ex = ex;
    ev->dev = ctx->dev;
    atomic_store(&ev->tasks, 1);
    sim_count(SIM_C_LIVE_EVENT, 1);
    handle_publish(ev);
    *event = ev;
    return ACL_SUCCESS;
}

SIM_API aclError aclrtCreateEvent(aclrtEvent *event)
{
    aclError rc = sim_enter(SIM_F_aclrtCreateEvent);
    return rc != ACL_SUCCESS ? rc : create(event, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE, false);
}

SIM_API aclError aclrtCreateEventWithFlag(aclrtEvent *event, uint32_t flag)
{
    aclError rc = sim_enter(SIM_F_aclrtCreateEventWithFlag);
    return rc != ACL_SUCCESS ? rc : create(event, flag, false);
}

SIM_API aclError aclrtCreateEventExWithFlag(aclrtEvent *event, uint32_t flag)
{
    aclError rc = sim_enter(SIM_F_aclrtCreateEventExWithFlag);
    return rc != ACL_SUCCESS ? rc : create(event, flag, true);
}

static aclError event_use(aclrtEvent handle, struct event **ev)
{
    *ev = handle_get(&events, handle);
    if (*ev == NULL) {
        return sim_fail(handle == NULL ? ACL_ERROR_INVALID_PARAM : ACL_ERROR_RT_INVALID_HANDLE,
                        "%p is not a live event", handle);
    }
    return device_there((*ev)->dev);
}

static void event_end(struct event *ev)
{
    if (handle_kill(ev)) {
        sim_uncount(SIM_C_LIVE_EVENT, 1);
        if (knobs.max_event != UINT32_MAX) {
            node_give(ev->dev, BUDGET_EVENTS, 1);
        }
        event_put(ev);
    }
}

SIM_API aclError aclrtDestroyEvent(aclrtEvent event)
{
    struct event *ev;
    aclError rc = sim_enter(SIM_F_aclrtDestroyEvent);
    if (rc != ACL_SUCCESS || (rc = event_use(event, &ev)) != ACL_SUCCESS) {
        return rc;
    }
    event_end(ev);
    return ACL_SUCCESS;
}

void event_leaks(int dev)
{
    struct event *ev;
    for (uint32_t i = 0; (ev = handle_at(&events, i)) != NULL; i++) {
        if (handle_live(ev) && ev->dev == dev) {
            leak_add(LEAK_EVENT, 0, &ev->head.origin);
        }
    }
}

void event_end_device(int dev)
{
    struct event *ev;
    for (uint32_t i = 0; (ev = handle_at(&events, i)) != NULL; i++) {
        if (handle_live(ev) && ev->dev == dev) {
            event_end(ev);
        }
    }
}

SIM_API aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream)
{
    struct event *ev;
    struct stream *s;
    aclError rc = sim_enter(SIM_F_aclrtRecordEvent);
    if (rc != ACL_SUCCESS || (rc = event_use(event, &ev)) != ACL_SUCCESS ||
        (rc = stream_use(stream, &s)) != ACL_SUCCESS) {
        return rc;
    }
    if (s->dev != ev->dev) {
        return sim_fail(ACL_ERROR_RT_PARAM_INVALID, "the event is of device %d, the stream of %d",
                        knobs_user(ev->dev), knobs_user(s->dev));
    }
    atomic_fetch_add_explicit(&ev->tasks, 1, memory_order_relaxed);
    atomic_store(&ev->stream, s);
    struct task t = {.type = TASK_EVENT_RECORD, .u.event = {.ev = ev}};
    t.u.event.gen = atomic_fetch_add(&ev->submitted, 1) + 1;
    return stream_submit(s, &t);
}

/* A wait belongs to the records submitted before it, so a reset has nothing
 * to clear; only its rules are left. */
SIM_API aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream)
{
    struct event *ev;
    struct stream *s;
    aclError rc = sim_enter(SIM_F_aclrtResetEvent);
    if (rc != ACL_SUCCESS || (rc = event_use(event, &ev)) != ACL_SUCCESS ||
        (rc = stream_use(stream, &s)) != ACL_SUCCESS) {
        return rc;
    }
    if (ev->ex || (ev->flags & ACL_EVENT_SYNC) == 0) {
        return sim_fail(ACL_ERROR_RT_PARAM_INVALID, "this kind of event cannot be reset");
    }
    return ACL_SUCCESS;
}

static aclError wait_event(aclrtStream stream, aclrtEvent event, int32_t timeout)
{
    struct event *ev;
    struct stream *s;
    aclError rc = event_use(event, &ev);
    if (rc != ACL_SUCCESS || (rc = stream_use(stream, &s)) != ACL_SUCCESS) {
        return rc;
    }
    if ((ev->flags & (ACL_EVENT_SYNC | ACL_EVENT_EXTERNAL)) == 0) {
        return sim_fail(ACL_ERROR_RT_PARAM_INVALID, "the event was made without ACL_EVENT_SYNC");
    }
    if (timeout < 0 || s->dev != ev->dev) {
        return sim_fail(ACL_ERROR_RT_PARAM_INVALID,
                        "timeout %d is negative, or the event (device %d) is not of the stream's "
                        "device %d",
                        timeout, knobs_user(ev->dev), knobs_user(s->dev));
    }
    atomic_fetch_add_explicit(&ev->tasks, 1, memory_order_relaxed);
    struct task t = {.type = TASK_EVENT_WAIT,
                     .u.event = {ev, atomic_load(&ev->submitted), (uint32_t)timeout}};
    return stream_submit(s, &t);
}

SIM_API aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event)
{
    aclError rc = sim_enter(SIM_F_aclrtStreamWaitEvent);
    return rc != ACL_SUCCESS ? rc : wait_event(stream, event, 0);
}

SIM_API aclError aclrtStreamWaitEventWithTimeout(aclrtStream stream, aclrtEvent event,
                                                 int32_t timeout)
{
    aclError rc = sim_enter(SIM_F_aclrtStreamWaitEventWithTimeout);
    return rc != ACL_SUCCESS ? rc : wait_event(stream, event, timeout);
}

static bool event_complete(struct event *ev)
{
    return event_reached(ev, atomic_load_explicit(&ev->submitted, memory_order_acquire));
}

static aclError event_result(struct event *ev)
{
    int code = atomic_load_explicit(&ev->error, memory_order_relaxed);
    return code == ACL_SUCCESS ? ACL_SUCCESS
                               : sim_fail(code, "the stream that recorded the event failed");
}

/* Complete or not; lets the recording stream move first. */
static aclError query(aclrtEvent event, bool *complete)
{
    struct event *ev;
    aclError rc = event_use(event, &ev);
    if (rc != ACL_SUCCESS) {
        return rc;
    }
    *complete = event_complete(ev);
    if (!*complete) {
        stream_poll(atomic_load(&ev->stream));
        *complete = event_complete(ev);
    }
    return *complete ? event_result(ev) : ACL_SUCCESS;
}

SIM_API aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus *status)
{
    bool complete;
    aclError rc = sim_enter(SIM_F_aclrtQueryEventStatus);
    if (rc == ACL_SUCCESS && status == NULL) {
        rc = sim_fail(ACL_ERROR_INVALID_PARAM, "status is NULL");
    }
    if (rc == ACL_SUCCESS && (rc = query(event, &complete)) == ACL_SUCCESS) {
        *status =
            complete ? ACL_EVENT_RECORDED_STATUS_COMPLETE : ACL_EVENT_RECORDED_STATUS_NOT_READY;
    }
    return rc;
}

static aclError query_old(aclrtEvent event, void *status, bool *complete)
{
    struct event *ev = handle_get(&events, event);
    if (status == NULL) {
        return sim_fail(ACL_ERROR_INVALID_PARAM, "status is NULL");
    }
    if (ev != NULL && ev->ex) {
        return sim_fail(ACL_ERROR_RT_PARAM_INVALID,
                        "events of aclrtCreateEventExWithFlag take aclrtQueryEventStatus");
    }
    return query(event, complete);
}

SIM_API aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus *status)
{
    bool complete;
    aclError rc = sim_enter(SIM_F_aclrtQueryEvent);
    if (rc == ACL_SUCCESS && (rc = query_old(event, status, &complete)) == ACL_SUCCESS) {
        *status = complete ? ACL_EVENT_STATUS_COMPLETE : ACL_EVENT_STATUS_NOT_READY;
    }
    return rc;
}

SIM_API aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus *status)
{
    bool complete;
    aclError rc = sim_enter(SIM_F_aclrtQueryEventWaitStatus);
    if (rc == ACL_SUCCESS && (rc = query_old(event, status, &complete)) == ACL_SUCCESS) {
        *status = complete ? ACL_EVENT_WAIT_STATUS_COMPLETE : ACL_EVENT_WAIT_STATUS_NOT_READY;
    }
    return rc;
}

static aclError sync_event(aclrtEvent event, int32_t timeout_ms)
{
    struct event *ev;
    struct backoff b = {0};
    uint64_t end = timeout_ms < 0 ? UINT64_MAX : sysmem_now() + (uint64_t)timeout_ms * 1000000u;
    aclError rc = event_use(event, &ev);
    if (rc != ACL_SUCCESS) {
        return rc;
    }
    while (!event_complete(ev)) {
        stream_push(atomic_load(&ev->stream));
        if (event_complete(ev)) {
            break;
        }
        if (end != UINT64_MAX && sysmem_now() >= end) {
            rc = sim_fail(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, "not reached after %d ms", timeout_ms);
            break;
        }
        worker_note_poll();
        backoff_wait(&b);
    }
    backoff_end(&b);
    return rc != ACL_SUCCESS ? rc : event_result(ev);
}

SIM_API aclError aclrtSynchronizeEvent(aclrtEvent event)
{
    aclError rc = sim_enter(SIM_F_aclrtSynchronizeEvent);
    return rc != ACL_SUCCESS ? rc : sync_event(event, -1);
}

SIM_API aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout)
{
    aclError rc = sim_enter(SIM_F_aclrtSynchronizeEventWithTimeout);
    if (rc == ACL_SUCCESS && timeout < -1) {
        return sim_fail(ACL_ERROR_RT_PARAM_INVALID, "timeout %d is below -1", timeout);
    }
    return rc != ACL_SUCCESS ? rc : sync_event(event, timeout);
}

SIM_API aclError aclrtEventElapsedTime(float *ms, aclrtEvent startEvent, aclrtEvent endEvent)
{
    struct event *a, *b;
    aclError rc = sim_enter(SIM_F_aclrtEventElapsedTime);
    if (rc != ACL_SUCCESS) {
        return rc;
    }
    if (ms == NULL) {
        return sim_fail(ACL_ERROR_INVALID_PARAM, "ms is NULL");
    }
    if ((rc = event_use(startEvent, &a)) != ACL_SUCCESS ||
        (rc = event_use(endEvent, &b)) != ACL_SUCCESS) {
        return rc;
    }
    uint64_t t0 = atomic_load(&a->time_ns), t1 = atomic_load(&b->time_ns);
    if (!event_complete(a) || !event_complete(b) || t0 == 0 || t1 == 0) {
        return sim_fail(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID,
                        "an event has no time: not recorded, not complete, or made without "
                        "ACL_EVENT_TIME_LINE");
    }
    if (t1 < t0) {
        return sim_fail(ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL, "the end is before the start");
    }
    *ms = (float)((double)(t1 - t0) / 1e6);
    return ACL_SUCCESS;
}
