/* SPDX-License-Identifier: BSD-3-Clause */
#include "handle.h"

#include <string.h>

#include "sysmem.h"

/* A freed object rests until this many others were freed after it, so that a
 * stale handle is noticed rather than taken for a new object. */
#define HANDLE_REST 32

/* Leak checkers, where one is loaded, must look for pointers in here. */
extern void __lsan_register_root_region(const void *at, size_t len) __attribute__((weak));

static char *table_base(struct handle_table *t)
{
    char *base = atomic_load_explicit(&t->base, memory_order_relaxed);
    if (base == NULL) {
        base = sysmem_map_lazy(t->size * t->max);
        atomic_store_explicit(&t->base, base, memory_order_release);
        if (base != NULL && __lsan_register_root_region != NULL) {
            __lsan_register_root_region(base, t->size * t->max);
        }
    }
    return base;
}

void *handle_new(struct handle_table *t, size_t keep)
{
    struct handle_head *h = NULL;
    pthread_mutex_lock(&t->lock);
    char *base = table_base(t);
    uint32_t used = atomic_load_explicit(&t->used, memory_order_relaxed);
    if (base != NULL && used < t->max && t->free_count <= HANDLE_REST) {
        h = (struct handle_head *)(base + used * t->size);
        atomic_store_explicit(&t->used, used + 1, memory_order_release);
    } else if (base != NULL && t->free_head != 0) {
        h = (struct handle_head *)(base + (t->free_head - 1) * t->size);
        t->free_head = h->next_free;
        t->free_count--;
        if (t->free_head == 0) {
            t->free_tail = 0;
        }
    }
    pthread_mutex_unlock(&t->lock);
    if (h != NULL) {
        memset(h + 1, 0, keep - sizeof(*h));
        h->origin = origin_here();
    }
    return h;
}

void *handle_at(struct handle_table *t, uint32_t i)
{
    char *base = atomic_load_explicit(&t->base, memory_order_acquire);
    return i < atomic_load_explicit(&t->used, memory_order_acquire) ? base + i * t->size : NULL;
}

uint32_t handle_index(const struct handle_table *t, const void *h)
{
    char *base =
        atomic_load_explicit(&((struct handle_table *)(uintptr_t)t)->base, memory_order_relaxed);
    return (uint32_t)((size_t)((const char *)h - base) / t->size);
}

void handle_free(struct handle_table *t, void *object)
{
    struct handle_head *h = object;
    pthread_mutex_lock(&t->lock);
    uint32_t id = handle_index(t, h) + 1;
    h->next_free = 0;
    if (t->free_tail != 0) {
        struct handle_head *tail =
            (struct handle_head *)(atomic_load(&t->base) + (t->free_tail - 1) * t->size);
        tail->next_free = id;
    } else {
        t->free_head = id;
    }
    t->free_tail = id;
    t->free_count++;
    pthread_mutex_unlock(&t->lock);
}
