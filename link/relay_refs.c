/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Host memory that peers may ask for. Offering and withdrawing happens for
 * each large message between host buffers, whoever receives it: no lock, no
 * allocation.
 */
#include "link/relay.h"

#include <sched.h>

#define REFS 1024u /* a power of two */

typedef struct relay_ref {
    _Atomic uint64_t word; /* reference << 1, bit 0: being copied; 0: free */
    _Atomic uint64_t address, len;
} relay_ref_t;

static struct {
    _Atomic uint64_t next;
    _Atomic unsigned held;
    relay_ref_t ref[REFS];
} refs = {.next = 1};

uint64_t asc_link_relay_offer(const void *ptr, size_t len)
{
    for (unsigned tries = 0; tries < 16; tries++) {
        uint64_t ref = atomic_fetch_add_explicit(&refs.next, 1, memory_order_relaxed);
        relay_ref_t *place = &refs.ref[ref % REFS];
        uint64_t none = 0;

        if (atomic_load_explicit(&place->word, memory_order_relaxed) != 0 ||
            !atomic_compare_exchange_strong(&place->word, &none, ref << 1 | 1)) {
            continue;
        }
        atomic_store_explicit(&place->address, (uintptr_t)ptr, memory_order_relaxed);
        atomic_store_explicit(&place->len, len, memory_order_relaxed);
        atomic_store_explicit(&place->word, ref << 1, memory_order_release);
        atomic_fetch_add_explicit(&refs.held, 1, memory_order_relaxed);
        return ref;
    }
    return 0;
}

void asc_link_relay_withdraw(uint64_t ref)
{
    relay_ref_t *place = &refs.ref[ref % REFS];
    uint64_t word = ref << 1;

    if (ref == 0) {
        return;
    }
    /* another thread copies one piece at most */
    while (!atomic_compare_exchange_weak(&place->word, &word, 0)) {
        if (word >> 1 != ref) {
            return;
        }
        word = ref << 1;
        sched_yield();
    }
    atomic_fetch_sub_explicit(&refs.held, 1, memory_order_relaxed);
}

void asc_link_relay_hold(bool more)
{
    atomic_fetch_add_explicit(&refs.held, more ? 1u : -1u, memory_order_relaxed);
}

bool asc_link_relay_expected(void)
{
    return atomic_load_explicit(&refs.held, memory_order_relaxed) != 0;
}

bool link_relay_ref_hold(uint64_t ref, uint64_t address, size_t len)
{
    relay_ref_t *place = &refs.ref[ref % REFS];
    uint64_t word = ref << 1, base, room;

    if (ref == 0 || !atomic_compare_exchange_strong(&place->word, &word, ref << 1 | 1)) {
        return false;
    }
    base = atomic_load_explicit(&place->address, memory_order_relaxed);
    room = atomic_load_explicit(&place->len, memory_order_relaxed);
    if (address < base || address - base > room || len > room - (address - base)) {
        link_relay_ref_drop(ref);
        return false;
    }
    return true;
}

void link_relay_ref_drop(uint64_t ref)
{
    atomic_store_explicit(&refs.ref[ref % REFS].word, ref << 1, memory_order_release);
}
