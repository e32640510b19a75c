/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * What is kept about another process. Made by asc_link_peer_open(), never
 * freed; found without a lock. Fields belong to the file named beside them.
 */
#ifndef LINK_PEER_H
#define LINK_PEER_H

#include "link/board.h"
#include "link/op.h"

#include <stdatomic.h>
#include <stdbool.h>

/** State of the notify that this process made for the peer. */
typedef enum link_offer {
    LINK_OFFER_NONE,
    LINK_OFFER_MAKING,
    LINK_OFFER_READY,
    LINK_OFFER_RETIRED /**< failed, timed out or too many: not tried again */
} link_offer_t;

struct asc_link_peer {
    asc_link_addr_t addr;
    const link_board_t *board;
    int fd; /**< of its board; -1 for the process itself */
    bool self;
    uint32_t row;      /**< on the own board, about this peer */
    _Atomic bool dead; /**< found to have ended */
    _Atomic int back;  /**< row about us on its board, -1: not seen yet */

    /* export.c */
    _Atomic int listed; /**< tgid that new exports whitelist, 0: none */

    /* import.c, under its lock */
    unsigned imports;    /**< entries of this owner */
    uint64_t seen_drops; /**< board->drops when they were last looked through */

    _Atomic unsigned mentioned; /* import_open.c: causes that were logged */

    /* transfer.c */
    _Atomic(link_stream_t *) stream; /**< pair stream on the home device */

    struct {
        _Atomic bool mentioned;
        _Atomic unsigned failures; /**< direct copies in a row that failed */
        _Atomic uint64_t gave_up;  /**< transfers that it gave up, as last seen */
    } rescue;                      /* rescue.c */

    struct {
        _Atomic(void *) window; /**< relay_window.c: its window as mapped here */
        uint64_t seen;          /**< relay.c, under its lock: requests looked at */
    } relay;

    /* notify.c: the peer's notify, on which this process records */
    struct {
        atomic_flag busy;
        aclrtNotify notify;
        uint64_t seq; /**< number of the notify in hand, also a failed one */
        uint64_t recorded;
        uint32_t epoch; /**< of the device context */
        int device;
    } out;

    /* notify.c: the notify made for the peer, which this process waits for */
    struct {
        _Atomic int state; /**< link_offer_t */
        aclrtNotify notify;
        uint64_t consumed; /**< the drain's own copy of the row's value */
        unsigned spoiled;  /**< how often the peer has spoiled one */
        uint32_t epoch;
        int device;
    } in;
};

/** Peers opened so far and the peer at @a index; both only grow. */
unsigned link_peer_count(void);
asc_link_peer_t *link_peer_at(unsigned index);

asc_link_peer_t *link_peer_by_uid(uint64_t uid);

/** The row about this process on the peer's board, or NULL while the peer has
 *  not opened this process: it would not look at our hazards. */
const link_board_row_t *link_peer_back_row(asc_link_peer_t *peer);

/** The row about the peer on the own board. */
link_board_row_t *link_peer_row(const asc_link_peer_t *peer);

#endif
