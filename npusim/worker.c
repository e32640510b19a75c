/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * worker.c - the thread that moves streams when the program does not call in,
 * and how threads wait. The worker naps briefly while the program polls: then
 * nobody needs to wake it, and a record costs no system call. It asks to be
 * woken (ARMED) only when work is blocked and the program is silent.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include "node.h"
#include "stream.h"
#include "sysmem.h"

#define NAP_NS       1000000u
#define ARMED_NS     10000000u /* timeouts of waits are looked at this often */
#define SILENCE_NS   20000000u /* without calls, in random mode */
#define NAPS_TO_IDLE 20
#define SPINS        300
#define YIELDS       600

static pthread_mutex_t start_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic bool started;
static _Atomic bool polled; /* by the program, since the worker looked last */

/* How long to sleep at most, if a task is held back until a certain time. */
static uint64_t until_due(uint64_t ns)
{
    uint64_t due = atomic_load(&stream_due_ns), now;
    if (due == 0) {
        return ns;
    }
    now = sysmem_now();
    if (due > now) {
        return due - now < ns ? due - now : ns;
    }
    atomic_compare_exchange_strong(&stream_due_ns, &due, 0);
    return 1000;
}

static void armed_sleep(struct node_file *f)
{
    atomic_store(&f->worker, WORKER_ARMED);
    uint32_t bell = atomic_load(&f->doorbell);
    atomic_store(&stream_poll_needed, false);
    if (stream_advance_all(false) == 0) {
        sysmem_wait(&f->doorbell, bell,
                    until_due(atomic_load(&stream_poll_needed) ? NAP_NS : ARMED_NS));
    }
    atomic_store(&f->worker, WORKER_AWAKE);
}

static void idle_sleep(struct node_file *f)
{
    atomic_store(&f->worker, WORKER_IDLE);
    uint32_t bell = atomic_load(&f->doorbell);
    if (atomic_load(&stream_queued_total) == 0) {
        sysmem_wait(&f->doorbell, bell, 0);
    }
    atomic_store(&f->worker, WORKER_AWAKE);
}

static void nap(struct node_file *f)
{
    sysmem_wait(&f->doorbell, atomic_load(&f->doorbell), until_due(NAP_NS));
}

/* In random mode the program's own calls decide what runs when, so that the
 * seed does; the worker takes over when there are none. */
static bool host_drives(void)
{
    static uint64_t last_ns;
    uint64_t now;
    if (knobs.async != ASYNC_RANDOM) {
        return false;
    }
    now = sysmem_now();
    last_ns = atomic_exchange(&polled, false) ? now : last_ns;
    return now - last_ns < SILENCE_NS;
}

static void *worker_main(void *arg)
{
    struct node_file *f = arg;
    int quiet = 0;
    atomic_store(&f->worker, WORKER_AWAKE);
    for (;;) {
        bool work = atomic_load(&stream_queued_total) != 0;
        if (work && knobs.async != ASYNC_EAGER) {
            nap(f);
        }
        if (work && host_drives()) {
            stream_advance_all(true);
            quiet = 0;
            continue;
        }
        if (work && stream_advance_all(false) > 0) {
            quiet = 0;
            continue;
        }
        bool host_polls = atomic_exchange(&polled, false);
        if (work && !host_polls) {
            armed_sleep(f);
            quiet = 0;
        } else if (work || quiet < NAPS_TO_IDLE) {
            quiet = work ? 0 : quiet + 1;
            nap(f);
        } else {
            idle_sleep(f);
            quiet = 0;
        }
    }
    return NULL;
}

/* Without a worker the host's own calls still move the streams. */
static void worker_start(void)
{
    pthread_mutex_lock(&start_lock);
    if (!atomic_load(&started)) {
        sigset_t all, old;
        pthread_t thread;
        pthread_attr_t attr;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &old);
        pthread_attr_init(&attr);
        pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
        atomic_store(&node_self->file->worker, WORKER_AWAKE);
        if (pthread_create(&thread, &attr, worker_main, node_self->file) != 0) {
            atomic_store(&node_self->file->worker, WORKER_IDLE);
        }
        pthread_attr_destroy(&attr);
        pthread_sigmask(SIG_SETMASK, &old, NULL);
        atomic_store(&started, true);
    }
    pthread_mutex_unlock(&start_lock);
}

void worker_kick(bool at_once)
{
    struct node_file *f = node_self->file;
    if (!atomic_load_explicit(&started, memory_order_acquire)) {
        worker_start();
    } else if (at_once || atomic_load(&f->worker) == WORKER_IDLE) {
        node_ring_slow(f);
    }
}

void worker_note_poll(void)
{
    struct node_file *f = node_self->file;
    if (!atomic_load_explicit(&polled, memory_order_relaxed)) {
        atomic_store_explicit(&polled, true, memory_order_relaxed);
        if (atomic_load_explicit(&f->worker, memory_order_relaxed) == WORKER_ARMED) {
            node_ring_slow(f);
        }
    }
}

void worker_forget(void)
{
    atomic_store(&started, false);
}

void backoff_wait(struct backoff *b)
{
    struct node_file *f = node_self->file;
    if (b->n++ < SPINS) {
        atomic_signal_fence(memory_order_seq_cst);
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    } else if (b->n < YIELDS) {
        sched_yield();
    } else if (!b->flagged) {
        atomic_fetch_add(&f->sleepers, 1);
        b->flagged = true;
        b->seen = atomic_load(&f->doorbell);
    } else {
        sysmem_wait(&f->doorbell, b->seen, until_due(ARMED_NS));
        b->seen = atomic_load(&f->doorbell);
    }
}

void backoff_end(struct backoff *b)
{
    if (b->flagged) {
        atomic_fetch_sub(&node_self->file->sleepers, 1);
    }
}
