/* SPDX-License-Identifier: BSD-3-Clause */
#include "link/hazard.h"

#include "link/notify.h"

static struct {
    uint32_t free_list[LINK_BOARD_HAZARDS]; /* slots given back */
    uint32_t n_free, top;
} slots;

uint32_t link_hazard_get(uint64_t owner, uint64_t generation)
{
    link_board_t *board = link_board();
    link_board_hazard_t *hazard;
    uint32_t slot;

    if (slots.n_free > 0) {
        slot = slots.free_list[--slots.n_free];
    } else if (slots.top < LINK_BOARD_HAZARDS) {
        slot = slots.top++;
        /* before the slot itself: an owner looks no further than this */
        atomic_store(&board->hazard_top, slots.top);
    } else {
        return LINK_HAZARD_NONE;
    }
    hazard = &board->hazards[slot];
    atomic_store_explicit(&hazard->owner, owner, memory_order_relaxed);
    atomic_store_explicit(&hazard->generation, generation, memory_order_relaxed);
    atomic_store(&hazard->word, LINK_HAZARD_WORD(LINK_HAZARD_HELD, 0));
    return slot;
}

void link_hazard_set(uint32_t slot, link_hazard_state_t state, uint64_t seq)
{
    atomic_store(&link_board()->hazards[slot].word, LINK_HAZARD_WORD(state, seq));
}

void link_hazard_put(uint32_t slot)
{
    link_hazard_set(slot, LINK_HAZARD_FREE, 0);
    slots.free_list[slots.n_free++] = slot;
}

bool link_hazard_live(const asc_link_peer_t *owner, uint32_t slot, uint64_t generation)
{
    return atomic_load(&owner->board->live[slot]) == generation;
}

static bool holds(asc_link_peer_t *peer, uint64_t generation, link_hazard_state_t weakest)
{
    const link_board_t *board = peer->board;
    uint64_t own = link_board_uid();
    uint32_t top = atomic_load(&board->hazard_top);

    for (uint32_t i = 0; i < top && i < LINK_BOARD_HAZARDS; i++) {
        const link_board_hazard_t *hazard = &board->hazards[i];
        uint64_t word = atomic_load(&hazard->word);
        link_hazard_state_t state = LINK_HAZARD_STATE(word);

        if (state == LINK_HAZARD_FREE || state < weakest ||
            atomic_load_explicit(&hazard->generation, memory_order_relaxed) != generation ||
            atomic_load_explicit(&hazard->owner, memory_order_relaxed) != own) {
            continue;
        }
        if (state == LINK_HAZARD_POSTED && weakest == LINK_HAZARD_HELD &&
            link_notify_consumed(peer, LINK_HAZARD_SEQ(word))) {
            continue;
        }
        return true;
    }
    return false;
}

asc_link_peer_t *link_hazard_holder(uint64_t generation, link_hazard_state_t weakest)
{
    unsigned count = link_peer_count();

    for (unsigned i = 0; i < count; i++) {
        asc_link_peer_t *peer = link_peer_at(i);

        if (atomic_load_explicit(&peer->dead, memory_order_relaxed)) {
            continue;
        }
        if (holds(peer, generation, weakest) && asc_link_peer_alive(peer)) {
            return peer;
        }
    }
    return NULL;
}
