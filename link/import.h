/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The import cache, as transfers, progress and quiesce see it. One import per
 * (process, key), on the home device. Counts and states are under one lock,
 * which is held over no driver call.
 *
 * An import is in use while somebody has pinned it (users) or a copy is under
 * way (ops). Its hazard slot on the board says so to the owner:
 *   users or an op without a record behind it -> HELD
 *   only ops with a record behind them        -> POSTED(last record)
 *   nothing                                   -> CACHED
 */
#ifndef LINK_IMPORT_H
#define LINK_IMPORT_H

#include "link/peer.h"
#include "link/rkey.h"

typedef enum link_import_state {
    LINK_IMPORT_OPENING,
    LINK_IMPORT_READY,
    LINK_IMPORT_CLOSING
} link_import_state_t;

struct asc_link_import {
    struct asc_link_import *next;          /**< hash chain */
    struct asc_link_import *older, *newer; /**< among those that nothing uses */
    asc_link_peer_t *owner;
    link_rkey_t rkey;
    void *local; /**< where rkey.base is in this process */
    int device;
    uint32_t ctx_epoch;
    uint32_t hazard;
    link_import_state_t state;
    bool dead;   /**< not to be used again, close when free */
    bool queued; /**< in the list of unused ones */
    unsigned users, ops;
    unsigned uncovered; /**< ops without a record behind them */
    uint64_t covered;   /**< last record behind an op */
};

/** A copy begins: HELD from now on. */
void link_import_op_begin(asc_link_import_t *import);
/** Its record was enqueued. */
void link_import_op_covered(asc_link_import_t *import, uint64_t record);
/** It was, but the record may be lost: HELD again. */
void link_import_op_uncover(asc_link_import_t *import);
/** It is over. @a failed: the mapping is not to be trusted any more. */
void link_import_op_end(asc_link_import_t *import, bool covered, bool failed);

/** Closes imports whose allocation is gone. A few loads when there are none. */
void link_import_upkeep(void);

/** Closes everything that nothing uses. */
void link_import_close_unused(void);

/** Imports with copies under way. */
unsigned link_import_busy(void);

#endif
