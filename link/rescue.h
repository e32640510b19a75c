/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * What becomes of a transfer whose direct copy has failed: both processes relay
 * it, so that it still ends well. UCX 1.13 completes a receiver whose copy fails,
 * and never tells the sender: a failure must be the last resort.
 */
#ifndef LINK_RESCUE_H
#define LINK_RESCUE_H

#include "link/import.h"
#include "link/op.h"

typedef struct link_transfer {
    asc_link_import_t *import;
    char *there; /**< the remote address as mapped here */
    char *here;
    size_t len;
    bool put;
    bool relay; /**< the owner takes part if it must */
} link_transfer_t;

/** The direct copy was refused, or failed, for the reason @a why: said once for
 *  each owner, else at debug level. */
void link_rescue_mention(const link_transfer_t *task, const char *why);

/** Have this owner's copies failed so often that another try is not worth it? */
bool link_rescue_at_once(const link_transfer_t *task);

/** For link_import_check(): the same, for keys. */
bool link_rescue_demoted(const asc_link_peer_t *owner);

/** A direct copy went well. */
void link_rescue_not_needed(asc_link_peer_t *owner);

/**
 * Goes on with a transfer that is begun and not covered (import.h): ends it for
 * its import. Fills @a op.
 * @return ASC_INPROGRESS, or ASC_ERR_ACL (logged) where there is no other way.
 */
asc_status_t link_rescue(const link_transfer_t *task, link_op_t *op);

/** Looks on peers' boards for transfers that they have given up. */
void link_rescue_look(void);

#endif
