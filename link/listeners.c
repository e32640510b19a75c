/* SPDX-License-Identifier: BSD-3-Clause */
#include "link/listeners.h"

#include <pthread.h>

#define LINK_LISTENERS_MAX 16

static struct {
    pthread_mutex_t lock;
    unsigned count; /* atomic; entries below it never change */
    struct {
        asc_link_mem_listener_fn fn;
        void *arg;
    } entry[LINK_LISTENERS_MAX];
} link_listeners = {.lock = PTHREAD_MUTEX_INITIALIZER};

asc_status_t asc_link_add_mem_listener(asc_link_mem_listener_fn fn, void *arg)
{
    asc_status_t status = ASC_ERR_BUSY;

    if (fn == NULL) {
        return ASC_ERR_INVALID;
    }
    pthread_mutex_lock(&link_listeners.lock);
    if (link_listeners.count < LINK_LISTENERS_MAX) {
        link_listeners.entry[link_listeners.count].fn = fn;
        link_listeners.entry[link_listeners.count].arg = arg;
        __atomic_store_n(&link_listeners.count, link_listeners.count + 1, __ATOMIC_RELEASE);
        status = ASC_OK;
    }
    pthread_mutex_unlock(&link_listeners.lock);
    return status;
}

void link_listeners_call(asc_link_mem_event_t event, void *base, size_t size)
{
    unsigned count = __atomic_load_n(&link_listeners.count, __ATOMIC_ACQUIRE);

    for (unsigned i = 0; i < count; ++i) {
        link_listeners.entry[i].fn(event, base, size, link_listeners.entry[i].arg);
    }
}
