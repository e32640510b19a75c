/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Hazard slots: how an importer tells the owner that it uses an allocation,
 * and how the owner looks. The importer stores its slot and then looks at
 * live[]; the owner clears live[] and then looks at the slots: at least one of
 * the two sees the other.
 */
#ifndef LINK_HAZARD_H
#define LINK_HAZARD_H

#include "link/peer.h"

#define LINK_HAZARD_NONE UINT32_MAX

/** A slot of the own board in state HELD; LINK_HAZARD_NONE when all are used.
 *  The caller serialises get, set and put. */
uint32_t link_hazard_get(uint64_t owner, uint64_t generation);
void link_hazard_set(uint32_t slot, link_hazard_state_t state, uint64_t seq);
void link_hazard_put(uint32_t slot);

/** True while the owner's board says that the allocation lives. */
bool link_hazard_live(const asc_link_peer_t *owner, uint32_t slot, uint64_t generation);

/**
 * A living process that uses the own allocation of @a generation, or NULL.
 * @param weakest LINK_HAZARD_HELD: real use only; LINK_HAZARD_CACHED: open
 *        imports count as well.
 */
asc_link_peer_t *link_hazard_holder(uint64_t generation, link_hazard_state_t weakest);

#endif
