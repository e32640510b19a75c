/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * handle.h - tables of fixed size objects behind opaque handles. Memory of a
 * table is never returned, so a stale or foreign handle is told from a live
 * one without touching memory that is not ours.
 */
#ifndef NPUSIM_HANDLE_H
#define NPUSIM_HANDLE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "origin.h"

/* First member of every object in a table. */
struct handle_head {
    _Atomic uint32_t live;
    uint32_t next_free; /* index + 1 */
    struct origin origin;
};

struct handle_table {
    size_t size; /* of an object, a multiple of 64 */
    uint32_t max;
    _Atomic(char *) base;
    _Atomic uint32_t used;         /* objects handed out at least once */
    uint32_t free_head, free_tail; /* index + 1; oldest first, so that ids rest */
    uint32_t free_count;
    pthread_mutex_t lock;
};

#define HANDLE_TABLE(_type, _max) \
    { \
        .size = (sizeof(_type) + 63) / 64 * 64, .max = (_max), .lock = PTHREAD_MUTEX_INITIALIZER \
    }

/* A new object, not yet live, with the memory after its head zeroed up to
 * "keep", or NULL when the table is full. Bytes from "keep" on survive reuse. */
void *handle_new(struct handle_table *t, size_t keep);

/* Makes a new object visible to handle_get(). */
static inline void handle_publish(void *object)
{
    struct handle_head *head = object;
    atomic_store_explicit(&head->live, 1, memory_order_release);
}

static inline bool handle_live(const void *object)
{
    const struct handle_head *head = object;
    return atomic_load_explicit(&head->live, memory_order_acquire) != 0;
}

/* The object if h is a live handle of this table, else NULL. */
static inline void *handle_get(struct handle_table *t, const void *h)
{
    uintptr_t base = (uintptr_t)atomic_load_explicit(&t->base, memory_order_acquire);
    uintptr_t at = (uintptr_t)h - base;
    uint32_t used = atomic_load_explicit(&t->used, memory_order_acquire);
    if (base == 0 || (uintptr_t)h < base || at >= used * t->size || at % t->size != 0) {
        return NULL;
    }
    struct handle_head *head = (struct handle_head *)(base + at);
    return atomic_load_explicit(&head->live, memory_order_acquire) ? head : NULL;
}

/* The i-th object that was ever used, live or not; NULL past the end. */
void *handle_at(struct handle_table *t, uint32_t i);

uint32_t handle_index(const struct handle_table *t, const void *h);

/* Takes the life of the object; false when somebody else was first. Its
 * memory stays reserved until handle_free(). */
static inline bool handle_kill(void *object)
{
    struct handle_head *head = object;
    return atomic_exchange_explicit(&head->live, 0, memory_order_acq_rel) != 0;
}

/* Gives a killed object back for reuse. */
void handle_free(struct handle_table *t, void *object);

#endif
