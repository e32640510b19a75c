/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stream.h - streams: queues of tasks that are carried out in order. A task
 * runs on whichever thread gets to it: the submitter's if nothing is before
 * it (eager), one that polls or waits, or the worker. The stream's lock is
 * never held while a task runs; "running" keeps the order instead.
 */
#ifndef NPUSIM_STREAM_H
#define NPUSIM_STREAM_H

#include <limits.h>

#include "context.h"

struct event;
struct notify;
struct pieces;
struct region;
struct traffic;

enum task_type {
    TASK_COPY,
    TASK_MANY,
    TASK_FILL,
    TASK_REDUCE,
    TASK_EVENT_RECORD,
    TASK_EVENT_WAIT,
    TASK_NOTIFY_RECORD,
    TASK_NOTIFY_WAIT,
    TASK_VALUE_WRITE,
    TASK_VALUE_WAIT,
    TASK_HOST_FUNC,
    TASK_TYPES
};

enum task_result {
    TASK_DONE,
    TASK_BLOCKED /* try again later; nothing has happened */
};

struct task {
    enum task_type type;
    struct task *next;
    struct origin by;     /* the call that submitted it */
    uint64_t deadline_ns; /* of a wait; 0: not begun */
    uint64_t hold_ns;     /* not to be carried out before; 0: no such time */
    bool begun;           /* asked the fault plan and the link */
    uint8_t fault;        /* enum fault_effect that the record is to suffer */
    uint64_t fault_ns;
    union {
        struct {
            struct region *dst, *src; /* with references; NULL: pageable host */
            void *d;
            const void *s;
            size_t len;
            int kind; /* aclrtReduceKind or, in counters, the direction */
            int type;
        } copy;
        struct {
            struct pieces *pieces; /* owned; copy_many.c */
        } many;
        struct {
            struct region *dst;
            void *d;
            size_t len;
            int32_t byte;
        } fill;
        struct {
            struct event *ev;
            uint64_t gen;
            uint32_t timeout_s; /* 0: none */
        } event;
        struct {
            struct notify *n;
            uint32_t timeout_s;
        } notify;
        struct {
            struct region *r;
            uint64_t *at; /* engine address */
            uint64_t value;
            uint32_t flag;
        } value;
        struct {
            aclrtHostFunc fn;
            void *args;
        } host;
    } u;
};

struct stream {
    struct handle_head head;
    /* survives reuse of the slot; a thread that walks all streams may come too
     * late to one that ended, so the rest is made anew under the lock */
    pthread_mutex_t lock;
    bool made;
    struct context *ctx;
    _Atomic int dev;
    uint32_t flags;
    struct task *first, *last;
    bool running;
    _Atomic uint32_t queued;
    _Atomic int error; /* first asynchronous error; stays */
    char why[200];     /* its text, written before error */
};

/* What the copy fields of a task move. */
void copy_traffic(const struct task *t, struct traffic *load);

/* Is there anything to ask before a task begins? Set by aclInit. */
extern bool stream_hooks;

/* When the next task that is held back may go on, or 0: who sleeps until
 * there is progress must not sleep longer. */
extern _Atomic uint64_t stream_due_ns;
void stream_due(uint64_t ns);

/* Set by tasks that must be polled by the worker: nobody rings for them. */
extern _Atomic bool stream_poll_needed;

/* Tasks queued on all streams. */
extern _Atomic uint32_t stream_queued_total;

struct stream *stream_new(struct context *ctx, uint32_t flags);

/* Ends a stream at once; tasks not begun are dropped. */
void stream_end(struct stream *s);
void stream_end_all(struct context *ctx);

/* The stream a call of the current context may submit to. */
aclError stream_use(aclrtStream handle, struct stream **s);

/* The stream behind a handle of any context; NULL: the current default. */
aclError stream_any(aclrtStream handle, struct stream **s);

/* Runs or queues a copy of the task. */
aclError stream_submit(struct stream *s, const struct task *t);

/* Runs up to budget tasks that can run; returns how many. */
int stream_advance(struct stream *s, int budget, bool worker);

/* Lets a host thread's poll move the stream, as the mode allows. */
void stream_poll(struct stream *s);

/* The same for a host thread that waits for the stream. */
void stream_push(struct stream *s);

/* A pass of the worker over all streams, or over those only whose next task is
 * a host function; returns tasks done. */
int stream_advance_all(bool only_host_funcs);

bool stream_idle(struct stream *s);

uint32_t stream_id(const struct stream *s);

/* ACL_SUCCESS or the stream's asynchronous error, with its text. */
aclError stream_result(struct stream *s);

/* Marks the stream as failed; the first error stays. */
void stream_fault(struct stream *s, aclError code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Waits until all tasks are done; milliseconds, -1 for ever. */
aclError stream_sync(struct stream *s, int32_t timeout_ms);
aclError stream_sync_device(int dev, int32_t timeout_ms);

/* Next number of the seeded sequence of NPUSIM_SEED. */
uint64_t sim_random(void);

/* Sets the bits of notifies whose records are late or repeated; for the
 * worker. Returns how many it set. */
int notify_deliver(void);

/* Ends all events, or notifies, of a device. */
void event_end_device(int dev);
void notify_end_device(int dev);

/* ---- waiting on the host ---- */

struct backoff {
    unsigned n;
    bool flagged;
    uint32_t seen;
};

/* Waits a little: spins, then yields, then sleeps for a ring. The caller
 * checks its condition between calls and ends with backoff_end(). */
void backoff_wait(struct backoff *b);
void backoff_end(struct backoff *b);

/* ---- the worker ---- */

/* Makes sure that somebody will look at queued tasks; at_once: only the
 * worker can run what was queued. */
void worker_kick(bool at_once);

/* Tells the worker that the host polls, so that records need not wake it. */
void worker_note_poll(void);

/* In a forked child: there is no worker. */
void worker_forget(void);

/* ---- task bodies, by file; drop undoes a task that will not run ---- */

struct task_ops {
    enum task_result (*run)(struct stream *s, struct task *t);
    void (*drop)(struct stream *s, struct task *t);
    void (*traffic)(const struct task *t, struct traffic *load); /* NULL: moves nothing */
};

extern const struct task_ops copy_ops, many_ops, fill_ops, reduce_ops, value_write_ops,
    value_wait_ops, event_record_ops, event_wait_ops, notify_record_ops, notify_wait_ops, host_ops;

#endif
