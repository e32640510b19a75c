/* SPDX-License-Identifier: BSD-3-Clause */
#include "stream.h"

#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "fault.h"
#include "leaks.h"
#include "link.h"
#include "node.h"
#include "sysmem.h"

#define PUSH_STEPS 16 /* tries of one wait in random mode */
#define NESTING    4  /* a wait may move the stream it waits for, and so on */

static struct handle_table streams = HANDLE_TABLE(struct stream, 8192);
bool stream_hooks;
_Atomic uint64_t stream_due_ns;
_Atomic bool stream_poll_needed;
_Atomic uint32_t stream_queued_total;
static _Atomic uint64_t random_at;

static const struct task_ops *const ops[TASK_TYPES] = {
    [TASK_COPY] = &copy_ops,
    [TASK_MANY] = &many_ops,
    [TASK_FILL] = &fill_ops,
    [TASK_REDUCE] = &reduce_ops,
    [TASK_EVENT_RECORD] = &event_record_ops,
    [TASK_EVENT_WAIT] = &event_wait_ops,
    [TASK_NOTIFY_RECORD] = &notify_record_ops,
    [TASK_NOTIFY_WAIT] = &notify_wait_ops,
    [TASK_VALUE_WRITE] = &value_write_ops,
    [TASK_VALUE_WAIT] = &value_wait_ops,
    [TASK_HOST_FUNC] = &host_ops,
};

uint64_t sim_random(void)
{
    return knobs_random(0, atomic_fetch_add(&random_at, 1));
}

struct stream *stream_new(struct context *ctx, uint32_t flags)
{
    if (!node_take(ctx->dev, BUDGET_STREAMS, 1)) {
        return NULL;
    }
    struct stream *s = handle_new(&streams, offsetof(struct stream, lock));
    if (s == NULL) {
        node_give(ctx->dev, BUDGET_STREAMS, 1);
        return NULL;
    }
    if (!s->made) {
        pthread_mutex_init(&s->lock, NULL);
        s->made = true;
    }
    pthread_mutex_lock(&s->lock);
    s->ctx = ctx;
    atomic_store(&s->dev, ctx->dev);
    s->flags = flags;
    s->first = s->last = NULL;
    s->running = false;
    atomic_store(&s->queued, 0);
    atomic_store(&s->error, ACL_SUCCESS);
    s->why[0] = '\0';
    pthread_mutex_unlock(&s->lock);
    sim_count(SIM_C_LIVE_STREAM, 1);
    handle_publish(s);
    return s;
}

void stream_end(struct stream *s)
{
    if (!handle_kill(s)) {
        return;
    }
    pthread_mutex_lock(&s->lock);
    while (s->running) {
        pthread_mutex_unlock(&s->lock);
        sched_yield();
        pthread_mutex_lock(&s->lock);
    }
    struct task *t = s->first;
    s->first = s->last = NULL;
    pthread_mutex_unlock(&s->lock);
    while (t != NULL) {
        struct task *next = t->next;
        ops[t->type]->drop(s, t);
        free(t);
        atomic_fetch_sub(&stream_queued_total, 1);
        t = next;
    }
    atomic_store(&s->queued, 0);
    node_give(s->dev, BUDGET_STREAMS, 1);
    sim_uncount(SIM_C_LIVE_STREAM, 1);
    handle_free(&streams, s);
}

void stream_end_all(struct context *ctx)
{
    struct stream *s;
    for (uint32_t i = 0; (s = handle_at(&streams, i)) != NULL; i++) {
        if (handle_live(s) && s->ctx == ctx) {
            stream_end(s);
        }
    }
}

aclError stream_any(aclrtStream handle, struct stream **s)
{
    if (handle == NULL) {
        struct context *ctx;
        aclError rc = context_need(&ctx);
        *s = rc == ACL_SUCCESS ? ctx->def : NULL;
        return rc;
    }
    *s = handle_get(&streams, handle);
    if (*s == NULL) {
        return sim_fail(ACL_ERROR_RT_INVALID_HANDLE, "%p is not a live stream", handle);
    }
    return device_there((*s)->dev);
}

aclError stream_use(aclrtStream handle, struct stream **s)
{
    struct context *ctx;
    aclError rc = context_need(&ctx);
    if (rc != ACL_SUCCESS || (rc = stream_any(handle, s)) != ACL_SUCCESS) {
        return rc;
    }
    if ((*s)->ctx != ctx) {
        return sim_fail(ACL_ERROR_RT_STREAM_CONTEXT,
                        "stream %p belongs to another context (device %d) than the current one "
                        "(device %d)",
                        handle, knobs_user((*s)->dev), knobs_user(ctx->dev));
    }
    return ACL_SUCCESS;
}

void stream_fault(struct stream *s, aclError code, const char *fmt, ...)
{
    if (atomic_load(&s->error) != ACL_SUCCESS) {
        return;
    }
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(s->why, sizeof(s->why), fmt, ap);
    va_end(ap);
    atomic_store_explicit(&s->error, code, memory_order_release);
}

aclError stream_result(struct stream *s)
{
    int code = atomic_load_explicit(&s->error, memory_order_acquire);
    if (__builtin_expect(code != ACL_SUCCESS, 0)) {
        return sim_fail(code, "an earlier task of the stream failed: %s", s->why);
    }
    return ACL_SUCCESS;
}

void stream_due(uint64_t ns)
{
    uint64_t due = atomic_load(&stream_due_ns);
    while ((due == 0 || ns < due) && !atomic_compare_exchange_weak(&stream_due_ns, &due, ns)) {
    }
}

/* What the fault plan and the link do to a task when its turn comes. True: the
 * task was given up. */
static bool task_begin(struct stream *s, struct task *t)
{
    static const enum fault_target targets[TASK_TYPES] = {
        [TASK_COPY] = FAULT_ON_COPY,
        [TASK_MANY] = FAULT_ON_COPY,
        [TASK_FILL] = FAULT_ON_MEMSET,
        [TASK_REDUCE] = FAULT_ON_REDUCE,
        [TASK_NOTIFY_RECORD] = FAULT_ON_NOTIFY,
    };
    struct fault f = fault_task(targets[t->type] != 0 ? targets[t->type] : FAULT_ON_STREAM);
    t->begun = true;
    if (ops[t->type]->traffic != NULL && link_any()) {
        struct traffic load;
        ops[t->type]->traffic(t, &load);
        t->hold_ns = link_done(&load);
    }
    if (f.effect == FAULT_NONE) {
        return false;
    }
    sim_count(SIM_C_FAULT, 1);
    if (f.effect == FAULT_CODE) {
        stream_fault(s, f.code, "failed by NPUSIM_FAULT");
        ops[t->type]->drop(s, t);
        return true;
    }
    if (f.effect == FAULT_STALL) {
        uint64_t until = sysmem_now() + f.ns;
        t->hold_ns = until > t->hold_ns ? until : t->hold_ns;
        return false;
    }
    t->fault = (uint8_t)f.effect;
    t->fault_ns = f.ns;
    return false;
}

/* What stands before a task; TASK_BLOCKED: not yet, or *gone: never. */
static enum task_result task_hooks(struct stream *s, struct task *t, bool *gone)
{
    if (fault_lost(s->dev)) {
        sim_count(SIM_C_FAULT, 1);
        stream_fault(s, ACL_ERROR_RT_LOST_HEARTBEAT, "the device is lost (NPUSIM_FAULT)");
        ops[t->type]->drop(s, t);
        *gone = true;
        return TASK_DONE;
    }
    if (!t->begun && task_begin(s, t)) {
        *gone = true;
        return TASK_DONE;
    }
    if (t->hold_ns != 0 && sysmem_now() < t->hold_ns) {
        stream_due(t->hold_ns);
        return TASK_BLOCKED;
    }
    return TASK_DONE;
}

/* After an error nothing that moves data or signals others may run. */
static enum task_result task_run(struct stream *s, struct task *t, bool worker)
{
    if (__builtin_expect(atomic_load_explicit(&s->error, memory_order_relaxed) != 0, 0)) {
        ops[t->type]->drop(s, t);
        return TASK_DONE;
    }
    bool gone = false;
    if (__builtin_expect(stream_hooks, 0) && (task_hooks(s, t, &gone) == TASK_BLOCKED || gone)) {
        return gone ? TASK_DONE : TASK_BLOCKED;
    }
    if (t->type == TASK_HOST_FUNC && !worker) {
        worker_kick(true);
        return TASK_BLOCKED;
    }
    const struct origin *outer = sim_thread.by;
    sim_thread.by = &t->by;
    enum task_result r = ops[t->type]->run(s, t);
    sim_thread.by = outer;
    return r;
}

/* Something was done: threads may wait for it, and blocked tasks too. */
static void ring_waiters(void)
{
    struct node_file *f = node_self->file;
    if (atomic_load(&f->sleepers) != 0 ||
        (atomic_load(&stream_queued_total) != 0 && atomic_load(&f->worker) == WORKER_ARMED)) {
        node_ring_slow(f);
    }
}

int stream_advance(struct stream *s, int budget, bool worker)
{
    int done = 0;
    if (atomic_load_explicit(&s->queued, memory_order_acquire) == 0 ||
        sim_thread.depth >= NESTING) {
        return 0;
    }
    pthread_mutex_lock(&s->lock);
    if (s->running || !handle_live(s)) {
        pthread_mutex_unlock(&s->lock);
        return 0;
    }
    s->running = true;
    sim_thread.depth++;
    struct task *t;
    while (done < budget && (t = s->first) != NULL) {
        pthread_mutex_unlock(&s->lock);
        enum task_result r = task_run(s, t, worker);
        pthread_mutex_lock(&s->lock);
        if (r == TASK_BLOCKED) {
            break;
        }
        s->first = t->next;
        if (s->first == NULL) {
            s->last = NULL;
        }
        atomic_fetch_sub(&s->queued, 1);
        atomic_fetch_sub(&stream_queued_total, 1);
        free(t);
        done++;
    }
    sim_thread.depth--;
    s->running = false;
    pthread_mutex_unlock(&s->lock);
    if (done > 0) {
        sim_count(SIM_C_WORKER_TASKS, worker ? (uint64_t)done : 0);
        ring_waiters();
    }
    return done;
}

/* Under the lock. */
static aclError enqueue(struct stream *s, const struct task *t, bool in_front)
{
    struct task *copy = malloc(sizeof(*copy));
    if (copy == NULL) {
        return ACL_ERROR_BAD_ALLOC;
    }
    *copy = *t;
    copy->next = in_front ? s->first : NULL;
    if (s->first == NULL) {
        s->first = s->last = copy;
    } else if (in_front) {
        s->first = copy;
    } else {
        s->last->next = copy;
        s->last = copy;
    }
    atomic_fetch_add(&s->queued, 1);
    atomic_fetch_add(&stream_queued_total, 1);
    return ACL_SUCCESS;
}

/* Random mode: one task of a stream that the seed chooses among all that have
 * work. */
static int mix_step(void)
{
    struct stream *s, *pick = NULL;
    uint32_t n = 0;
    for (uint32_t i = 0; (s = handle_at(&streams, i)) != NULL; i++) {
        if (handle_live(s) && atomic_load(&s->queued) != 0 && sim_random() % ++n == 0) {
            pick = s;
        }
    }
    return pick != NULL ? stream_advance(pick, 1, false) : 0;
}

static void mix(unsigned steps)
{
    while (steps-- > 0) {
        mix_step();
    }
}

aclError stream_submit(struct stream *s, const struct task *task)
{
    aclError rc = ACL_SUCCESS;
    struct task t = *task;
    t.by = (struct origin){sim_thread.call, sim_thread.nth, 0};
    if (atomic_load_explicit(&stream_queued_total, memory_order_relaxed) != 0 ||
        knobs.async == ASYNC_RANDOM) {
        worker_note_poll();
    }
    pthread_mutex_lock(&s->lock);
    if (knobs.async == ASYNC_EAGER && s->first == NULL && !s->running) {
        s->running = true;
        pthread_mutex_unlock(&s->lock);
        enum task_result r = task_run(s, &t, false);
        pthread_mutex_lock(&s->lock);
        s->running = false;
        bool more = s->first != NULL;
        if (r == TASK_BLOCKED) {
            rc = enqueue(s, &t, true);
        }
        pthread_mutex_unlock(&s->lock);
        if (r == TASK_DONE) {
            ring_waiters();
            if (more) {
                stream_advance(s, INT_MAX, false);
            }
            return ACL_SUCCESS;
        }
    } else {
        rc = enqueue(s, &t, false);
        pthread_mutex_unlock(&s->lock);
    }
    if (rc != ACL_SUCCESS) {
        ops[t.type]->drop(s, &t);
        return sim_fail(rc, "no memory for a task");
    }
    worker_kick(t.type == TASK_HOST_FUNC);
    if (knobs.async == ASYNC_RANDOM) {
        static const unsigned steps[8] = {2, 1}; /* mostly none, so that queues build up */
        mix(steps[sim_random() & 7]);
    }
    return ACL_SUCCESS;
}

void stream_poll(struct stream *s)
{
    if (atomic_load_explicit(&s->queued, memory_order_acquire) == 0) {
        return;
    }
    worker_note_poll();
    if (knobs.async == ASYNC_RANDOM) {
        mix(sim_random() % 3);
    } else {
        stream_advance(s, INT_MAX, false);
    }
}

void stream_push(struct stream *s)
{
    if (knobs.async == ASYNC_RANDOM) {
        mix(PUSH_STEPS);
        stream_advance(s, 1, false);
    } else {
        stream_advance(s, INT_MAX, false);
    }
}

/* Only the worker carries out functions of the host, so it looks for them
 * even when everything else is left to the program's calls. */
static bool host_func_next(struct stream *s)
{
    pthread_mutex_lock(&s->lock);
    bool next = s->first != NULL && s->first->type == TASK_HOST_FUNC;
    pthread_mutex_unlock(&s->lock);
    return next;
}

int stream_advance_all(bool only_host_funcs)
{
    static uint64_t draws; /* of the worker, apart from the program's */
    int done = stream_hooks ? notify_deliver() : 0;
    uint32_t used = atomic_load(&streams.used);
    bool random = knobs.async == ASYNC_RANDOM;
    uint32_t from = random && used > 0 ? (uint32_t)knobs_random(1, draws++) % used : 0;
    for (uint32_t i = 0; i < used; i++) {
        struct stream *s = handle_at(&streams, (from + i) % used);
        if (handle_live(s) && atomic_load(&s->queued) != 0 &&
            (!only_host_funcs || host_func_next(s))) {
            int budget = only_host_funcs ? 1
                         : random        ? 1 + (int)(knobs_random(1, draws++) & 1)
                                         : INT_MAX;
            done += stream_advance(s, budget, true);
        }
    }
    return done;
}

bool stream_idle(struct stream *s)
{
    if (atomic_load_explicit(&s->queued, memory_order_acquire) != 0) {
        return false;
    }
    pthread_mutex_lock(&s->lock);
    bool idle = s->first == NULL && !s->running;
    pthread_mutex_unlock(&s->lock);
    return idle;
}

/* Waits for one stream after the other; the first error is returned. */
aclError stream_sync_device(int dev, int32_t timeout_ms)
{
    aclError first = ACL_SUCCESS;
    struct stream *s;
    for (uint32_t i = 0; (s = handle_at(&streams, i)) != NULL; i++) {
        if (handle_live(s) && s->dev == dev) {
            aclError rc = stream_sync(s, timeout_ms);
            first = first == ACL_SUCCESS ? rc : first;
        }
    }
    return first;
}

void stream_leaks(int dev, bool all)
{
    struct stream *s;
    for (uint32_t i = 0; (s = handle_at(&streams, i)) != NULL; i++) {
        if (handle_live(s) && s->dev == dev && s != s->ctx->def && (all || s->ctx->primary)) {
            leak_add(LEAK_STREAM, 0, &s->head.origin);
        }
    }
}

uint32_t stream_id(const struct stream *s)
{
    return handle_index(&streams, s);
}
