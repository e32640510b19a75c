/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The export cache: one export per (allocation, generation, peer-set epoch).
 *
 * A key that somebody has imported must not be given to further processes
 * (the driver refuses additions to its list), so a process that joins later
 * starts a new epoch and gets an export of its own; the older ones stay valid
 * for the keys that are under way and end with the allocation.
 */
#include "link/export.h"

#include "acl/asc_log.h"
#include "link/context.h"
#include "link/counters.h"
#include "link/env.h"
#include "link/free.h"
#include "link/hazard.h"
#include "link/notify.h"
#include "link/rkey.h"
#include "link/topo_facts.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS     1024
#define PIDS_A_CALL 31 /* longest list that drivers take in one call */
#define UNSEEN_BIT  (UINT64_C(1) << 63)

typedef struct link_export {
    struct link_export *next;
    uintptr_t base;
    size_t size;
    uint64_t generation;
    uint32_t slot, epoch, ctx_epoch;
    int device;
    uint16_t flags; /* of the rkey */
    bool refused;
    unsigned uses; /* of LINK_RKEY_ONCE */
    char key[LINK_IPC_KEY];
} link_export_t;

static struct {
    pthread_mutex_t lock;
    link_export_t *bucket[BUCKETS];
    link_export_t *ending; /* use is over, a peer may still have it open */
    _Atomic unsigned n_ending;
    _Atomic uint64_t serial;
    _Atomic uint32_t epoch;
} exports = {.lock = PTHREAD_MUTEX_INITIALIZER};

static link_export_t **bucket_of(uintptr_t base)
{
    return &exports.bucket[((base >> 6) * UINT64_C(0x9e3779b97f4a7c15)) >> 54];
}

/* ------------------------------------------------------ peer set -------- */

/* A peer joins the set when its tgid shows on its board. */
static uint32_t current_epoch(void)
{
    unsigned count = link_peer_count();

    for (unsigned i = 0; i < count; i++) {
        asc_link_peer_t *peer = link_peer_at(i);
        int listed = 0, tgid;

        if (peer->self || atomic_load_explicit(&peer->listed, memory_order_relaxed) != 0) {
            continue;
        }
        tgid = asc_link_peer_tgid(peer);
        if (tgid > 0 && atomic_compare_exchange_strong(&peer->listed, &listed, tgid)) {
            /* told to the peer, so that it does not try older keys in vain */
            atomic_store(&link_peer_row(peer)->since, atomic_fetch_add(&exports.epoch, 1) + 1);
        }
    }
    return atomic_load(&exports.epoch);
}

static int whitelist_chunk(const asc_acl_t *acl, const char *key, int32_t *pids, size_t n)
{
    int listed = 0;

    if (n == 0) {
        return 0;
    }
    if (acl->aclrtIpcMemSetImportPid(key, pids, n) == ACL_SUCCESS) {
        return (int)n;
    }
    /* one process that has ended must not shut the others out */
    for (size_t i = 0; i < n && n > 1; i++) {
        listed += acl->aclrtIpcMemSetImportPid(key, &pids[i], 1) == ACL_SUCCESS;
    }
    return listed;
}

/* Number of processes that may import now. */
static int whitelist(const asc_acl_t *acl, const char *key)
{
    int32_t pids[PIDS_A_CALL];
    unsigned count = link_peer_count();
    size_t n = 0;
    int listed = 0;

    for (unsigned i = 0; i < count; i++) {
        asc_link_peer_t *peer = link_peer_at(i);
        int tgid = atomic_load(&peer->listed);

        if (tgid == 0 || atomic_load(&peer->dead)) {
            continue;
        }
        pids[n++] = tgid;
        if (n == PIDS_A_CALL) {
            listed += whitelist_chunk(acl, key, pids, n);
            n = 0;
        }
    }
    return listed + whitelist_chunk(acl, key, pids, n);
}

/* ------------------------------------------------------ driver ---------- */

static aclError get_key(const asc_acl_t *acl, const link_export_t *entry, char *key,
                        bool *open_to_all)
{
    static _Atomic bool no_flag; /* this driver wants lists */
    uint64_t flags = 0;
    aclError error;

    *open_to_all = !link_env()->whitelist && !atomic_load(&no_flag);
    if (*open_to_all) {
        flags = ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION;
    }
    error =
        acl->aclrtIpcMemGetExportKey((void *)entry->base, entry->size, key, LINK_IPC_KEY, flags);
    if (*open_to_all &&
        (error == ACL_ERROR_RT_FEATURE_NOT_SUPPORT || error == ACL_ERROR_RT_PARAM_INVALID)) {
        asc_log_once(ASC_LOG_WARN,
                     "ASCEND_WHITELIST=n is not supported by this driver (error "
                     "%d): exports are restricted to known processes",
                     error);
        atomic_store(&no_flag, true);
        *open_to_all = false;
        error =
            acl->aclrtIpcMemGetExportKey((void *)entry->base, entry->size, key, LINK_IPC_KEY, 0);
    }
    return error;
}

static void close_key(const link_export_t *entry)
{
    const asc_acl_t *acl = asc_acl_get();
    link_ctx_t ctx;

    if (entry->refused || acl == NULL || entry->ctx_epoch != link_ctx_epoch(entry->device) ||
        !link_ctx_usable(entry->device) || link_ctx_enter(entry->device, &ctx) != ASC_OK) {
        return;
    }
    (void)acl->aclrtIpcMemClose(entry->key);
    link_ctx_leave(&ctx);
}

static void mention_refusal(const link_export_t *entry, const char *cause)
{
    link_set_reason("device memory %p of %zu bytes cannot be shared with other processes (%s): "
                    "it is staged through host memory; allocate buffers with a call of their "
                    "own, not from a pool or as mapped virtual memory",
                    (void *)entry->base, entry->size, cause);
    asc_log_once(ASC_LOG_WARN, "%s", asc_link_last_reason());
}

/* Fills in the key, or marks the entry refused. */
static asc_status_t export_now(link_export_t *entry)
{
    const asc_acl_t *acl = asc_acl_get();
    char text[ASC_ACL_TEXT_MAX];
    link_ctx_t ctx;
    asc_status_t status;
    aclError error;
    bool open_to_all;

    if (acl->aclrtIpcMemGetExportKey == NULL || acl->aclrtIpcMemSetImportPid == NULL ||
        acl->aclrtIpcMemImportByKey == NULL || acl->aclrtIpcMemClose == NULL) {
        entry->refused = true;
        mention_refusal(entry, "the runtime is older than 8.2.RC1 and has no shared memory");
        return ASC_ERR_UNREACHABLE;
    }
    status = link_ctx_enter(entry->device, &ctx);
    if (status != ASC_OK) {
        link_set_reason("device %d is not usable: %s", entry->device, asc_status_text(status));
        return ASC_ERR_UNREACHABLE;
    }
    /* with its context current the first device exported from becomes home */
    (void)asc_link_home_device();
    entry->ctx_epoch = link_ctx_epoch(entry->device);
    error = get_key(acl, entry, entry->key, &open_to_all);
    if (error != ACL_SUCCESS) {
        entry->refused = true;
        mention_refusal(entry, asc_acl_error_text(error, text, sizeof(text)));
        status = ASC_ERR_UNREACHABLE;
    } else if (open_to_all) {
        entry->flags |= LINK_RKEY_OPEN;
    } else if (whitelist(acl, entry->key) == 0) {
        link_set_reason("no other process that uses a device is known yet: device memory %p "
                        "cannot be shared",
                        (void *)entry->base);
        (void)acl->aclrtIpcMemClose(entry->key);
        status = ASC_ERR_UNREACHABLE;
    }
    link_ctx_leave(&ctx);
    return status;
}

/* ------------------------------------------------------ cache ----------- */

static link_export_t *find(const link_export_t *like)
{
    link_export_t *entry;

    for (entry = *bucket_of(like->base); entry != NULL; entry = entry->next) {
        if (entry->base != like->base || entry->size != like->size) {
            continue;
        }
        /* an allocation that cannot be exported cannot in any epoch */
        if ((like->flags & LINK_RKEY_LIVE) != 0 ? entry->generation == like->generation
                                                : (entry->flags & LINK_RKEY_LIVE) == 0) {
            if (entry->refused || entry->epoch == like->epoch) {
                return entry;
            }
        }
    }
    return NULL;
}

static void insert(link_export_t *entry)
{
    link_export_t **bucket = bucket_of(entry->base);

    entry->next = *bucket;
    *bucket = entry;
}

/* The table's entry of the allocation. With trusted frees an unseen one is
 * entered now: from here on it is like any other. */
static bool seen_allocation(const void *ptr, const asc_link_mem_t *mem, link_alloc_t *alloc)
{
    if (mem->generation != 0) {
        return link_alloc_find(ptr, alloc) && alloc->generation == mem->generation;
    }
    if (!link_env()->trust_frees || link_alloc_insert(mem->base, mem->size, mem->device, false,
                                                      link_free_on_gone, alloc) != ASC_OK) {
        return false;
    }
    link_free_on_alloc(alloc);
    return true;
}

/* What is known of the allocation, without a key. */
static asc_status_t describe(const void *ptr, size_t len, link_export_t *entry)
{
    asc_link_mem_t mem;
    link_alloc_t alloc;

    memset(entry, 0, sizeof(*entry));
    if (asc_link_mem_query(ptr, len, &mem) != ASC_LINK_MEM_DEVICE) {
        link_set_reason("%p with %zu bytes is not device memory of this process", ptr, len);
        return ASC_ERR_INVALID;
    }
    entry->base = (uintptr_t)mem.base;
    entry->size = mem.size;
    entry->device = mem.device;
    entry->slot = LINK_ALLOC_NO_SLOT;
    entry->epoch = current_epoch();
    if (!seen_allocation(ptr, &mem, &alloc)) {
        entry->flags = LINK_RKEY_ONCE;
        return ASC_OK;
    }
    entry->generation = alloc.generation;
    entry->slot = alloc.slot;
    entry->flags = alloc.slot != LINK_ALLOC_NO_SLOT ? LINK_RKEY_LIVE : LINK_RKEY_ONCE;
    if (!link_env()->ipc_cache) {
        entry->flags |= LINK_RKEY_ONCE;
    }
    if (alloc.vmm) {
        entry->refused = true;
        mention_refusal(entry, "mapped virtual memory has no export");
        return ASC_ERR_UNREACHABLE;
    }
    return ASC_OK;
}

static bool still_there(const link_export_t *entry)
{
    return (entry->flags & LINK_RKEY_LIVE) == 0 ||
           link_alloc_is_live(entry->base, entry->generation);
}

/* A miss: makes the export, keeps it, gives a copy in @a like. Two threads may
 * both get here; the later one throws its own away. */
static asc_status_t add(link_export_t *like)
{
    link_export_t *entry = malloc(sizeof(*entry)), *other;
    asc_status_t status;

    if (entry == NULL) {
        return ASC_ERR_NO_MEMORY;
    }
    if (like->generation == 0) {
        like->generation = UNSEEN_BIT | (atomic_fetch_add(&exports.serial, 1) + 1);
    }
    *entry = *like;
    status = export_now(entry);
    if (status == ASC_OK) {
        link_notify_offer();
        entry->flags |= LINK_RKEY_EXPORTED;
        entry->uses = 1;
        link_count(export_new, 1);
        if ((entry->flags & LINK_RKEY_ONCE) != 0) {
            link_count(export_once, 1);
        }
    } else if (!entry->refused || (entry->flags & LINK_RKEY_LIVE) == 0) {
        *like = *entry; /* may work another time: not kept */
        free(entry);
        return status;
    }
    pthread_mutex_lock(&exports.lock);
    other = find(entry);
    if (other == NULL && still_there(entry)) {
        *like = *entry;
        insert(entry);
        entry = NULL;
    } else if (other != NULL) {
        other->uses++;
        *like = *other;
    } else {
        link_set_reason("device memory %p was freed while it was exported", (void *)entry->base);
        status = ASC_ERR_UNREACHABLE;
    }
    pthread_mutex_unlock(&exports.lock);
    if (entry != NULL) {
        close_key(entry);
        free(entry);
    }
    return status;
}

static asc_status_t lookup(link_export_t *like)
{
    link_export_t *entry;
    bool hit = false;

    pthread_mutex_lock(&exports.lock);
    entry = find(like);
    if (entry != NULL) {
        entry->uses++;
        *like = *entry;
        hit = true;
    }
    pthread_mutex_unlock(&exports.lock);
    if (!hit) {
        return add(like);
    }
    if (like->refused) {
        link_set_reason("device memory %p of %zu bytes was refused export before",
                        (void *)like->base, like->size);
        return ASC_ERR_UNREACHABLE;
    }
    if (atomic_load_explicit(&link_board()->closing, memory_order_relaxed) != 0) {
        link_notify_offer(); /* in use again after asc_link_quiesce() */
    }
    link_count(export_hit, 1);
    return ASC_OK;
}

asc_status_t asc_link_export(const void *ptr, size_t len, void *rkey_bytes)
{
    link_export_t entry = {.size = 1};
    link_rkey_t rkey;
    asc_status_t status;

    link_rkey_init(&rkey);
    if (!asc_link_ready() || link_board() == NULL || !link_env()->ipc) {
        link_set_reason("sharing of device memory is not available here: %s",
                        link_env()->ipc ? asc_link_why_not() : "ASCEND_IPC=n");
        status = ASC_ERR_UNREACHABLE;
    } else {
        status = describe(ptr, len, &entry);
        if (status == ASC_OK) {
            status = lookup(&entry);
        }
        if (status != ASC_OK && entry.refused) {
            link_count(export_refused, 1);
        }
    }
    rkey.tgid = link_board() != NULL ? atomic_load(&link_board()->tgid) : 0;
    rkey.device = entry.device;
    rkey.physical = (uint16_t)(link_topo_physical(entry.device) + 1);
    rkey.base = entry.base;
    rkey.size = entry.size != 0 ? entry.size : 1;
    rkey.generation = entry.generation;
    rkey.slot = entry.slot;
    rkey.epoch = entry.epoch;
    rkey.flags = entry.flags;
    if (status == ASC_OK) {
        memcpy(rkey.key, entry.key, sizeof(rkey.key));
    } else {
        rkey.flags &= ~LINK_RKEY_EXPORTED;
    }
    link_rkey_seal(&rkey);
    memcpy(rkey_bytes, &rkey, sizeof(rkey));
    return status;
}

/* ------------------------------------------------------ ends ------------ */

void asc_link_export_release(const void *rkey_bytes)
{
    link_export_t **link, *entry = NULL;
    link_rkey_t rkey;

    if (!link_rkey_parse(rkey_bytes, ASC_LINK_RKEY_SIZE, &rkey) ||
        (rkey.flags & LINK_RKEY_ONCE) == 0 || (rkey.flags & LINK_RKEY_EXPORTED) == 0 ||
        rkey.owner.uid != link_board_uid()) {
        return;
    }
    pthread_mutex_lock(&exports.lock);
    for (link = bucket_of(rkey.base); *link != NULL; link = &(*link)->next) {
        if (memcmp((*link)->key, rkey.key, LINK_IPC_KEY) == 0) {
            if (--(*link)->uses == 0) {
                entry = *link;
                *link = entry->next;
                entry->next = exports.ending;
                exports.ending = entry;
                atomic_fetch_add(&exports.n_ending, 1);
            }
            break;
        }
    }
    pthread_mutex_unlock(&exports.lock);
    if (entry != NULL) {
        link_export_sweep();
    }
}

static void close_list(link_export_t *list, bool driver)
{
    while (list != NULL) {
        link_export_t *entry = list;

        list = entry->next;
        if (driver) {
            close_key(entry);
        }
        free(entry);
    }
}

void link_export_sweep(void)
{
    link_export_t **link, *over = NULL;

    if (atomic_load_explicit(&exports.n_ending, memory_order_relaxed) == 0) {
        return;
    }
    pthread_mutex_lock(&exports.lock);
    for (link = &exports.ending; *link != NULL;) {
        link_export_t *entry = *link;

        if (link_hazard_holder(entry->generation, LINK_HAZARD_HELD) != NULL) {
            link = &entry->next;
            continue;
        }
        *link = entry->next;
        entry->next = over;
        over = entry;
        atomic_fetch_sub(&exports.n_ending, 1);
    }
    pthread_mutex_unlock(&exports.lock);
    close_list(over, true);
}

void link_export_end(const link_alloc_t *alloc, bool driver)
{
    link_export_t **link, *over = NULL;

    pthread_mutex_lock(&exports.lock);
    for (link = bucket_of(alloc->base); *link != NULL;) {
        link_export_t *entry = *link;

        if (entry->base != alloc->base || entry->generation != alloc->generation) {
            link = &entry->next;
            continue;
        }
        *link = entry->next;
        entry->next = over;
        over = entry;
    }
    pthread_mutex_unlock(&exports.lock);
    close_list(over, driver);
}

void link_export_close_unused(void)
{
    link_export_t **link, *over = NULL;

    pthread_mutex_lock(&exports.lock);
    for (unsigned i = 0; i < BUCKETS; i++) {
        for (link = &exports.bucket[i]; *link != NULL;) {
            link_export_t *entry = *link;

            if ((entry->flags & LINK_RKEY_ONCE) != 0 ||
                link_hazard_holder(entry->generation, LINK_HAZARD_CACHED) != NULL) {
                link = &entry->next;
                continue;
            }
            *link = entry->next;
            entry->next = over;
            over = entry;
        }
    }
    pthread_mutex_unlock(&exports.lock);
    close_list(over, true);
}
