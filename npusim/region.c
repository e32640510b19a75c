/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * region.c - the sorted table of all regions of the process, and reference
 * counts that keep a mapping while an engine works on it.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "counters.h"
#include "memory.h"
#include "region.h"
#include "sysmem.h"

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static struct region_slot *table;
static size_t table_count, table_cap;

/* First slot whose region ends above p. */
static size_t slot_after(uintptr_t p)
{
    size_t lo = 0, hi = table_count;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (table[mid].end <= p) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo;
}

static struct region *find(const void *p, bool zones)
{
    size_t i = slot_after((uintptr_t)p);
    if (i == table_count || table[i].base > (uintptr_t)p ||
        (!zones && table[i].region->base > (uintptr_t)p)) {
        return NULL;
    }
    atomic_fetch_add_explicit(&table[i].region->refs, 1, memory_order_relaxed);
    return table[i].region;
}

struct region *region_get(const void *p)
{
    pthread_mutex_lock(&table_lock);
    struct region *r = find(p, false);
    pthread_mutex_unlock(&table_lock);
    return r;
}

void region_get2(const void *a, struct region **ra, const void *b, struct region **rb)
{
    pthread_mutex_lock(&table_lock);
    *ra = find(a, false);
    *rb = find(b, false);
    pthread_mutex_unlock(&table_lock);
}

struct region *region_zone(const void *p)
{
    pthread_mutex_lock(&table_lock);
    struct region *r = find(p, true);
    pthread_mutex_unlock(&table_lock);
    return r;
}

void region_each(void (*fn)(struct region *r, void *arg), void *arg)
{
    pthread_mutex_lock(&table_lock);
    for (size_t i = 0; i < table_count; i++) {
        fn(table[i].region, arg);
    }
    pthread_mutex_unlock(&table_lock);
}

static void region_release(struct region *r)
{
    if (r->kind == REGION_IMPORT) {
        sysmem_unmap((void *)r->base, 2 * r->span);
    } else if (r->kind == REGION_PINNED) {
        sysmem_unmap((void *)r->base, r->span);
    }
    free(r);
}

void region_put(struct region *r)
{
    if (r != NULL && atomic_fetch_sub_explicit(&r->refs, 1, memory_order_acq_rel) == 1) {
        region_release(r);
    }
}

bool region_add(struct region *r)
{
    pthread_mutex_lock(&table_lock);
    if (table_count == table_cap) {
        size_t cap = table_cap != 0 ? 2 * table_cap : 64;
        struct region_slot *bigger = realloc(table, cap * sizeof(*table));
        if (bigger == NULL) {
            pthread_mutex_unlock(&table_lock);
            return false;
        }
        table = bigger;
        table_cap = cap;
    }
    r->origin = origin_here();
    size_t i = slot_after(r->base);
    memmove(&table[i + 1], &table[i], (table_count - i) * sizeof(*table));
    table[i] = (struct region_slot){r->base - r->front, r->base + r->span, r};
    table_count++;
    atomic_store(&r->refs, 1);
    atomic_store(&r->live, true);
    pthread_mutex_unlock(&table_lock);
    return true;
}

static void drop_slot(size_t i)
{
    atomic_store(&table[i].region->live, false);
    table_count--;
    memmove(&table[i], &table[i + 1], (table_count - i) * sizeof(*table));
}

struct region *region_take(const void *p, bool (*accept)(const struct region *))
{
    struct region *r = NULL;
    pthread_mutex_lock(&table_lock);
    size_t i = slot_after((uintptr_t)p);
    if (i < table_count && table[i].region->base == (uintptr_t)p && accept(table[i].region)) {
        r = table[i].region;
        drop_slot(i);
    }
    pthread_mutex_unlock(&table_lock);
    return r;
}

struct region *region_take_any(bool (*accept)(const struct region *, const void *), const void *arg)
{
    struct region *r = NULL;
    pthread_mutex_lock(&table_lock);
    for (size_t i = table_count; i > 0 && r == NULL; i--) {
        if (accept(table[i - 1].region, arg)) {
            r = table[i - 1].region;
            drop_slot(i - 1);
        }
    }
    pthread_mutex_unlock(&table_lock);
    return r;
}

uintptr_t region_gap(uintptr_t lo, uintptr_t hi, size_t len, size_t align)
{
    uintptr_t found = 0;
    pthread_mutex_lock(&table_lock);
    uintptr_t at = (lo + align - 1) / align * align;
    for (size_t i = slot_after(lo); found == 0; i++) {
        uintptr_t next = i < table_count && table[i].base < hi ? table[i].base : hi;
        if (at <= next && next - at >= len) {
            found = at;
        } else if (next == hi) {
            break;
        } else if (table[i].end > at) {
            at = (table[i].end + align - 1) / align * align;
        }
    }
    pthread_mutex_unlock(&table_lock);
    return found;
}
