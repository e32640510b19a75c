/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The device allocations of this process that were seen being made: one
 * sorted table, read without a lock, written under a mutex that is held over
 * no driver call.
 *
 * A generation names one life of one allocation: it grows through the whole
 * process and is never used twice, so a key that carries it can be told from
 * the key of an earlier allocation at the same address. A slot is the small
 * number under which the board publishes the allocation to peers; it belongs
 * to the allocation until its memory has really gone back to the runtime.
 */
#ifndef LINK_ALLOC_TABLE_H
#define LINK_ALLOC_TABLE_H

#include "acl/asc_status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Allocations that peers can name; further ones have LINK_ALLOC_NO_SLOT. */
#define LINK_ALLOC_SLOTS   4096
#define LINK_ALLOC_NO_SLOT UINT32_MAX

typedef enum link_alloc_state {
    LINK_ALLOC_LIVE,
    LINK_ALLOC_FREED /**< freed by its user, not yet by us (parked, or about to) */
} link_alloc_state_t;

/** A copy of what the table knows; valid for as long as the caller likes. */
typedef struct link_alloc {
    uintptr_t base;
    size_t size;
    int device;
    uint32_t slot;       /**< below LINK_ALLOC_SLOTS, or LINK_ALLOC_NO_SLOT */
    uint64_t generation; /**< never 0 */
    bool vmm;            /**< mapped virtual memory: has no IPC export */
    link_alloc_state_t state;
} link_alloc_t;

/**
 * The allocation that holds @a addr, in whatever state. Lock-free unless
 * writers keep interfering.
 */
bool link_alloc_find(const void *addr, link_alloc_t *alloc);

/** The live allocation of that generation at @a base; for keys and caches. */
bool link_alloc_is_live(uintptr_t base, uint64_t generation);

/**
 * Enters an allocation. Entries that it overlaps were freed unseen: they are
 * taken out and handed to @a stale (may be NULL), outside the lock.
 * ASC_ERR_NO_MEMORY: the host is out of memory, the allocation stays unseen.
 */
asc_status_t link_alloc_insert(void *base, size_t size, int device, bool vmm,
                               void (*stale)(const link_alloc_t *), link_alloc_t *alloc);

/**
 * Turns the live allocation that starts at @a base into a freed one.
 * @return false when there is none; then @a alloc is untouched.
 */
bool link_alloc_mark_freed(void *base, link_alloc_t *alloc);

/** Takes the entry of that base and generation out and gives its slot back.
 *  False when it is not there any more: its memory is not ours to free. */
bool link_alloc_remove(uintptr_t base, uint64_t generation);

/** Takes any one entry of @a device out (-1: of any device), for resets. */
bool link_alloc_take(int device, link_alloc_t *alloc);

/** Calls @a fn for a copy of every entry, in address order, without a lock
 *  held; entries that come or go meanwhile may or may not be met. */
void link_alloc_for_each(void (*fn)(const link_alloc_t *alloc, void *arg), void *arg);

#endif
