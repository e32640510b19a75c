/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interfaces in UCX's progress loop. Each one there makes every message that
 * somebody waits for a little later, host messages too, so one gets in when it
 * has something to do for the first time.
 */
#include "asc_iface.h"

#include <ucs/datastruct/callbackq.h>

#include <pthread.h>

/* Interfaces may be woken by other threads than their worker's, which must not
 * take that worker's lock: only the callback queue's functions that need none. */
static pthread_mutex_t uct_asc_progress_lock = PTHREAD_MUTEX_INITIALIZER;

/* Under the lock. Taken out at once, unless the worker may be running the callback
 * in another thread: the interface may go next. */
static void uct_asc_progress_apply(uct_asc_iface_t *iface, unsigned flags)
{
    uct_asc_progress_t *progress = &iface->progress;
    ucs_callbackq_t *queue = &iface->super.worker->super.progress_q;
    ucs_callback_t cb = (ucs_callback_t)iface->super.super.ops.iface_progress;
    int in = progress->awake && (progress->wanted != 0);

    if (in && (progress->id == UCS_CALLBACKQ_ID_NULL)) {
        progress->id = UCT_ASC_CALLBACKQ_ADD(queue, cb, iface);
    } else if (!in && (progress->id != UCS_CALLBACKQ_ID_NULL)) {
        if (flags & UCT_PROGRESS_THREAD_SAFE) {
            ucs_callbackq_remove_safe(queue, progress->id);
        } else {
            ucs_callbackq_remove(queue, progress->id);
        }
        progress->id = UCS_CALLBACKQ_ID_NULL;
    }
}

void uct_asc_iface_progress_enable(uct_iface_h tl_iface, unsigned flags)
{
    uct_asc_iface_t *iface = ucs_derived_of(tl_iface, uct_asc_iface_t);

    pthread_mutex_lock(&uct_asc_progress_lock);
    iface->progress.wanted |= flags & ~UCT_PROGRESS_THREAD_SAFE;
    uct_asc_progress_apply(iface, flags);
    pthread_mutex_unlock(&uct_asc_progress_lock);
}

void uct_asc_iface_progress_disable(uct_iface_h tl_iface, unsigned flags)
{
    uct_asc_iface_t *iface = ucs_derived_of(tl_iface, uct_asc_iface_t);

    pthread_mutex_lock(&uct_asc_progress_lock);
    iface->progress.wanted &= ~flags;
    uct_asc_progress_apply(iface, flags);
    pthread_mutex_unlock(&uct_asc_progress_lock);
}

void uct_asc_iface_wake_slow(uct_asc_iface_t *iface)
{
    pthread_mutex_lock(&uct_asc_progress_lock);
    __atomic_store_n(&iface->progress.awake, 1, __ATOMIC_RELAXED);
    uct_asc_progress_apply(iface, 0);
    pthread_mutex_unlock(&uct_asc_progress_lock);
}
