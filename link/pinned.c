/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pool of pinned host memory for staging. Blocks have sizes of a power of two;
 * given back ones are kept up to a bound, because pinning costs far more than
 * the copies that the block is for.
 */
#include "asc_config.h"

#include "link/pinned.h"
#include "acl/asc_log.h"
#include "link/asc_link.h"
#include "link/context.h"
#include "link/counters.h"
#include "link/mem_query.h"
#include "topo/asc_topo.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define LINK_PINNED_MIN_SHIFT 12
#define LINK_PINNED_CLASSES   16 /* 4 KiB to 128 MiB are cached */
#define LINK_PINNED_KEEP      64 /* blocks per class */
#define LINK_PINNED_KEEP_SIZE ((size_t)128 << 20)

typedef struct link_pinned_block {
    void *ptr;
    int device;
    uint32_t epoch;
} link_pinned_block_t;

static struct {
    pthread_mutex_t lock;
    size_t cached; /* bytes */
    unsigned count[LINK_PINNED_CLASSES];
    link_pinned_block_t block[LINK_PINNED_CLASSES][LINK_PINNED_KEEP];

    link_pinned_block_t *lent; /* what users have, in no order */
    size_t num_lent, room_lent;
} link_pinned = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Class of a size, or LINK_PINNED_CLASSES for one that is not cached. */
static unsigned link_pinned_class(size_t size)
{
    unsigned class = 0;

    while (class < LINK_PINNED_CLASSES && ((size_t)1 << (class + LINK_PINNED_MIN_SHIFT)) < size) {
        ++class;
    }
    return class;
}

static size_t link_pinned_room(size_t size)
{
    unsigned class = link_pinned_class(size);

    return class < LINK_PINNED_CLASSES ? (size_t)1 << (class + LINK_PINNED_MIN_SHIFT) : size;
}

static bool link_pinned_pop(unsigned class, link_pinned_block_t *block)
{
    bool found = false;

    pthread_mutex_lock(&link_pinned.lock);
    if (link_pinned.count[class] > 0) {
        *block = link_pinned.block[class][--link_pinned.count[class]];
        link_pinned.cached -= (size_t)1 << (class + LINK_PINNED_MIN_SHIFT);
        found = true;
    }
    pthread_mutex_unlock(&link_pinned.lock);
    return found;
}

static bool link_pinned_push(unsigned class, const link_pinned_block_t *block)
{
    size_t room = (size_t)1 << (class + LINK_PINNED_MIN_SHIFT);
    bool kept = false;

    pthread_mutex_lock(&link_pinned.lock);
    if (link_pinned.count[class] < LINK_PINNED_KEEP &&
        link_pinned.cached + room <= LINK_PINNED_KEEP_SIZE) {
        link_pinned.block[class][link_pinned.count[class]++] = *block;
        link_pinned.cached += room;
        kept = true;
    }
    pthread_mutex_unlock(&link_pinned.lock);
    return kept;
}

/* Notes what a user gets: where it comes from must be known when it is given
 * back, and the device may have been reset by then. */
static bool link_pinned_lend(const link_pinned_block_t *block)
{
    link_pinned_block_t *more;
    size_t room;

    pthread_mutex_lock(&link_pinned.lock);
    more = link_pinned.lent;
    if (link_pinned.num_lent == link_pinned.room_lent) {
        room = link_pinned.room_lent * 2 + 64;
        more = realloc(link_pinned.lent, room * sizeof(*more));
        if (more != NULL) {
            link_pinned.lent = more;
            link_pinned.room_lent = room;
        }
    }
    if (more != NULL) {
        link_pinned.lent[link_pinned.num_lent++] = *block;
    }
    pthread_mutex_unlock(&link_pinned.lock);
    return more != NULL;
}

static bool link_pinned_take_back(void *ptr, link_pinned_block_t *block)
{
    bool found = false;

    pthread_mutex_lock(&link_pinned.lock);
    for (size_t i = link_pinned.num_lent; i > 0 && !found; --i) {
        if (link_pinned.lent[i - 1].ptr == ptr) {
            *block = link_pinned.lent[i - 1];
            link_pinned.lent[i - 1] = link_pinned.lent[--link_pinned.num_lent];
            found = true;
        }
    }
    pthread_mutex_unlock(&link_pinned.lock);
    return found;
}

/* Pages land on the node of the CPU that first touches them, and cannot be
 * moved once pinned: so the thread goes near the device for the moment. */
static aclError link_pinned_make(const asc_acl_t *acl, int device, size_t room, void **ptr)
{
    struct asc_topo *topo = asc_link_topo();
    cpu_set_t before;
    bool moved = false;
    aclError err;

    if (topo != NULL && device < asc_topo_num_devices(topo) && asc_topo_machine_is_live() &&
        sched_getaffinity(0, sizeof(before), &before) == 0) {
        moved = asc_topo_bind_thread(topo, device, NULL, 0) == 0;
    }
    err = acl->aclrtMallocHost(ptr, room);
    if (moved) {
        if (err == ACL_SUCCESS) {
            memset(*ptr, 0, room);
        }
        (void)sched_setaffinity(0, sizeof(before), &before);
    }
    return err;
}

static asc_status_t link_pinned_new(int device, size_t room, link_pinned_block_t *block)
{
    const asc_acl_t *acl = asc_acl_get();
    char text[ASC_ACL_TEXT_MAX];
    link_ctx_t guard;
    asc_status_t status;
    aclError err;

    status = link_ctx_enter(device, &guard);
    if (status != ASC_OK) {
        return status;
    }
    block->device = device;
    block->epoch = link_ctx_epoch(device);
    err = link_pinned_make(acl, device, room, &block->ptr);
    link_ctx_leave(&guard);
    if (err != ACL_SUCCESS) {
        /* Callers may have another way, and ask again for their next transfer. */
        asc_log_once(ASC_LOG_ERROR, "pinned host memory of %zu bytes cannot be allocated: %s", room,
                     asc_acl_error_text(err, text, sizeof(text)));
        return asc_acl_status(err) == ASC_ERR_NO_MEMORY ? ASC_ERR_NO_MEMORY : ASC_ERR_ACL;
    }
    link_host_note_pinned(block->ptr, room);
    link_count(pinned_bytes, room);
    return ASC_OK;
}

static void link_pinned_release(const link_pinned_block_t *block, size_t room)
{
    const asc_acl_t *acl = asc_acl_peek();
    link_ctx_t guard;

    link_count(pinned_bytes, -(int64_t)room);
    link_host_forget(block->ptr, room);
    /* What was pinned before a reset is left alone: its address may belong to
     * somebody else by now. */
    if (acl != NULL && block->epoch == link_ctx_epoch(block->device) &&
        link_ctx_enter(block->device, &guard) == ASC_OK) {
        (void)acl->aclrtFreeHost(block->ptr);
        link_ctx_leave(&guard);
    }
}

/* From the pool. Blocks of before a reset are only forgotten. */
static bool link_pinned_reuse(unsigned class, link_pinned_block_t *block)
{
    while (class < LINK_PINNED_CLASSES && link_pinned_pop(class, block)) {
        if (block->epoch == link_ctx_epoch(block->device)) {
            return true;
        }
        link_pinned_release(block, (size_t)1 << (class + LINK_PINNED_MIN_SHIFT));
    }
    return false;
}

asc_status_t asc_link_pinned_get(size_t size, void **ptr)
{
    unsigned class = link_pinned_class(size);
    int device = asc_link_home_device();
    link_pinned_block_t block;
    asc_status_t status;

    if (device < 0) {
        asc_log_once(ASC_LOG_ERROR, "pinned host memory is asked for, but this process has chosen "
                                    "no device: call aclrtSetDevice first");
        return ASC_ERR_NOT_FOUND;
    }
    if (!link_pinned_reuse(class, &block)) {
        status = link_pinned_new(device, link_pinned_room(size), &block);
        if (status != ASC_OK) {
            return status;
        }
    }
    if (!link_pinned_lend(&block)) {
        link_pinned_release(&block, link_pinned_room(size));
        return ASC_ERR_NO_MEMORY;
    }
    *ptr = block.ptr;
    return ASC_OK;
}

void asc_link_pinned_put(void *ptr, size_t size)
{
    unsigned class = link_pinned_class(size);
    link_pinned_block_t block;

    if (ptr == NULL || !link_pinned_take_back(ptr, &block)) {
        return;
    }
    if (class >= LINK_PINNED_CLASSES || block.epoch != link_ctx_epoch(block.device) ||
        !link_pinned_push(class, &block)) {
        link_pinned_release(&block, link_pinned_room(size));
    }
}

void link_pinned_drop(int device)
{
    int home = asc_link_home_device();
    link_pinned_block_t block;

    if (home < 0 || (device >= 0 && device != home)) {
        return;
    }
    for (unsigned class = 0; class < LINK_PINNED_CLASSES; ++class) {
        while (link_pinned_pop(class, &block)) {
            link_pinned_release(&block, (size_t)1 << (class + LINK_PINNED_MIN_SHIFT));
        }
    }
}
