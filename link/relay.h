/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Transfers that both processes copy for: the one side puts pieces into slots
 * of its window, the other takes them out, so that two processors or two
 * engines work at once. For pairs of memories of which no engine reaches both:
 * one side's is host memory.
 *
 * A window is a shared segment that its process alone writes. Data goes
 * through the window of the process whose memory is read. A request is a
 * record on the asking process's board; what the other side does with it is a
 * record on its own board. Nothing is ever written to another process.
 */
#ifndef LINK_RELAY_H
#define LINK_RELAY_H

#include "link/op.h"
#include "link/peer.h"

/** Slots of a channel; one may be filled while another is emptied. */
#define LINK_RELAY_SLOTS    4u
#define LINK_RELAY_SLOT     ((size_t)256 << 10)
/** Transfers out of a window at a time. */
#define LINK_RELAY_CHANNELS 8u

/** Bytes of a piece of a message of @a len bytes; both sides compute it. */
size_t link_relay_piece(size_t len);

/** A free channel of the own window, which is made at first use. False: all
 *  are taken, or there can be no window (logged once). */
bool link_relay_channel_get(uint32_t *channel);
void link_relay_channel_put(uint32_t channel);

/** Slot @a piece % LINK_RELAY_SLOTS of a channel of the own window. */
char *link_relay_slot(uint32_t channel, uint64_t piece);

/** The same of a peer's window, or NULL when it cannot be mapped. */
const char *link_relay_peer_slot(asc_link_peer_t *peer, uint32_t channel, uint64_t piece);

/** Keeps offered memory from being withdrawn while it is copied; false when it
 *  is withdrawn or [@a address, @a address + @a len) is not inside it. */
bool link_relay_ref_hold(uint64_t ref, uint64_t address, size_t len);
void link_relay_ref_drop(uint64_t ref);

#endif
