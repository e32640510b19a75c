/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pool of device memory for packed messages, on the home device. Sizes are
 * powers of two; what is given back is kept up to a bound, because allocating
 * and exporting cost far more than the copies that the memory is for.
 */
#include "link/scratch.h"
#include "acl/asc_log.h"
#include "link/asc_link.h"

#include <pthread.h>

#define SCRATCH_MIN_SHIFT 16 /* 64 KiB */
#define SCRATCH_CLASSES   11 /* up to 64 MiB are kept */
#define SCRATCH_KEEP      64 /* of a class */
#define SCRATCH_KEEP_SIZE ((size_t)256 << 20)

typedef struct scratch_block {
    void *ptr;
    uint64_t generation; /* another one: somebody else's memory by now */
} scratch_block_t;

static struct {
    pthread_mutex_t lock;
    size_t kept; /* bytes */
    unsigned count[SCRATCH_CLASSES];
    scratch_block_t block[SCRATCH_CLASSES][SCRATCH_KEEP];
} scratch = {.lock = PTHREAD_MUTEX_INITIALIZER};

static unsigned scratch_class(size_t size)
{
    unsigned class = 0;

    while (class < SCRATCH_CLASSES && ((size_t)1 << (class + SCRATCH_MIN_SHIFT)) < size) {
        ++class;
    }
    return class;
}

static size_t scratch_room(unsigned class, size_t size)
{
    return class < SCRATCH_CLASSES ? (size_t)1 << (class + SCRATCH_MIN_SHIFT) : size;
}

static bool scratch_pop(unsigned class, scratch_block_t *block)
{
    bool found = false;

    pthread_mutex_lock(&scratch.lock);
    if (class < SCRATCH_CLASSES && scratch.count[class] > 0) {
        *block = scratch.block[class][--scratch.count[class]];
        scratch.kept -= scratch_room(class, 0);
        found = true;
    }
    pthread_mutex_unlock(&scratch.lock);
    return found;
}

static bool scratch_push(unsigned class, const scratch_block_t *block)
{
    size_t room = scratch_room(class, 0);
    bool kept = false;

    pthread_mutex_lock(&scratch.lock);
    if (class < SCRATCH_CLASSES && scratch.count[class] < SCRATCH_KEEP &&
        scratch.kept + room <= SCRATCH_KEEP_SIZE) {
        scratch.block[class][scratch.count[class]++] = *block;
        scratch.kept += room;
        kept = true;
    }
    pthread_mutex_unlock(&scratch.lock);
    return kept;
}

static bool scratch_live(const scratch_block_t *block)
{
    asc_link_mem_t mem;

    return asc_link_mem_query(block->ptr, 1, &mem) == ASC_LINK_MEM_DEVICE &&
           mem.base == block->ptr && mem.generation == block->generation;
}

asc_status_t asc_link_scratch_get(size_t size, void **ptr)
{
    unsigned class = scratch_class(size);
    scratch_block_t block;

    while (scratch_pop(class, &block)) {
        if (scratch_live(&block)) {
            *ptr = block.ptr;
            return ASC_OK;
        }
    }
    return asc_link_mem_alloc(scratch_room(class, size), ptr);
}

void asc_link_scratch_put(void *ptr, size_t size)
{
    unsigned class = scratch_class(size);
    asc_link_mem_t mem;

    if (ptr == NULL || asc_link_mem_query(ptr, 1, &mem) != ASC_LINK_MEM_DEVICE || mem.base != ptr) {
        return; /* went with its device */
    }
    if (mem.size != scratch_room(class, size) || mem.device != asc_link_home_device() ||
        !scratch_push(class, &(scratch_block_t){ptr, mem.generation})) {
        (void)asc_link_mem_free(ptr);
    }
}

bool link_scratch_drop(void)
{
    scratch_block_t block;
    bool any = false;

    for (unsigned class = 0; class < SCRATCH_CLASSES; ++class) {
        while (scratch_pop(class, &block)) {
            any = (scratch_live(&block) && asc_link_mem_free(block.ptr) == ASC_OK) || any;
        }
    }
    return any;
}
