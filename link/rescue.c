/* SPDX-License-Identifier: BSD-3-Clause */
#include "link/rescue.h"

#include "acl/asc_log.h"
#include "link/counters.h"

#include <stdlib.h>
#include <string.h>

#define FAILURES_MAX 3 /* in a row, then the pair is only relayed */
#define ALIVE_EVERY  4096

typedef struct rescue {
    link_transfer_t task;
    asc_link_op_t relay;
    bool asked; /* the relay has begun */
    uint32_t polls;
} rescue_t;

static _Atomic uint64_t gave_up;

static uint64_t remote_of(const link_transfer_t *task)
{
    return task->import->rkey.base + (uint64_t)(task->there - (char *)task->import->local);
}

void link_rescue_mention(const link_transfer_t *task, const char *why)
{
    asc_link_peer_t *owner = task->import->owner;
    /* of an owner that has ended the last word is said elsewhere */
    bool first = asc_link_peer_alive(owner) && !atomic_exchange(&owner->rescue.mentioned, true);

    asc_log(first ? ASC_LOG_WARN : ASC_LOG_DEBUG,
            "a copy of %zu bytes %s process %d failed on device %d: %s; it is made in another way, "
            "as will others that fail",
            task->len, task->put ? "to" : "from", owner->addr.pid, task->import->device, why);
    link_count(direct_failed, 1);
}

bool link_rescue_demoted(const asc_link_peer_t *owner)
{
    return atomic_load_explicit(&owner->rescue.failures, memory_order_relaxed) >= FAILURES_MAX;
}

bool link_rescue_at_once(const link_transfer_t *task)
{
    return task->relay && !task->import->owner->self && link_rescue_demoted(task->import->owner);
}

void link_rescue_not_needed(asc_link_peer_t *owner)
{
    if (atomic_load_explicit(&owner->rescue.failures, memory_order_relaxed) != 0) {
        atomic_store_explicit(&owner->rescue.failures, 0, memory_order_relaxed);
    }
}

static void count_failure(asc_link_peer_t *owner)
{
    if (!link_rescue_demoted(owner) &&
        atomic_fetch_add(&owner->rescue.failures, 1) + 1 == FAILURES_MAX) {
        asc_log(ASC_LOG_WARN,
                "%d direct copies with process %d failed one after the other: from now on both "
                "processes relay its messages through host memory",
                FAILURES_MAX, owner->addr.pid);
    }
}

static asc_status_t fail(const link_transfer_t *task)
{
    asc_link_peer_t *owner = task->import->owner;

    asc_log(ASC_LOG_ERROR, "copy of %zu bytes %s process %d failed in every way: %s", task->len,
            task->put ? "to" : "from", owner->addr.pid,
            asc_link_peer_alive(owner) ? "its memory or this process's is not usable"
                                       : "it has ended");
    if (task->relay && !owner->self) {
        atomic_fetch_add(&link_peer_row(owner)->gave_up, 1);
    }
    link_import_op_end(task->import, false, true);
    return ASC_ERR_ACL;
}

/* The relay has room for so many transfers; the op waits for its turn. */
static asc_status_t ask(rescue_t *rescue)
{
    const link_transfer_t *task = &rescue->task;
    asc_link_peer_t *owner = task->import->owner;
    asc_status_t status;

    status =
        task->put
            ? asc_link_relay_put(owner, 0, remote_of(task), task->here, task->len, &rescue->relay)
            : asc_link_relay_get(owner, 0, remote_of(task), task->here, task->len, &rescue->relay);
    rescue->asked = status == ASC_INPROGRESS;
    if (status == ASC_ERR_BUSY &&
        (++rescue->polls % ALIVE_EVERY != 0 || asc_link_peer_alive(owner))) {
        return ASC_INPROGRESS;
    }
    return status;
}

static asc_status_t step(link_op_t *op, asc_status_t so_far)
{
    rescue_t *rescue = op->arg[0];
    asc_status_t status = so_far;

    if (!rescue->asked) {
        status = ask(rescue);
    }
    if (rescue->asked) {
        status = asc_link_op_test(&rescue->relay);
    }
    if (status == ASC_INPROGRESS) {
        return status;
    }
    if (status == ASC_OK) {
        count_failure(rescue->task.import->owner);
        link_count(rescued, 1);
        link_import_op_end(rescue->task.import, false, true);
    } else {
        status = fail(&rescue->task);
    }
    free(rescue);
    return status;
}

asc_status_t link_rescue(const link_transfer_t *task, link_op_t *op)
{
    asc_link_peer_t *owner = task->import->owner;
    rescue_t *rescue = NULL;

    if (task->relay && !owner->self && asc_link_peer_alive(owner)) {
        rescue = calloc(1, sizeof(*rescue));
    }
    if (rescue == NULL) {
        return fail(task);
    }
    rescue->task = *task;
    memset(op, 0, sizeof(*op));
    op->finish = step;
    op->arg[0] = rescue;
    return ASC_INPROGRESS;
}

/* ------------------------------------------------------ the owner ------- */

void link_rescue_look(void)
{
    unsigned count = link_peer_count();

    for (unsigned i = 0; i < count; i++) {
        asc_link_peer_t *peer = link_peer_at(i);
        const link_board_row_t *theirs = link_peer_back_row(peer);
        uint64_t now = theirs != NULL ? atomic_load(&theirs->gave_up) : 0;
        uint64_t before = atomic_load(&peer->rescue.gave_up);

        if (now > before && atomic_compare_exchange_strong(&peer->rescue.gave_up, &before, now)) {
            asc_log(ASC_LOG_ERROR,
                    "process %d could not copy device memory of this process in any way: the "
                    "message fails on both sides",
                    peer->addr.pid);
            atomic_fetch_add(&gave_up, now - before);
        }
    }
}

uint64_t asc_link_peer_gave_up(const asc_link_peer_t *peer)
{
    return atomic_load_explicit(&peer->rescue.gave_up, memory_order_relaxed);
}

uint64_t asc_link_gave_up(void)
{
    return atomic_load_explicit(&gave_up, memory_order_relaxed);
}
