/* SPDX-License-Identifier: BSD-3-Clause */
/* The import cache; import_open.c does what the driver has to do with it. */
#include "link/import.h"

#include "acl/asc_log.h"
#include "link/counters.h"
#include "link/env.h"
#include "link/hazard.h"
#include "link/import_open.h"
#include "link/init.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 1024

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* an OPENING or CLOSING entry went on */
    asc_link_import_t *bucket[BUCKETS];
    asc_link_import_t *oldest, *newest; /* unused ones, for eviction */
    unsigned count;
    size_t bytes;
    unsigned busy; /* entries with ops */
} imports = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static asc_link_import_t **bucket_of(const link_rkey_t *rkey)
{
    uint64_t hash = (rkey->owner.uid ^ rkey->generation ^ ((uint64_t)rkey->epoch << 32)) *
                    UINT64_C(0x9e3779b97f4a7c15);

    return &imports.bucket[hash >> 54];
}

static bool same_key(const asc_link_import_t *import, const link_rkey_t *rkey)
{
    return import->rkey.owner.uid == rkey->owner.uid &&
           import->rkey.generation == rkey->generation && import->rkey.base == rkey->base &&
           import->rkey.size == rkey->size &&
           memcmp(import->rkey.key, rkey->key, LINK_IPC_KEY) == 0;
}

/* ------------------------------------------------------ state ----------- */

static void unqueue(asc_link_import_t *import)
{
    if (!import->queued) {
        return;
    }
    *(import->older != NULL ? &import->older->newer : &imports.oldest) = import->newer;
    *(import->newer != NULL ? &import->newer->older : &imports.newest) = import->older;
    import->older = import->newer = NULL;
    import->queued = false;
}

static void queue(asc_link_import_t *import)
{
    import->older = imports.newest;
    import->newer = NULL;
    *(imports.newest != NULL ? &imports.newest->newer : &imports.oldest) = import;
    imports.newest = import;
    import->queued = true;
}

static void publish(const asc_link_import_t *import)
{
    if (import->users > 0 || import->uncovered > 0) {
        link_hazard_set(import->hazard, LINK_HAZARD_HELD, 0);
    } else if (import->ops > 0) {
        link_hazard_set(import->hazard, LINK_HAZARD_POSTED, import->covered);
    } else {
        link_hazard_set(import->hazard, LINK_HAZARD_CACHED, 0);
    }
}

static bool keep_unused(const asc_link_import_t *import)
{
    return !import->dead && link_env()->ipc_cache && (import->rkey.flags & LINK_RKEY_ONCE) == 0 &&
           link_import_current(import);
}

/* Takes it out of use for closing; it stays findable as CLOSING, so that
 * nobody imports the same key between. Under the lock, not in use. */
static void begin_close(asc_link_import_t *import, asc_link_import_t **closing)
{
    unqueue(import);
    import->state = LINK_IMPORT_CLOSING;
    import->older = *closing; /* its list links are free now */
    *closing = import;
}

/* Under the lock. Those that were used longest ago go first. */
static void evict(asc_link_import_t **closing)
{
    const link_env_t *env = link_env();
    unsigned count = imports.count;
    size_t bytes = imports.bytes;

    while (imports.oldest != NULL &&
           (count > env->ipc_cache_max_regions || bytes > env->ipc_cache_max_size)) {
        asc_link_import_t *import = imports.oldest;

        count--;
        bytes -= import->rkey.size;
        link_count(import_evicted, 1);
        begin_close(import, closing);
    }
}

/* Under the lock: nothing uses it any more. */
static void settle(asc_link_import_t *import, asc_link_import_t **closing)
{
    if (import->users > 0 || import->ops > 0 || import->state != LINK_IMPORT_READY) {
        return;
    }
    if (keep_unused(import)) {
        if (!import->queued) {
            queue(import);
            evict(closing); /* they may all have been in use until now */
        }
    } else {
        begin_close(import, closing);
    }
}

static void unlink_entry(asc_link_import_t *import)
{
    asc_link_import_t **link = bucket_of(&import->rkey);

    while (*link != import) {
        link = &(*link)->next;
    }
    *link = import->next;
    imports.count--;
    imports.bytes -= import->rkey.size;
    import->owner->imports--;
    link_hazard_put(import->hazard);
    pthread_cond_broadcast(&imports.changed);
}

/* Without the lock. */
static void finish_close(asc_link_import_t *closing)
{
    while (closing != NULL) {
        asc_link_import_t *import = closing;

        closing = import->older;
        link_import_driver_close(import);
        link_count(import_closed, 1);
        pthread_mutex_lock(&imports.lock);
        unlink_entry(import);
        pthread_mutex_unlock(&imports.lock);
        free(import);
    }
}

/* ------------------------------------------------------ lookup ---------- */

/* The entry of that key in a settled state; waits for a sibling thread that
 * opens or closes it. Under the lock. */
static asc_link_import_t *find(const link_rkey_t *rkey)
{
    asc_link_import_t *import;

again:
    for (import = *bucket_of(rkey); import != NULL; import = import->next) {
        if (!same_key(import, rkey)) {
            continue;
        }
        if (import->state != LINK_IMPORT_READY) {
            pthread_cond_wait(&imports.changed, &imports.lock);
            goto again;
        }
        return import;
    }
    return NULL;
}

/* Under the lock. Store the hazard, then look: see hazard.h. */
static asc_status_t pin(asc_link_import_t *import, asc_link_import_t **closing)
{
    unqueue(import);
    import->users++;
    publish(import);
    if (!import->dead && link_import_usable(import) && link_import_current(import)) {
        return ASC_OK;
    }
    link_set_reason("process %d has freed the memory at %llx, generation %llu",
                    import->owner->addr.pid, (unsigned long long)import->rkey.base,
                    (unsigned long long)import->rkey.generation);
    import->dead = true;
    import->users--;
    publish(import);
    settle(import, closing);
    return ASC_ERR_UNREACHABLE;
}

/* Older imports of addresses that this newer allocation has taken over. */
static void drop_older(const asc_link_import_t *fresh, asc_link_import_t **closing)
{
    for (unsigned i = 0; i < BUCKETS; i++) {
        asc_link_import_t *import, *next;

        for (import = imports.bucket[i]; import != NULL; import = next) {
            next = import->next;
            if (import->owner == fresh->owner && import != fresh &&
                import->rkey.generation != fresh->rkey.generation &&
                import->rkey.base < fresh->rkey.base + fresh->rkey.size &&
                fresh->rkey.base < import->rkey.base + import->rkey.size &&
                !link_import_current(import)) {
                import->dead = true;
                settle(import, closing);
            }
        }
    }
}

/* Under the lock: an OPENING entry, pinned once, its hazard HELD. */
static asc_link_import_t *insert_opening(const link_rkey_t *rkey, asc_link_peer_t *owner,
                                         asc_link_import_t **closing)
{
    asc_link_import_t *import = calloc(1, sizeof(*import));
    uint32_t hazard = link_hazard_get(owner->addr.uid, rkey->generation);

    if (hazard == LINK_HAZARD_NONE && imports.oldest != NULL) {
        begin_close(imports.oldest, closing);
    }
    if (import == NULL || hazard == LINK_HAZARD_NONE) {
        if (hazard != LINK_HAZARD_NONE) {
            link_hazard_put(hazard);
        }
        free(import);
        link_set_reason("this process has %u imports open, no more fit its board", imports.count);
        return NULL;
    }
    import->owner = owner;
    import->rkey = *rkey;
    import->hazard = hazard;
    import->users = 1;
    import->state = LINK_IMPORT_OPENING;
    import->next = *bucket_of(rkey);
    *bucket_of(rkey) = import;
    imports.count++;
    imports.bytes += rkey->size;
    owner->imports++;
    return import;
}

static asc_status_t open_new(asc_link_import_t *import)
{
    asc_link_import_t *closing = NULL;
    asc_status_t status = ASC_ERR_UNREACHABLE;

    if (!link_import_current(import)) {
        link_set_reason("process %d has freed the memory at %llx, generation %llu",
                        import->owner->addr.pid, (unsigned long long)import->rkey.base,
                        (unsigned long long)import->rkey.generation);
    } else {
        status = link_import_driver_open(import);
    }
    pthread_mutex_lock(&imports.lock);
    if (status == ASC_OK) {
        import->state = LINK_IMPORT_READY;
        drop_older(import, &closing);
        evict(&closing);
        pthread_cond_broadcast(&imports.changed);
        link_count(import_new, 1);
    } else {
        unlink_entry(import);
    }
    pthread_mutex_unlock(&imports.lock);
    finish_close(closing);
    if (status != ASC_OK) {
        free(import);
    }
    return status;
}

static asc_status_t import_key(const link_rkey_t *rkey, asc_link_peer_t *owner,
                               asc_link_import_t **import_p)
{
    asc_link_import_t *closing = NULL, *import;
    asc_status_t status = ASC_OK;
    bool fresh = false;

    pthread_mutex_lock(&imports.lock);
    import = find(rkey);
    if (import != NULL) {
        status = pin(import, &closing);
    } else {
        import = insert_opening(rkey, owner, &closing);
        status = import != NULL ? ASC_OK : ASC_ERR_UNREACHABLE;
        fresh = true;
    }
    pthread_mutex_unlock(&imports.lock);
    finish_close(closing);
    if (status == ASC_OK && fresh) {
        status = open_new(import);
    } else if (status == ASC_OK) {
        link_count(import_hit, 1);
    }
    *import_p = status == ASC_OK ? import : NULL;
    return status;
}

asc_status_t asc_link_import(const void *bytes, size_t len, asc_link_import_t **import_p)
{
    asc_link_peer_t *owner = NULL;
    asc_link_import_t *import = NULL;
    asc_status_t status = ASC_ERR_UNREACHABLE;
    link_rkey_t rkey;

    if (link_rkey_parse(bytes, len, &rkey)) {
        status = asc_link_peer_open(&rkey.owner, &owner, NULL, 0);
        if (status == ASC_OK) {
            status = link_import_check(&rkey, owner);
        }
        if (status == ASC_OK) {
            status = import_key(&rkey, owner, &import);
        }
    }
    if (status != ASC_OK) {
        link_count(import_refused, 1);
        return ASC_ERR_UNREACHABLE;
    }
    *import_p = import;
    return ASC_OK;
}

void asc_link_import_release(asc_link_import_t *import)
{
    asc_link_import_t *closing = NULL;

    if (link_forked()) {
        return; /* the board and all that is counted here are the parent's */
    }
    pthread_mutex_lock(&imports.lock);
    import->users--;
    publish(import);
    settle(import, &closing);
    pthread_mutex_unlock(&imports.lock);
    finish_close(closing);
}

asc_link_peer_t *asc_link_import_owner(const asc_link_import_t *import)
{
    return import->owner;
}

/* ------------------------------------------------------ operations ------ */

void link_import_op_begin(asc_link_import_t *import)
{
    pthread_mutex_lock(&imports.lock);
    import->uncovered++;
    if (import->ops++ == 0) {
        imports.busy++;
    }
    if (import->users == 0) {
        publish(import);
    }
    pthread_mutex_unlock(&imports.lock);
}

void link_import_op_covered(asc_link_import_t *import, uint64_t record)
{
    pthread_mutex_lock(&imports.lock);
    import->uncovered--;
    if (record > import->covered) {
        import->covered = record;
    }
    if (import->users == 0) {
        publish(import);
    }
    pthread_mutex_unlock(&imports.lock);
}

void link_import_op_uncover(asc_link_import_t *import)
{
    pthread_mutex_lock(&imports.lock);
    import->uncovered++;
    if (import->users == 0) {
        publish(import);
    }
    pthread_mutex_unlock(&imports.lock);
}

void link_import_op_end(asc_link_import_t *import, bool covered, bool failed)
{
    asc_link_import_t *closing = NULL;

    if (link_forked()) {
        return;
    }
    pthread_mutex_lock(&imports.lock);
    import->dead |= failed;
    import->uncovered -= !covered;
    if (--import->ops == 0) {
        imports.busy--;
    }
    if (import->users == 0) {
        publish(import);
        settle(import, &closing);
    }
    pthread_mutex_unlock(&imports.lock);
    finish_close(closing);
}

unsigned link_import_busy(void)
{
    return __atomic_load_n(&imports.busy, __ATOMIC_RELAXED);
}

/* ------------------------------------------------------ upkeep ---------- */

static bool some_dropped(void)
{
    unsigned count = link_peer_count();

    for (unsigned i = 0; i < count; i++) {
        asc_link_peer_t *peer = link_peer_at(i);

        if (__atomic_load_n(&peer->imports, __ATOMIC_RELAXED) > 0 &&
            (atomic_load_explicit(&peer->dead, memory_order_relaxed) ||
             atomic_load_explicit(&peer->board->drops, memory_order_relaxed) !=
                 __atomic_load_n(&peer->seen_drops, __ATOMIC_RELAXED))) {
            return true;
        }
    }
    return false;
}

static void collect_unused(bool all, asc_link_import_t **closing)
{
    asc_link_import_t *import = imports.oldest, *next;

    for (; import != NULL; import = next) {
        next = import->newer;
        if (all || !keep_unused(import) || atomic_load(&import->owner->dead)) {
            begin_close(import, closing);
        }
    }
}

void link_import_upkeep(void)
{
    asc_link_import_t *closing = NULL;
    unsigned count = link_peer_count();

    if (!some_dropped() || pthread_mutex_trylock(&imports.lock) != 0) {
        return;
    }
    for (unsigned i = 0; i < count; i++) {
        asc_link_peer_t *peer = link_peer_at(i);

        __atomic_store_n(&peer->seen_drops, atomic_load(&peer->board->drops), __ATOMIC_RELAXED);
    }
    collect_unused(false, &closing);
    pthread_mutex_unlock(&imports.lock);
    finish_close(closing);
}

void link_import_close_unused(void)
{
    asc_link_import_t *closing = NULL;

    pthread_mutex_lock(&imports.lock);
    collect_unused(true, &closing);
    pthread_mutex_unlock(&imports.lock);
    finish_close(closing);
}
