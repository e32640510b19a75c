/* SPDX-License-Identifier: BSD-3-Clause */
/* Asking for relayed transfers, and serving them in progress. */
#include "link/relay.h"

#include "acl/asc_log.h"
#include "link/counters.h"
#include "link/hazard.h"
#include "link/init.h"
#include "link/rkey.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define LIVENESS_EVERY 100 /* ms */
#define BURST          4   /* pieces a step */

/* This process's part of a transfer. */
typedef struct relay {
    asc_link_peer_t *peer;
    link_board_relay_t *mine;         /* on the own board */
    const link_board_relay_t *theirs; /* on the peer's, NULL: not seen yet */
    uint64_t id, done, total;         /* pieces */
    char *memory;
    size_t len, piece;
    uint64_t ref; /* served host memory */
    bool filling; /* this side puts pieces into slots */
    bool device;  /* memory is device memory */
    uint32_t channel;
    uint32_t idle;
    uint64_t looked_ms;
} relay_t;

static struct {
    /* Of served[] and peers' relay.seen. Held over copies, unlike other locks, but
     * nobody waits for it: a thread that does not get it has nothing to do. */
    pthread_mutex_t lock;
    _Atomic unsigned active;
    relay_t served[LINK_BOARD_RELAYS];
} serving = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct {
    pthread_mutex_t lock;
    uint64_t id;
} asking = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ------------------------------------------------------ pieces ---------- */

static asc_status_t copy_piece(relay_t *relay, char *memory, size_t len)
{
    void *dst = memory;
    const void *src;
    char *slot;

    if (relay->filling) {
        slot = link_relay_slot(relay->channel, relay->done);
        src = memory;
        dst = slot;
    } else {
        src = link_relay_peer_slot(relay->peer, atomic_load(&relay->theirs->channel), relay->done);
        if (src == NULL) {
            return ASC_ERR_UNREACHABLE;
        }
    }
    if (relay->device) {
        return asc_link_copy(dst, src, len);
    }
    memcpy(dst, src, len);
    return ASC_OK;
}

/* Memory that is offered must stay so while it is copied. */
static asc_status_t guarded_piece(relay_t *relay)
{
    size_t at = (size_t)relay->done * relay->piece;
    size_t len = relay->len - at < relay->piece ? relay->len - at : relay->piece;
    char *memory = relay->memory + at;
    asc_status_t status;

    if (relay->ref != 0 && !link_relay_ref_hold(relay->ref, (uintptr_t)memory, len)) {
        return ASC_ERR_STALE;
    }
    status = copy_piece(relay, memory, len);
    if (relay->ref != 0) {
        link_relay_ref_drop(relay->ref);
    }
    return status;
}

/* Copies what can be copied now. ASC_OK: this side has copied all. */
static asc_status_t pump(relay_t *relay)
{
    uint64_t theirs = atomic_load_explicit(&relay->theirs->count, memory_order_acquire);
    asc_status_t status;

    for (unsigned n = 0; n < BURST && relay->done < relay->total; n++) {
        if (theirs > relay->total) {
            return ASC_ERR_INVALID;
        }
        if (relay->filling ? relay->done >= theirs + LINK_RELAY_SLOTS : relay->done >= theirs) {
            break;
        }
        status = guarded_piece(relay);
        if (status != ASC_OK) {
            return status;
        }
        relay->done++;
        relay->idle = 0;
        atomic_store_explicit(&relay->mine->count, relay->done, memory_order_release);
        theirs = atomic_load_explicit(&relay->theirs->count, memory_order_acquire);
    }
    return relay->done == relay->total ? ASC_OK : ASC_INPROGRESS;
}

/* One system call in a while. */
static bool peer_gone(relay_t *relay)
{
    uint64_t now;

    if (++relay->idle % 1024 != 0) {
        return false;
    }
    now = link_now_ms();
    if (now - relay->looked_ms < LIVENESS_EVERY) {
        return false;
    }
    relay->looked_ms = now;
    return !asc_link_peer_alive(relay->peer);
}

/* ------------------------------------------------------ serving --------- */

static relay_t *free_service(void)
{
    for (unsigned i = 0; i < LINK_BOARD_RELAYS; i++) {
        if (serving.served[i].peer == NULL) {
            serving.served[i].mine = &link_board()->served[i];
            return &serving.served[i];
        }
    }
    return NULL;
}

static bool is_served(const asc_link_peer_t *peer, uint64_t id)
{
    for (unsigned i = 0; i < LINK_BOARD_RELAYS; i++) {
        if (serving.served[i].peer == peer && serving.served[i].id == id) {
            return true;
        }
    }
    return false;
}

static void end_service(relay_t *relay)
{
    if (relay->filling && relay->channel < LINK_RELAY_CHANNELS) {
        link_relay_channel_put(relay->channel);
    }
    atomic_store_explicit(&relay->mine->id, 0, memory_order_release);
    relay->peer = NULL;
    atomic_fetch_sub(&serving.active, 1);
}

/* What the other process may have: offered host memory, or live device memory
 * of this process. */
static asc_status_t check_memory(relay_t *relay)
{
    if (relay->len == 0 || (uintptr_t)relay->memory + relay->len < relay->len) {
        return ASC_ERR_INVALID;
    }
    if (relay->ref == 0) {
        relay->device = true;
        return asc_link_mem_query(relay->memory, relay->len, NULL) == ASC_LINK_MEM_DEVICE
                   ? ASC_OK
                   : ASC_ERR_STALE;
    }
    if (!link_relay_ref_hold(relay->ref, (uintptr_t)relay->memory, relay->len)) {
        return ASC_ERR_STALE;
    }
    link_relay_ref_drop(relay->ref);
    return ASC_OK;
}

static void refuse(relay_t *relay, asc_status_t status)
{
    asc_log(ASC_LOG_ERROR,
            "process %d asks for %zu bytes at %p, which are not offered to it (any more): its "
            "transfer fails",
            relay->peer->addr.pid, relay->len, (void *)relay->memory);
    atomic_store(&relay->mine->status, (uint32_t)status);
}

/* False: no room now, to be asked again. */
static bool start_service(asc_link_peer_t *peer, const link_board_relay_t *asked, uint64_t id)
{
    relay_t *relay = free_service();
    link_board_relay_t *mine;
    asc_status_t status;

    if (relay == NULL) {
        return false;
    }
    mine = relay->mine;
    memset(relay, 0, sizeof(*relay));
    relay->mine = mine;
    relay->theirs = asked;
    relay->id = id;
    relay->memory = (char *)(uintptr_t)atomic_load(&asked->address);
    relay->len = atomic_load(&asked->len);
    relay->ref = atomic_load(&asked->ref);
    relay->filling = atomic_load(&asked->put) == 0;
    relay->piece = link_relay_piece(relay->len);
    relay->total = (relay->len + relay->piece - 1) / relay->piece;
    relay->channel = LINK_RELAY_CHANNELS;
    if (relay->filling && !link_relay_channel_get(&relay->channel)) {
        return false;
    }
    relay->peer = peer;
    atomic_store(&mine->status, ASC_OK);
    atomic_store(&mine->count, 0);
    atomic_store(&mine->channel, relay->channel);
    atomic_store(&mine->peer, peer->addr.uid);
    status = check_memory(relay);
    if (status != ASC_OK) {
        refuse(relay, status);
        relay->total = 0;
    }
    atomic_fetch_add(&serving.active, 1);
    atomic_store_explicit(&mine->id, id, memory_order_release);
    link_count(relay_served, 1);
    return true;
}

static void look_for_requests(asc_link_peer_t *peer)
{
    uint64_t posted = atomic_load_explicit(&peer->board->relay_posted, memory_order_acquire);
    bool all = true;

    if (posted == peer->relay.seen || peer->self || atomic_load(&peer->dead)) {
        return;
    }
    for (unsigned i = 0; i < LINK_BOARD_RELAYS; i++) {
        const link_board_relay_t *asked = &peer->board->asked[i];
        uint64_t id = atomic_load_explicit(&asked->id, memory_order_acquire);

        if (id != 0 && atomic_load(&asked->peer) == link_board_uid() && !is_served(peer, id)) {
            all = start_service(peer, asked, id) && all;
        }
    }
    if (all) {
        peer->relay.seen = posted;
    }
}

static void serve(relay_t *relay)
{
    asc_status_t status;

    if (atomic_load_explicit(&relay->theirs->id, memory_order_acquire) != relay->id ||
        peer_gone(relay)) {
        end_service(relay);
        return;
    }
    if (relay->done == relay->total) {
        return; /* the other side has not taken all yet, or its error */
    }
    status = pump(relay);
    if (status != ASC_OK && status != ASC_INPROGRESS) {
        relay->total = relay->done;
        atomic_store_explicit(&relay->mine->status, (uint32_t)status, memory_order_release);
    }
}

void asc_link_relay_progress(void)
{
    unsigned count;

    if ((!asc_link_relay_expected() &&
         atomic_load_explicit(&serving.active, memory_order_relaxed) == 0) ||
        link_forked() || link_board() == NULL || pthread_mutex_trylock(&serving.lock) != 0) {
        return;
    }
    count = link_peer_count();
    for (unsigned i = 0; i < count; i++) {
        look_for_requests(link_peer_at(i));
    }
    for (unsigned i = 0; i < LINK_BOARD_RELAYS && atomic_load(&serving.active) > 0; i++) {
        if (serving.served[i].peer != NULL) {
            serve(&serving.served[i]);
        }
    }
    pthread_mutex_unlock(&serving.lock);
}

/* ------------------------------------------------------ asking ---------- */

static link_board_relay_t *free_request(uint64_t *id)
{
    link_board_t *board = link_board();
    link_board_relay_t *found = NULL;

    pthread_mutex_lock(&asking.lock);
    for (unsigned i = 0; i < LINK_BOARD_RELAYS && found == NULL; i++) {
        if (atomic_load(&board->asked[i].peer) == 0) {
            found = &board->asked[i];
            atomic_store(&found->peer, board->uid); /* taken: nobody serves itself */
            *id = ++asking.id;
        }
    }
    pthread_mutex_unlock(&asking.lock);
    return found;
}

static void end_request(relay_t *relay)
{
    if (relay->filling) {
        link_relay_channel_put(relay->channel);
    }
    atomic_store_explicit(&relay->mine->id, 0, memory_order_release);
    atomic_store_explicit(&relay->mine->peer, 0, memory_order_release);
    free(relay);
}

static const link_board_relay_t *find_service(const relay_t *relay)
{
    uint64_t uid = link_board_uid();

    for (unsigned i = 0; i < LINK_BOARD_RELAYS; i++) {
        const link_board_relay_t *served = &relay->peer->board->served[i];

        if (atomic_load_explicit(&served->id, memory_order_acquire) == relay->id &&
            atomic_load(&served->peer) == uid) {
            return served;
        }
    }
    return NULL;
}

static asc_status_t step(relay_t *relay)
{
    asc_status_t status = ASC_INPROGRESS;
    uint32_t other;

    if (relay->theirs == NULL) {
        relay->theirs = find_service(relay);
    }
    if (relay->theirs != NULL) {
        other = atomic_load_explicit(&relay->theirs->status, memory_order_acquire);
        status = other != ASC_OK ? ASC_ERR_STALE : pump(relay);
        if (status == ASC_OK && relay->filling &&
            atomic_load_explicit(&relay->theirs->count, memory_order_acquire) < relay->total) {
            status = ASC_INPROGRESS;
        }
    }
    if (status == ASC_INPROGRESS && peer_gone(relay)) {
        status = ASC_ERR_UNREACHABLE;
    }
    return status;
}

static asc_status_t test(link_op_t *op, asc_status_t so_far)
{
    relay_t *relay = op->arg[0];
    asc_status_t status = step(relay);

    (void)so_far;

    if (status == ASC_INPROGRESS) {
        return status;
    }
    if (status != ASC_OK) {
        asc_log(ASC_LOG_ERROR, "relayed copy of %zu bytes %s process %d failed: %s", relay->len,
                relay->filling ? "to" : "from", relay->peer->addr.pid,
                status == ASC_ERR_UNREACHABLE ? "it has ended"
                                              : "its memory or this process's is not usable");
        status = ASC_ERR_ACL;
    }
    end_request(relay);
    return status;
}

static asc_status_t ask(relay_t *relay, uint64_t remote, uint64_t ref, link_op_t *op)
{
    link_board_relay_t *mine = free_request(&relay->id);

    if (mine == NULL) {
        return ASC_ERR_BUSY;
    }
    relay->mine = mine;
    if (relay->filling && !link_relay_channel_get(&relay->channel)) {
        atomic_store(&mine->peer, 0);
        return ASC_ERR_BUSY;
    }
    atomic_store(&mine->address, remote);
    atomic_store(&mine->len, relay->len);
    atomic_store(&mine->ref, ref);
    atomic_store(&mine->put, relay->filling ? 1 : 0);
    atomic_store(&mine->channel, relay->channel);
    atomic_store(&mine->count, 0);
    atomic_store(&mine->peer, relay->peer->addr.uid);
    atomic_store_explicit(&mine->id, relay->id, memory_order_release);
    atomic_fetch_add_explicit(&link_board()->relay_posted, 1, memory_order_release);
    memset(op, 0, sizeof(*op));
    op->finish = test;
    op->arg[0] = relay;
    return ASC_INPROGRESS;
}

static asc_status_t transfer(asc_link_peer_t *peer, uint64_t ref, uint64_t remote, void *local,
                             size_t len, bool put, link_op_t *op)
{
    asc_link_mem_kind_t kind = asc_link_mem_query(local, len, NULL);
    asc_status_t status = ASC_ERR_NO_MEMORY;
    relay_t *relay;

    if (len == 0) {
        return ASC_OK;
    }
    if (kind == ASC_LINK_MEM_BAD || link_forked() || peer->self) {
        return ASC_ERR_INVALID;
    }
    relay = calloc(1, sizeof(*relay));
    if (relay != NULL) {
        relay->peer = peer;
        relay->memory = local;
        relay->len = len;
        relay->piece = link_relay_piece(len);
        relay->total = (len + relay->piece - 1) / relay->piece;
        relay->filling = put;
        relay->device = kind == ASC_LINK_MEM_DEVICE;
        status = ask(relay, remote, ref, op);
    }
    if (status != ASC_INPROGRESS) {
        free(relay);
        return status;
    }
    link_count(relay_ops, 1);
    link_count(relay_bytes, len);
    return status;
}

bool asc_link_relay_usable(const void *bytes, size_t len)
{
    asc_link_peer_t *owner;
    link_rkey_t rkey;

    return link_rkey_parse(bytes, len, &rkey) &&
           asc_link_peer_open(&rkey.owner, &owner, NULL, 0) == ASC_OK && !owner->self &&
           asc_link_peer_alive(owner) &&
           ((rkey.flags & LINK_RKEY_LIVE) == 0 ||
            link_hazard_live(owner, rkey.slot, rkey.generation));
}

asc_status_t asc_link_relay_get(asc_link_peer_t *peer, uint64_t ref, uint64_t remote, void *local,
                                size_t len, asc_link_op_t *op)
{
    return transfer(peer, ref, remote, local, len, false, (link_op_t *)(void *)op);
}

asc_status_t asc_link_relay_put(asc_link_peer_t *peer, uint64_t ref, uint64_t remote,
                                const void *local, size_t len, asc_link_op_t *op)
{
    return transfer(peer, ref, remote, (void *)local, len, true, (link_op_t *)(void *)op);
}
