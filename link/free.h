/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * What the hooks (hooks.c) tell the part of link/ that deals with peers, and
 * what that part may ask for. Everything here is called with no lock held and
 * may be called from any thread.
 *
 * Life of an allocation: alloc; then either gone, or park, which answers
 * "parked" or "free now". Real memory goes back through
 * link_alloc_real_free() only.
 */
#ifndef LINK_FREE_H
#define LINK_FREE_H

#include "acl/asc_acl.h"
#include "link/alloc_table.h"

#include <stdbool.h>

/** A new allocation: publish live[slot] = generation on the board. May come
 *  before the board exists; the board is filled by link_alloc_for_each() when
 *  it is made. No driver call. */
void link_free_on_alloc(const link_alloc_t *alloc);

/** The memory goes away whatever peers do (device reset, finalize, found to
 *  have been freed unseen): live = 0, forget its exports, never free it. It
 *  is out of the table already. No driver call. */
void link_free_on_gone(const link_alloc_t *alloc);

/**
 * The user frees: live = 0, then look at the peers' hazard slots.
 * @return true: parked, the caller reports success and touches it no more;
 *         false: exports are closed, the caller frees now.
 */
bool link_free_park(const link_alloc_t *alloc);

/**
 * Frees parked allocations that nobody holds any more. One load when nothing
 * is parked. @a urgent: memory has run out, look again even if that was done
 * a moment ago.
 * @return true if anything went back to the runtime.
 */
bool link_free_sweep(bool urgent);

/**
 * Gives the memory of a freed allocation to the runtime, out of the table
 * first. Makes a context of its device current for the call. Does nothing
 * (ACL_SUCCESS) when the entry is gone: a reset has taken the memory.
 */
aclError link_alloc_real_free(const link_alloc_t *alloc);

#endif
