/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Notifies between a pair of processes: the owner makes one for each importer
 * and waits for it lazily; the importer records on it behind its copies. So
 * the owner learns the end of a posted copy although the importer's host does
 * nothing any more.
 *
 * A notify is one bit. It is recorded only when the owner's board says that
 * the record before was consumed, hence never onto a set bit.
 */
#ifndef LINK_NOTIFY_H
#define LINK_NOTIFY_H

#include "link/peer.h"

/** Owner: makes and publishes the notifies of listed peers that lack one. */
void link_notify_offer(void);

/**
 * Importer: records behind what is in @a stream (context current) if that is
 * allowed now. Returns the number of the record, 0 when there was none.
 */
uint64_t link_notify_record(asc_link_peer_t *owner, link_stream_t *stream);

/** Importer: the record of a copy that failed may be lost. The owner is told to
 *  wait for no record of that notify any more. */
void link_notify_spoil(asc_link_peer_t *owner);

/** Owner: has the peer's record number @a seq been waited for? */
bool link_notify_consumed(const asc_link_peer_t *peer, uint64_t seq);

/** Owner: one step of waiting for records, never blocks. Driver calls only
 *  when there is an outstanding record. */
void link_notify_drain(void);

/** The same from progress loops: at most every millisecond. */
void link_notify_idle(void);

/** Makes the next idle progress drain at once. */
void link_notify_want_drain(void);

/** Owner: records that are not consumed yet, of peers that live. */
bool link_notify_outstanding(void);

/** Ends all notifies of both sides whose records are all consumed. */
void link_notify_close(void);

#endif
