/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether anybody in the process has used the runtime yet. As long as nobody
 * has, there is no device memory, and nothing need be asked about any pointer.
 */
#include "link/first_use.h"
#include "link/asc_link.h"

#include <pthread.h>

#define LINK_FIRST_USE_MAX 8

static struct {
    pthread_mutex_t lock; /* held while they are told: others wait for that */
    bool possible;        /* atomic */
    unsigned count;
    struct {
        asc_link_first_use_fn fn;
        void *arg;
    } entry[LINK_FIRST_USE_MAX];
} link_first = {.lock = PTHREAD_MUTEX_INITIALIZER, .possible = true};

bool asc_link_device_possible(void)
{
    return __atomic_load_n(&link_first.possible, __ATOMIC_ACQUIRE);
}

void link_first_use_watched(void)
{
    __atomic_store_n(&link_first.possible, false, __ATOMIC_RELEASE);
}

void link_first_use_note(void)
{
    if (asc_link_device_possible()) {
        return;
    }
    pthread_mutex_lock(&link_first.lock);
    if (!asc_link_device_possible()) {
        for (unsigned i = 0; i < link_first.count; ++i) {
            link_first.entry[i].fn(link_first.entry[i].arg);
        }
        link_first.count = 0;
        __atomic_store_n(&link_first.possible, true, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&link_first.lock);
}

void asc_link_on_first_use(asc_link_first_use_fn fn, void *arg)
{
    pthread_mutex_lock(&link_first.lock);
    if (asc_link_device_possible() || link_first.count == LINK_FIRST_USE_MAX) {
        fn(arg);
    } else {
        link_first.entry[link_first.count].fn = fn;
        link_first.entry[link_first.count++].arg = arg;
    }
    pthread_mutex_unlock(&link_first.lock);
}

void asc_link_first_use_forget(asc_link_first_use_fn fn, void *arg)
{
    pthread_mutex_lock(&link_first.lock);
    for (unsigned i = 0; i < link_first.count; ++i) {
        if (link_first.entry[i].fn == fn && link_first.entry[i].arg == arg) {
            link_first.entry[i] = link_first.entry[--link_first.count];
            break;
        }
    }
    pthread_mutex_unlock(&link_first.lock);
}
