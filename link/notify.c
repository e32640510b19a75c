/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pairs of notifies. The owner's side (offer, drain, retire) comes first, the
 * importer's (fetch, record) second. Counts of both live on the boards, so
 * each side always knows what the other has done.
 */
#include "link/notify.h"

#include "acl/asc_log.h"
#include "link/context.h"
#include "link/counters.h"
#include "link/env.h"
#include "link/rkey.h"

#include <sched.h>
#include <stdio.h>

#define KEY_MAGIC      0x4e435341u /* "ASCN" */
#define DEAD_GRACE_MS  1000        /* a dead peer's last record may still come */
#define ALIVE_EVERY_MS 100
#define SPOILED_MAX    4 /* notifies that one peer may spoil */

typedef struct notify_key {
    uint32_t magic;
    int32_t device;
    uint64_t seq;
    char key[LINK_IPC_KEY];
} notify_key_t;

static struct {
    _Atomic unsigned made;
    _Atomic uint64_t names; /* numbers ever given to notifies of this process */

    /* the drain, one wait at a time: a wait that ends badly takes its stream
     * along, and must not take other peers' waits with it */
    atomic_flag busy;
    link_stream_t *stream;
    asc_link_peer_t *peer; /* waited for, NULL: idle */
    link_op_t op;
    uint64_t started_ms, looked_ms, dead_ms;
    unsigned next; /* peer to look at first */
    _Atomic bool wanted;
} drain = {.busy = ATOMIC_FLAG_INIT};

static bool runtime_has_notifies(const asc_acl_t *acl)
{
    return acl != NULL && acl->aclrtCreateNotify != NULL && acl->aclrtDestroyNotify != NULL &&
           acl->aclrtRecordNotify != NULL && acl->aclrtWaitAndResetNotify != NULL &&
           acl->aclrtNotifyGetExportKey != NULL && acl->aclrtNotifySetImportPid != NULL &&
           acl->aclrtNotifyImportByKey != NULL;
}

static void key_name(char *name, uint64_t owner, uint64_t importer, uint64_t seq)
{
    snprintf(name, ASC_OOB_NAME_MAX, "asc.n.%llx.%llx.%llx", (unsigned long long)owner,
             (unsigned long long)importer, (unsigned long long)seq);
}

/* ------------------------------------------------------ owner: offer ---- */

/* Context current. The bit's key goes out before the board says it is there. */
static asc_status_t make_notify(const asc_acl_t *acl, asc_link_peer_t *peer)
{
    char name[ASC_OOB_NAME_MAX];
    int32_t pid = atomic_load(&peer->listed);
    notify_key_t blob = {.magic = KEY_MAGIC, .device = peer->in.device};

    if (acl->aclrtCreateNotify(&peer->in.notify, 0) != ACL_SUCCESS) {
        return ASC_ERR_BUSY;
    }
    if (acl->aclrtNotifyGetExportKey(peer->in.notify, blob.key, sizeof(blob.key), 0) !=
            ACL_SUCCESS ||
        acl->aclrtNotifySetImportPid(peer->in.notify, &pid, 1) != ACL_SUCCESS) {
        goto err_destroy;
    }
    blob.seq = atomic_fetch_add(&drain.names, 1) + 1;
    key_name(name, link_board_uid(), peer->addr.uid, blob.seq);
    if (link_oob_put(name, &blob, sizeof(blob)) != ASC_OK) {
        goto err_destroy;
    }
    atomic_store(&link_peer_row(peer)->ready, blob.seq);
    return ASC_OK;

err_destroy:
    (void)acl->aclrtDestroyNotify(peer->in.notify);
    return ASC_ERR_ACL;
}

static void offer_to(const asc_acl_t *acl, asc_link_peer_t *peer, int device)
{
    int none = LINK_OFFER_NONE;
    link_ctx_t ctx;
    asc_status_t status;

    if (atomic_load(&peer->listed) == 0 ||
        !atomic_compare_exchange_strong(&peer->in.state, &none, LINK_OFFER_MAKING)) {
        return;
    }
    if (atomic_fetch_add(&drain.made, 1) >= link_env()->notify_max ||
        link_ctx_enter(device, &ctx) != ASC_OK) {
        atomic_fetch_sub(&drain.made, 1);
        atomic_store(&peer->in.state, LINK_OFFER_RETIRED);
        return;
    }
    peer->in.device = device;
    peer->in.epoch = link_ctx_epoch(device);
    status = make_notify(acl, peer);
    link_ctx_leave(&ctx);
    if (status != ASC_OK) {
        asc_log(ASC_LOG_DEBUG,
                "no notify for process %d: its copies are seen to end on its "
                "board only",
                peer->addr.pid);
        atomic_fetch_sub(&drain.made, 1);
    }
    atomic_store(&peer->in.state, status == ASC_OK ? LINK_OFFER_READY : LINK_OFFER_RETIRED);
}

void link_notify_offer(void)
{
    const asc_acl_t *acl = asc_acl_get();
    int device = asc_link_home_device();
    unsigned count = link_peer_count();

    if (device < 0 || !runtime_has_notifies(acl)) {
        return;
    }
    atomic_store(&link_board()->closing, 0);
    for (unsigned i = 0; i < count; i++) {
        offer_to(acl, link_peer_at(i), device);
    }
}

/* ------------------------------------------------------ owner: drain ---- */

bool link_notify_consumed(const asc_link_peer_t *peer, uint64_t seq)
{
    return atomic_load(&link_peer_row(peer)->consumed) >= seq;
}

/* Records of the peer that the own drain has not consumed. The low bit says
 * that one is being enqueued this moment. */
static bool outstanding(asc_link_peer_t *peer, bool *coming)
{
    const link_board_row_t *theirs;
    uint64_t word;

    if (atomic_load(&peer->in.state) != LINK_OFFER_READY ||
        (theirs = link_peer_back_row(peer)) == NULL) {
        return false;
    }
    word = atomic_load(&theirs->recorded);
    *coming = *coming || (word & 1) != 0;
    return (word >> 1) > peer->in.consumed;
}

static void retire(asc_link_peer_t *peer)
{
    const asc_acl_t *acl = asc_acl_get();
    link_ctx_t ctx;

    atomic_store(&link_peer_row(peer)->ready, 0);
    atomic_store(&peer->in.state, LINK_OFFER_RETIRED);
    if (peer->in.epoch == link_ctx_epoch(peer->in.device) && link_ctx_usable(peer->in.device) &&
        link_ctx_enter(peer->in.device, &ctx) == ASC_OK) {
        (void)acl->aclrtDestroyNotify(peer->in.notify);
        link_ctx_leave(&ctx);
    }
}

static void end_drain_stream(void)
{
    link_ctx_t ctx;

    if (drain.stream != NULL && link_ctx_enter(drain.stream->device, &ctx) == ASC_OK) {
        link_stream_destroy(drain.stream, true);
        link_ctx_leave(&ctx);
    }
    drain.stream = NULL;
    drain.peer = NULL;
}

/* The wait cannot be taken back: its stream goes, by force, and the bit is
 * never used again, because nobody knows any more what a set one means. */
static void abandon(asc_link_peer_t *peer, const char *cause)
{
    asc_log(ASC_LOG_WARN,
            "process %d did not complete the copy it announced (%s): its notify is "
            "retired, the end of its copies is taken from its board",
            peer->addr.pid, cause);
    link_count(notify_timeout, 1);
    end_drain_stream();
    retire(peer);
}

/* The importer's copy failed and took the record behind it along: it has said
 * so and counts its copies as held. Another notify is offered, a few times. */
static bool take_back_spoiled(asc_link_peer_t *peer)
{
    const link_board_row_t *theirs;
    uint64_t ready = atomic_load(&link_peer_row(peer)->ready);

    if (ready == 0 || (theirs = link_peer_back_row(peer)) == NULL ||
        atomic_load(&theirs->spoiled) != ready) {
        return false;
    }
    if (drain.peer == peer) {
        end_drain_stream();
    }
    peer->in.consumed = atomic_load(&theirs->recorded) >> 1;
    atomic_store(&link_peer_row(peer)->consumed, peer->in.consumed);
    retire(peer);
    if (++peer->in.spoiled < SPOILED_MAX) {
        atomic_fetch_sub(&drain.made, 1);
        atomic_store(&peer->in.state, LINK_OFFER_NONE);
        if (atomic_load(&link_board()->closing) == 0) {
            offer_to(asc_acl_get(), peer, peer->in.device);
        }
    }
    return true;
}

static void poll_wait(uint64_t now)
{
    asc_link_peer_t *peer = drain.peer;
    asc_status_t status = asc_link_op_test((asc_link_op_t *)&drain.op);

    if (status == ASC_OK) {
        peer->in.consumed++;
        atomic_store(&link_peer_row(peer)->consumed, peer->in.consumed);
        link_count(notify_consumed, 1);
        drain.peer = NULL;
        return;
    }
    if (status != ASC_INPROGRESS) {
        abandon(peer, "the wait ended with an error or ran out");
        return;
    }
    if (now - drain.started_ms > (uint64_t)link_env()->notify_timeout_s * 1000 + 500) {
        abandon(peer, "the wait ran out");
        return;
    }
    if (now - drain.looked_ms < ALIVE_EVERY_MS) {
        return;
    }
    drain.looked_ms = now;
    if (asc_link_peer_alive(peer)) {
        return;
    }
    if (drain.dead_ms == 0) {
        drain.dead_ms = now;
    } else if (now - drain.dead_ms > DEAD_GRACE_MS) {
        abandon(peer, "it has ended");
    }
}

static void start_wait(asc_link_peer_t *peer, uint64_t now)
{
    const asc_acl_t *acl = asc_acl_get();
    link_ctx_t ctx;
    aclError error;

    if (peer->in.epoch != link_ctx_epoch(peer->in.device) ||
        link_ctx_enter(peer->in.device, &ctx) != ASC_OK) {
        retire(peer);
        return;
    }
    if (drain.stream != NULL && (drain.stream->device != peer->in.device ||
                                 drain.stream->epoch != peer->in.epoch || drain.stream->failed)) {
        link_stream_destroy(drain.stream, true);
        drain.stream = NULL;
    }
    if (drain.stream == NULL) {
        drain.stream = link_stream_create(peer->in.device);
    }
    if (drain.stream != NULL) {
        error = acl->aclrtWaitAndResetNotify(peer->in.notify, drain.stream->handle,
                                             link_env()->notify_timeout_s);
        if (error == ACL_SUCCESS && link_op_mark(&drain.op, drain.stream, NULL) == ASC_INPROGRESS) {
            drain.op.quiet = 1;
            drain.peer = peer;
            drain.started_ms = drain.looked_ms = now;
            drain.dead_ms = 0;
        } else {
            link_stream_destroy(drain.stream, true);
            drain.stream = NULL;
        }
    }
    link_ctx_leave(&ctx);
    if (drain.peer != NULL) {
        poll_wait(now);
    } else {
        retire(peer);
    }
}

static void drain_step(void)
{
    unsigned count = link_peer_count();
    uint64_t now = link_now_ms();
    bool coming = false;

    if (drain.peer != NULL && !take_back_spoiled(drain.peer)) {
        poll_wait(now);
    }
    for (unsigned i = 0; i < count && drain.peer == NULL; i++) {
        asc_link_peer_t *peer = link_peer_at(drain.next++ % count);

        if (!take_back_spoiled(peer) && outstanding(peer, &coming)) {
            start_wait(peer, now);
        }
    }
}

void link_notify_drain(void)
{
    if (atomic_flag_test_and_set(&drain.busy)) {
        return; /* another thread is at it */
    }
    atomic_store_explicit(&drain.wanted, false, memory_order_relaxed);
    drain_step();
    atomic_flag_clear(&drain.busy);
}

void link_notify_idle(void)
{
    static _Atomic uint64_t looked_ms;
    uint64_t now = link_now_ms();

    if (atomic_load_explicit(&drain.wanted, memory_order_relaxed) ||
        atomic_load_explicit(&looked_ms, memory_order_relaxed) != now) {
        atomic_store_explicit(&looked_ms, now, memory_order_relaxed);
        link_notify_drain();
    }
}

void link_notify_want_drain(void)
{
    atomic_store_explicit(&drain.wanted, true, memory_order_relaxed);
}

bool link_notify_outstanding(void)
{
    unsigned count = link_peer_count();
    bool any = false, coming = false;

    for (unsigned i = 0; i < count; i++) {
        asc_link_peer_t *peer = link_peer_at(i);

        if (outstanding(peer, &coming) || (coming && asc_link_peer_alive(peer))) {
            any = true;
        }
        coming = false;
    }
    return any;
}

/* ------------------------------------------------------ importer -------- */

static void drop_fetched(asc_link_peer_t *owner)
{
    const asc_acl_t *acl = asc_acl_get();
    link_ctx_t ctx;

    if (owner->out.notify != NULL && owner->out.epoch == link_ctx_epoch(owner->out.device) &&
        link_ctx_usable(owner->out.device) && link_ctx_enter(owner->out.device, &ctx) == ASC_OK) {
        (void)acl->aclrtDestroyNotify(owner->out.notify);
        link_ctx_leave(&ctx);
    }
    owner->out.notify = NULL;
}

/* Context current. A notify that cannot be had is not asked for again. */
static void fetch(asc_link_peer_t *owner, uint64_t seq, int device)
{
    const asc_acl_t *acl = asc_acl_get();
    char name[ASC_OOB_NAME_MAX];
    notify_key_t blob;
    size_t len = sizeof(blob);
    aclError error;

    drop_fetched(owner);
    owner->out.seq = seq;
    key_name(name, owner->addr.uid, link_board_uid(), seq);
    if (!runtime_has_notifies(acl) || link_oob_get(owner->addr.uid, name, &blob, &len) != ASC_OK ||
        len != sizeof(blob) || blob.magic != KEY_MAGIC || blob.seq != seq) {
        asc_log(ASC_LOG_DEBUG, "key %s of process %d is not there", name, owner->addr.pid);
        return;
    }
    error = acl->aclrtNotifyImportByKey(&owner->out.notify, blob.key,
                                        ACL_RT_NOTIFY_IMPORT_FLAG_ENABLE_PEER_ACCESS);
    if (error == ACL_ERROR_RT_PARAM_INVALID || error == ACL_ERROR_RT_FEATURE_NOT_SUPPORT) {
        error = acl->aclrtNotifyImportByKey(&owner->out.notify, blob.key, 0);
    }
    if (error != ACL_SUCCESS) {
        owner->out.notify = NULL;
        asc_log(ASC_LOG_DEBUG, "notify of process %d refused: error %d", owner->addr.pid, error);
        return;
    }
    owner->out.epoch = link_ctx_epoch(device);
    owner->out.device = device;
}

static uint64_t record(asc_link_peer_t *owner, link_stream_t *stream)
{
    link_board_row_t *mine = link_peer_row(owner);
    uint64_t count = owner->out.recorded;
    aclError error;

    /* tell that one is coming, then look whether the owner is closing; the
     * owner closes, then looks whether one is coming */
    atomic_store(&mine->recorded, (count << 1) | 1);
    if (atomic_load(&owner->board->closing) != 0) {
        atomic_store(&mine->recorded, count << 1);
        return 0;
    }
    error = asc_acl_get()->aclrtRecordNotify(owner->out.notify, stream->handle);
    if (error != ACL_SUCCESS) {
        drop_fetched(owner);
        atomic_store(&mine->recorded, count << 1);
        asc_log(ASC_LOG_DEBUG, "record on the notify of process %d failed: error %d",
                owner->addr.pid, error);
        return 0;
    }
    owner->out.recorded = count + 1;
    atomic_store(&mine->recorded, (count + 1) << 1);
    link_count(notify_record, 1);
    return count + 1;
}

uint64_t link_notify_record(asc_link_peer_t *owner, link_stream_t *stream)
{
    const link_board_row_t *theirs = link_peer_back_row(owner);
    uint64_t seq = 0, ready;

    if (theirs == NULL ||
        (ready = atomic_load_explicit(&theirs->ready, memory_order_acquire)) == 0) {
        return 0;
    }
    if (atomic_flag_test_and_set(&owner->out.busy)) {
        link_count(notify_skipped, 1); /* another thread records just now */
        return 0;
    }
    if (owner->out.seq != ready ||
        (owner->out.notify != NULL && owner->out.epoch != stream->epoch)) {
        fetch(owner, ready, stream->device);
    }
    if (owner->out.notify == NULL) {
        seq = 0;
    } else if (atomic_load(&theirs->consumed) != owner->out.recorded) {
        link_count(notify_skipped, 1);
    } else {
        seq = record(owner, stream);
    }
    atomic_flag_clear(&owner->out.busy);
    return seq;
}

void link_notify_spoil(asc_link_peer_t *owner)
{
    while (atomic_flag_test_and_set(&owner->out.busy)) {
        sched_yield(); /* another thread records */
    }
    if (owner->out.notify != NULL) {
        drop_fetched(owner);
        atomic_store(&link_peer_row(owner)->spoiled, owner->out.seq);
    }
    atomic_flag_clear(&owner->out.busy);
}

/* ------------------------------------------------------ close ----------- */

static void close_side_of(asc_link_peer_t *peer)
{
    bool coming = false;

    if (atomic_load(&peer->in.state) == LINK_OFFER_READY && !outstanding(peer, &coming) &&
        !coming) {
        retire(peer);
        atomic_fetch_sub(&drain.made, 1);
        atomic_store(&peer->in.state, LINK_OFFER_NONE);
    }
    if (!atomic_flag_test_and_set(&peer->out.busy)) {
        drop_fetched(peer);
        peer->out.seq = 0;
        atomic_flag_clear(&peer->out.busy);
    }
}

void link_notify_close(void)
{
    unsigned count = link_peer_count();
    link_ctx_t ctx;

    if (atomic_flag_test_and_set(&drain.busy)) {
        return;
    }
    for (unsigned i = 0; i < count; i++) {
        close_side_of(link_peer_at(i));
    }
    if (drain.peer == NULL && drain.stream != NULL) {
        if (link_ctx_usable(drain.stream->device) &&
            link_ctx_enter(drain.stream->device, &ctx) == ASC_OK) {
            link_stream_destroy(drain.stream, false);
            link_ctx_leave(&ctx);
        }
        drain.stream = NULL;
    }
    atomic_flag_clear(&drain.busy);
}
