/* SPDX-License-Identifier: BSD-3-Clause */
/* Who is who: addresses, the table of known processes, their liveness. */
#include "link/peer.h"

#include "link/env.h"
#include "link/init.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
    pthread_mutex_t lock;
    _Atomic unsigned count;
    _Atomic(asc_link_peer_t *) at[LINK_BOARD_PEERS];
} peers = {.lock = PTHREAD_MUTEX_INITIALIZER};

unsigned link_peer_count(void)
{
    return atomic_load_explicit(&peers.count, memory_order_acquire);
}

asc_link_peer_t *link_peer_at(unsigned index)
{
    return atomic_load_explicit(&peers.at[index], memory_order_acquire);
}

asc_link_peer_t *link_peer_by_uid(uint64_t uid)
{
    unsigned count = link_peer_count();

    for (unsigned i = 0; i < count; i++) {
        asc_link_peer_t *peer = link_peer_at(i);

        if (peer->addr.uid == uid) {
            return peer;
        }
    }
    return NULL;
}

link_board_row_t *link_peer_row(const asc_link_peer_t *peer)
{
    link_board_t *board = link_board();

    return board == NULL ? NULL : &board->rows[peer->row];
}

const link_board_row_t *link_peer_back_row(asc_link_peer_t *peer)
{
    int row = atomic_load_explicit(&peer->back, memory_order_relaxed);
    uint32_t top;
    uint64_t uid;

    if (row >= 0) {
        return &peer->board->rows[row];
    }
    uid = link_board_uid();
    top = atomic_load_explicit(&peer->board->peer_top, memory_order_acquire);
    for (uint32_t i = 0; i < top && i < LINK_BOARD_PEERS; i++) {
        if (atomic_load_explicit(&peer->board->rows[i].uid, memory_order_acquire) == uid) {
            atomic_store_explicit(&peer->back, (int)i, memory_order_relaxed);
            return &peer->board->rows[i];
        }
    }
    return NULL;
}

/* ------------------------------------------------------ addresses ------- */

void asc_link_self_addr(asc_link_addr_t *addr)
{
    const link_board_t *board = link_board();

    memset(addr, 0, sizeof(*addr));
    addr->version = ASC_LINK_ABI;
    addr->pid = board != NULL ? board->pid : getpid();
    addr->board_fd = link_board_fd();
    addr->host = link_board_host();
    addr->uid = link_board_uid();
    if (asc_link_ready()) {
        addr->flags |= ASC_LINK_ADDR_RUNTIME;
    }
    if (!link_env()->ipc) {
        addr->flags |= ASC_LINK_ADDR_DISABLED;
    }
}

static asc_status_t check_addr(const asc_link_addr_t *addr)
{
    if (addr->version != ASC_LINK_ABI) {
        link_set_reason("process %d uses version %u of this library, this process version %d: "
                        "use one installation",
                        addr->pid, addr->version, ASC_LINK_ABI);
        return ASC_ERR_UNREACHABLE;
    }
    if (addr->uid == 0 || addr->reserved != 0) {
        link_set_reason("malformed address: uid %llx, reserved %u", (unsigned long long)addr->uid,
                        addr->reserved);
        return ASC_ERR_INVALID;
    }
    if (!asc_link_ready() || link_board() == NULL) {
        const char *why = asc_link_why_not();

        link_set_reason("this process cannot share device memory: %s",
                        *why != '\0' ? why : "it has no board");
        return ASC_ERR_UNREACHABLE;
    }
    if ((addr->flags & ASC_LINK_ADDR_DISABLED) != 0 || !link_env()->ipc) {
        link_set_reason("sharing of device memory is switched off in %s process: unset "
                        "ASCEND_IPC",
                        link_env()->ipc ? "the peer" : "this");
        return ASC_ERR_UNREACHABLE;
    }
    if ((addr->flags & ASC_LINK_ADDR_RUNTIME) == 0) {
        link_set_reason("process %d has no usable runtime library", addr->pid);
        return ASC_ERR_UNREACHABLE;
    }
    if (addr->host != link_board_host()) {
        link_set_reason("process %d runs on another host or in another pid namespace", addr->pid);
        return ASC_ERR_UNREACHABLE;
    }
    return ASC_OK;
}

/* ------------------------------------------------------ opening --------- */

static asc_status_t make_peer(const asc_link_addr_t *addr, asc_link_peer_t **peer_p)
{
    bool self = addr->uid == link_board_uid();
    asc_link_peer_t *peer = calloc(1, sizeof(*peer));
    asc_status_t status;

    if (peer == NULL) {
        link_set_reason("no host memory is left for process %d", addr->pid);
        return ASC_ERR_NO_MEMORY;
    }
    peer->addr = *addr;
    peer->self = self;
    peer->back = -1;
    peer->fd = -1;
    atomic_flag_clear(&peer->out.busy);
    if (self) {
        peer->board = link_board();
    } else {
        status = link_board_map(addr, &peer->board, &peer->fd);
        if (status != ASC_OK) {
            free(peer);
            return status;
        }
    }
    peer->seen_drops = atomic_load(&peer->board->drops);
    *peer_p = peer;
    return ASC_OK;
}

/* Under the lock. The row goes on the board before the peer can export for
 * us, because that export's importer looks for it. */
static void add_peer(asc_link_peer_t *peer)
{
    link_board_t *board = link_board();
    unsigned index = peers.count;

    peer->row = index;
    atomic_store(&board->rows[index].uid, peer->addr.uid);
    atomic_store(&board->peer_top, index + 1);
    atomic_store(&peers.at[index], peer);
    atomic_store(&peers.count, index + 1);
}

static asc_status_t open_peer(const asc_link_addr_t *addr, asc_link_peer_t **peer_p)
{
    asc_status_t status = check_addr(addr);

    if (status != ASC_OK) {
        return status;
    }
    *peer_p = link_peer_by_uid(addr->uid);
    if (*peer_p != NULL) {
        return ASC_OK;
    }
    pthread_mutex_lock(&peers.lock);
    *peer_p = link_peer_by_uid(addr->uid);
    if (*peer_p == NULL && peers.count == LINK_BOARD_PEERS) {
        link_set_reason("this process knows %d processes already, no more fit its board",
                        LINK_BOARD_PEERS);
        status = ASC_ERR_UNREACHABLE;
    } else if (*peer_p == NULL) {
        status = make_peer(addr, peer_p);
        if (status == ASC_OK) {
            add_peer(*peer_p);
        }
    }
    pthread_mutex_unlock(&peers.lock);
    return status;
}

asc_status_t asc_link_peer_open(const asc_link_addr_t *addr, asc_link_peer_t **peer_p, char *why,
                                size_t why_len)
{
    asc_link_addr_t copy = *addr; /* a packed one may be unaligned or change */
    asc_link_peer_t *peer = NULL;
    asc_status_t status;

    status = open_peer(&copy, &peer);
    if (status != ASC_OK) {
        if (why != NULL) {
            snprintf(why, why_len, "%s", asc_link_last_reason());
        }
        return status;
    }
    *peer_p = peer;
    return ASC_OK;
}

/* ------------------------------------------------------ questions ------- */

bool asc_link_peer_is_self(const asc_link_peer_t *peer)
{
    return peer->self;
}

bool asc_link_peer_alive(asc_link_peer_t *peer)
{
    if (peer->self) {
        return true;
    }
    if (atomic_load_explicit(&peer->dead, memory_order_relaxed)) {
        return false;
    }
    if (link_board_alive(peer->fd)) {
        return true;
    }
    atomic_store_explicit(&peer->dead, true, memory_order_relaxed);
    return false;
}

int asc_link_peer_tgid(const asc_link_peer_t *peer)
{
    int tgid = atomic_load_explicit(&peer->board->tgid, memory_order_acquire);

    return tgid > 0 ? tgid : -1;
}

const void *asc_link_peer_mail(const asc_link_peer_t *peer, size_t *len)
{
    *len = sizeof(peer->board->mail);
    return peer->board->mail;
}
