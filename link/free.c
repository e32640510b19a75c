/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frees that never wait for another process: memory that a peer uses is
 * parked, its user sees success, and it goes back to the runtime once the
 * peer is done or gone.
 */
#include "link/free.h"

#include "acl/asc_log.h"
#include "link/counters.h"
#include "link/env.h"
#include "link/export.h"
#include "link/hazard.h"
#include "link/init.h"
#include "link/notify.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define SWEEP_EVERY_MS     1
#define WARN_AFTER_MS      5000
#define IMPORTERS_LIMIT_MS 2000 /* importers-first waits no longer for idle peers */

typedef struct parked {
    struct parked *next;
    link_alloc_t alloc;
    uint64_t since_ms;
    bool warned;
} parked_t;

static struct {
    pthread_mutex_t lock;
    parked_t *list;
    _Atomic unsigned count;
    _Atomic uint64_t swept_ms;
} parking = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ------------------------------------------------------ live ------------ */

void link_free_on_alloc(const link_alloc_t *alloc)
{
    link_board_t *board = link_board();

    if (board != NULL && alloc->slot != LINK_ALLOC_NO_SLOT) {
        atomic_store(&board->live[alloc->slot], alloc->generation);
    }
}

/* Only if the slot is still this allocation's: it may have a new owner. */
static void clear_live(const link_alloc_t *alloc)
{
    link_board_t *board = link_board();
    uint64_t generation = alloc->generation;

    if (board == NULL || alloc->slot == LINK_ALLOC_NO_SLOT) {
        return;
    }
    if (atomic_compare_exchange_strong(&board->live[alloc->slot], &generation, 0)) {
        atomic_fetch_add(&board->drops, 1);
    }
}

static void publish(const link_alloc_t *alloc, void *arg)
{
    (void)arg;
    if (alloc->state == LINK_ALLOC_LIVE) {
        link_free_on_alloc(alloc);
        if (!link_alloc_is_live(alloc->base, alloc->generation)) {
            clear_live(alloc);
        }
    }
}

asc_status_t link_board_open(char *why, size_t len)
{
    asc_status_t status = link_board_make();

    if (status != ASC_OK) {
        snprintf(why, len, "%s", asc_link_last_reason());
        return status;
    }
    link_alloc_for_each(publish, NULL);
    link_board_early_tgid();
    return ASC_OK;
}

void link_free_on_gone(const link_alloc_t *alloc)
{
    parked_t **link, *entry;

    clear_live(alloc);
    link_export_end(alloc, false);
    pthread_mutex_lock(&parking.lock);
    for (link = &parking.list; *link != NULL; link = &(*link)->next) {
        if ((*link)->alloc.generation == alloc->generation) {
            entry = *link;
            *link = entry->next;
            atomic_fetch_sub(&parking.count, 1);
            free(entry);
            break;
        }
    }
    pthread_mutex_unlock(&parking.lock);
}

/* ------------------------------------------------------ parking --------- */

static asc_link_peer_t *holder(const link_alloc_t *alloc, uint64_t age_ms)
{
    bool idle_too = link_env()->importers_first && age_ms < IMPORTERS_LIMIT_MS;

    return link_hazard_holder(alloc->generation, idle_too ? LINK_HAZARD_CACHED : LINK_HAZARD_HELD);
}

bool link_free_park(const link_alloc_t *alloc)
{
    parked_t *entry;

    if (link_board() == NULL) {
        return false;
    }
    clear_live(alloc);
    if (link_peer_count() == 0 || holder(alloc, 0) == NULL) {
        link_export_end(alloc, true);
        return false;
    }
    entry = calloc(1, sizeof(*entry));
    if (entry == NULL) {
        /* without a note of it the memory would be lost: better the peer's
         * copy fails than this process leaks */
        link_export_end(alloc, true);
        return false;
    }
    entry->alloc = *alloc;
    entry->since_ms = link_now_ms();
    pthread_mutex_lock(&parking.lock);
    entry->next = parking.list;
    parking.list = entry;
    atomic_fetch_add(&parking.count, 1);
    pthread_mutex_unlock(&parking.lock);
    link_notify_want_drain();
    return true;
}

static void warn_if_old(parked_t *entry, asc_link_peer_t *peer, uint64_t age_ms)
{
    if (age_ms < WARN_AFTER_MS || entry->warned) {
        return;
    }
    entry->warned = true;
    asc_log(ASC_LOG_WARN,
            "device memory %p of %zu bytes was freed %llu s ago but process %d "
            "still uses it: it is kept until that process goes on or ends",
            (void *)entry->alloc.base, entry->alloc.size, (unsigned long long)(age_ms / 1000),
            peer->addr.pid);
}

static parked_t *take_free_ones(uint64_t now)
{
    parked_t **link, *over = NULL;

    pthread_mutex_lock(&parking.lock);
    for (link = &parking.list; *link != NULL;) {
        parked_t *entry = *link;
        uint64_t age = now - entry->since_ms;
        asc_link_peer_t *peer = holder(&entry->alloc, age);

        if (peer != NULL) {
            warn_if_old(entry, peer, age);
            link = &entry->next;
            continue;
        }
        *link = entry->next;
        entry->next = over;
        over = entry;
        atomic_fetch_sub(&parking.count, 1);
    }
    pthread_mutex_unlock(&parking.lock);
    return over;
}

bool link_free_sweep(bool urgent)
{
    bool any = false;
    parked_t *over;
    uint64_t now;

    if (atomic_load_explicit(&parking.count, memory_order_relaxed) == 0) {
        return false;
    }
    now = link_now_ms();
    if (!urgent && now - atomic_load(&parking.swept_ms) < SWEEP_EVERY_MS) {
        return false;
    }
    atomic_store(&parking.swept_ms, now);
    link_notify_drain();
    over = take_free_ones(now);
    while (over != NULL) {
        parked_t *entry = over;

        over = entry->next;
        link_export_end(&entry->alloc, true);
        (void)link_alloc_real_free(&entry->alloc);
        link_count(free_swept, 1);
        free(entry);
        any = true;
    }
    return any;
}
