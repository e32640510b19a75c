/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sorted array under a sequence lock. Readers never write shared memory.
 * When the array grows, the old one is kept: a reader may still be in it, and
 * all old ones together are smaller than the present one.
 */
#include "link/alloc_table.h"
#include "link/counters.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define LINK_TABLE_START 256
#define LINK_TABLE_TRIES 64

/* Words that readers load while a writer may store them. */
typedef struct link_table_entry {
    uint64_t base, size, generation;
    uint64_t bits; /* device 0..15, slot 16..47, vmm 48, freed 49 */
} link_table_entry_t;

typedef struct link_table_array {
    struct link_table_array *older;
    size_t room;
    link_table_entry_t entry[];
} link_table_array_t;

static struct {
    pthread_mutex_t lock;
    uint64_t sequence; /* odd while a writer is at work */
    link_table_array_t *array;
    size_t count;
    uint64_t generation; /* last one given */
    uint32_t free_slots[LINK_ALLOC_SLOTS];
    uint32_t num_free;
    uint32_t next_slot; /* never used ones start here */
} link_table = {.lock = PTHREAD_MUTEX_INITIALIZER};

#define LINK_GET(_field)        __atomic_load_n(&(_field), __ATOMIC_RELAXED)
#define LINK_SET(_field, _what) __atomic_store_n(&(_field), (_what), __ATOMIC_RELAXED)

#define LINK_BIT_VMM            (1ull << 48)
#define LINK_BIT_FREED          (1ull << 49)

static void link_table_write_begin(void)
{
    pthread_mutex_lock(&link_table.lock);
    LINK_SET(link_table.sequence, link_table.sequence + 1);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static void link_table_write_end(void)
{
    __atomic_store_n(&link_table.sequence, link_table.sequence + 1, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&link_table.lock);
}

static void link_entry_load(link_table_entry_t *from, link_table_entry_t *to)
{
    to->base = LINK_GET(from->base);
    to->size = LINK_GET(from->size);
    to->generation = LINK_GET(from->generation);
    to->bits = LINK_GET(from->bits);
}

static void link_entry_store(link_table_entry_t *to, const link_table_entry_t *from)
{
    LINK_SET(to->base, from->base);
    LINK_SET(to->size, from->size);
    LINK_SET(to->generation, from->generation);
    LINK_SET(to->bits, from->bits);
}

static void link_entry_show(const link_table_entry_t *entry, link_alloc_t *alloc)
{
    alloc->base = (uintptr_t)entry->base;
    alloc->size = (size_t)entry->size;
    alloc->generation = entry->generation;
    alloc->device = (int)(entry->bits & 0xffff);
    alloc->slot = (uint32_t)(entry->bits >> 16);
    alloc->vmm = (entry->bits & LINK_BIT_VMM) != 0;
    alloc->state = (entry->bits & LINK_BIT_FREED) != 0 ? LINK_ALLOC_FREED : LINK_ALLOC_LIVE;
    if (alloc->slot >= LINK_ALLOC_SLOTS) {
        alloc->slot = LINK_ALLOC_NO_SLOT;
    }
}

/* Index of the first entry above @a addr. */
static size_t link_table_above(link_table_array_t *array, size_t count, uint64_t addr)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (LINK_GET(array->entry[middle].base) <= addr) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The entry that holds @a addr as it is now; true answers may be torn unless
 * the caller holds the lock or checks the sequence. */
static bool link_table_look(uint64_t addr, link_table_entry_t *entry, size_t *index)
{
    link_table_array_t *array = __atomic_load_n(&link_table.array, __ATOMIC_ACQUIRE);
    size_t count = LINK_GET(link_table.count);

    if (array == NULL) {
        return false;
    }
    if (count > array->room) {
        count = array->room;
    }
    *index = link_table_above(array, count, addr);
    if (*index == 0) {
        return false;
    }
    *index -= 1;
    link_entry_load(&array->entry[*index], entry);
    return addr - entry->base < entry->size;
}

bool link_alloc_find(const void *addr, link_alloc_t *alloc)
{
    link_table_entry_t entry;
    size_t index;
    bool found;

    for (int i = 0; i < LINK_TABLE_TRIES; ++i) {
        uint64_t before = __atomic_load_n(&link_table.sequence, __ATOMIC_ACQUIRE);

        found = link_table_look((uintptr_t)addr, &entry, &index);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if ((before & 1) == 0 && LINK_GET(link_table.sequence) == before) {
            if (found) {
                link_entry_show(&entry, alloc);
            }
            return found;
        }
    }
    pthread_mutex_lock(&link_table.lock);
    found = link_table_look((uintptr_t)addr, &entry, &index);
    pthread_mutex_unlock(&link_table.lock);
    if (found) {
        link_entry_show(&entry, alloc);
    }
    return found;
}

bool link_alloc_is_live(uintptr_t base, uint64_t generation)
{
    link_alloc_t alloc;

    return link_alloc_find((void *)base, &alloc) && alloc.base == base &&
           alloc.generation == generation && alloc.state == LINK_ALLOC_LIVE;
}

/* ------------------------------------------ writers, lock held ----------- */

static bool link_table_grow(void)
{
    link_table_array_t *old = link_table.array;
    size_t room = old == NULL ? LINK_TABLE_START : 2 * old->room;
    link_table_array_t *array;

    if (old != NULL && link_table.count < old->room) {
        return true;
    }
    array = malloc(sizeof(*array) + room * sizeof(array->entry[0]));
    if (array == NULL) {
        return false;
    }
    array->older = old;
    array->room = room;
    if (old != NULL) {
        memcpy(array->entry, old->entry, link_table.count * sizeof(array->entry[0]));
    }
    __atomic_store_n(&link_table.array, array, __ATOMIC_RELEASE);
    return true;
}

static uint32_t link_table_slot_get(void)
{
    if (link_table.num_free > 0) {
        return link_table.free_slots[--link_table.num_free];
    }
    return link_table.next_slot < LINK_ALLOC_SLOTS ? link_table.next_slot++ : LINK_ALLOC_NO_SLOT;
}

static void link_table_take_at(size_t index, link_alloc_t *alloc)
{
    link_table_array_t *array = link_table.array;

    link_entry_show(&array->entry[index], alloc);
    if (alloc->slot != LINK_ALLOC_NO_SLOT) {
        link_table.free_slots[link_table.num_free++] = alloc->slot;
    }
    for (size_t i = index + 1; i < link_table.count; ++i) {
        link_entry_store(&array->entry[i - 1], &array->entry[i]);
    }
    LINK_SET(link_table.count, link_table.count - 1);
}

/* Any entry that touches [base, base + size). */
static bool link_table_overlap(uint64_t base, uint64_t size, size_t *index)
{
    link_table_array_t *array = link_table.array;
    size_t above;

    if (array == NULL) {
        return false;
    }
    above = link_table_above(array, link_table.count, base + size - 1);
    if (above == 0) {
        return false;
    }
    *index = above - 1;
    return array->entry[*index].base + array->entry[*index].size > base;
}

static bool link_table_put(uint64_t base, size_t size, int device, bool vmm, link_alloc_t *alloc)
{
    link_table_entry_t entry = {.base = base, .size = size};
    size_t index;

    if (!link_table_grow()) {
        return false;
    }
    entry.generation = ++link_table.generation;
    entry.bits =
        ((uint64_t)link_table_slot_get() << 16) | (uint16_t)device | (vmm ? LINK_BIT_VMM : 0);
    index = link_table_above(link_table.array, link_table.count, base);
    for (size_t i = link_table.count; i > index; --i) {
        link_entry_store(&link_table.array->entry[i], &link_table.array->entry[i - 1]);
    }
    link_entry_store(&link_table.array->entry[index], &entry);
    LINK_SET(link_table.count, link_table.count + 1);
    link_entry_show(&entry, alloc);
    return true;
}

/* ---------------------------------------------------------------------- */

asc_status_t link_alloc_insert(void *base, size_t size, int device, bool vmm,
                               void (*stale)(const link_alloc_t *), link_alloc_t *alloc)
{
    link_alloc_t old;
    size_t index;
    bool again, done;

    if (size == 0 || device < 0 || (uintptr_t)base + size < size) {
        return ASC_ERR_INVALID;
    }
    do {
        done = false;
        link_table_write_begin();
        again = link_table_overlap((uintptr_t)base, size, &index);
        if (again) {
            link_table_take_at(index, &old);
        } else {
            done = link_table_put((uintptr_t)base, size, device, vmm, alloc);
        }
        link_table_write_end();
        if (again) {
            link_count(alloc_stale, 1);
            if (stale != NULL) {
                stale(&old);
            }
        }
    } while (again);
    return done ? ASC_OK : ASC_ERR_NO_MEMORY;
}

bool link_alloc_mark_freed(void *base, link_alloc_t *alloc)
{
    link_table_entry_t entry;
    size_t index;
    bool marked = false;

    link_table_write_begin();
    if (link_table_look((uintptr_t)base, &entry, &index) && entry.base == (uintptr_t)base &&
        (entry.bits & LINK_BIT_FREED) == 0) {
        entry.bits |= LINK_BIT_FREED;
        link_entry_store(&link_table.array->entry[index], &entry);
        link_entry_show(&entry, alloc);
        marked = true;
    }
    link_table_write_end();
    return marked;
}

bool link_alloc_remove(uintptr_t base, uint64_t generation)
{
    link_table_entry_t entry;
    link_alloc_t alloc;
    size_t index;
    bool found;

    link_table_write_begin();
    found = link_table_look(base, &entry, &index) && entry.base == base &&
            entry.generation == generation;
    if (found) {
        link_table_take_at(index, &alloc);
    }
    link_table_write_end();
    return found;
}

bool link_alloc_take(int device, link_alloc_t *alloc)
{
    bool found = false;

    link_table_write_begin();
    for (size_t i = link_table.count; i > 0 && !found; --i) {
        if (device < 0 || (int)(link_table.array->entry[i - 1].bits & 0xffff) == device) {
            link_table_take_at(i - 1, alloc);
            found = true;
        }
    }
    link_table_write_end();
    return found;
}

/* The first entry at or above @a addr. */
static bool link_alloc_from(uint64_t addr, link_alloc_t *alloc)
{
    size_t index;
    bool found = false;

    pthread_mutex_lock(&link_table.lock);
    if (link_table.array != NULL) {
        index = addr == 0 ? 0 : link_table_above(link_table.array, link_table.count, addr - 1);
        found = index < link_table.count;
        if (found) {
            link_entry_show(&link_table.array->entry[index], alloc);
        }
    }
    pthread_mutex_unlock(&link_table.lock);
    return found;
}

void link_alloc_for_each(void (*fn)(const link_alloc_t *alloc, void *arg), void *arg)
{
    link_alloc_t alloc;
    uint64_t addr = 0;

    while (link_alloc_from(addr, &alloc)) {
        fn(&alloc, arg);
        addr = (uint64_t)alloc.base + alloc.size;
    }
}
