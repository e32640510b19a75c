/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * window.c - the address windows of the devices: reserving them, placing and
 * freeing allocations in them.
 */
#include "window.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "counters.h"
#include "knobs.h"
#include "entry.h"
#include "node.h"
#include "redzone.h"
#include "region.h"
#include "sysmem.h"

#define PAGE_NORMAL  ((size_t)4 << 10)
#define PAGE_HUGE    ((size_t)2 << 20)
#define PAGE_GIANT   ((size_t)1 << 30)
#define SMALL_MAX    ((size_t)1 << 20) /* above, HUGE_FIRST takes 2 MiB pages */
#define PACK_ALIGN   ((size_t)512)
#define MIN_WINDOW   ((size_t)64 << 20)
/* Above this, pages come when they are touched, so that tests of huge counts
 * do not need the memory. Below, first touches must not slow down copies. */
#define POPULATE_MAX ((size_t)256 << 20)
#define POISON_BYTE  0xdb
#define RECYCLE      64

static struct window {
    uintptr_t base; /* 0: not made yet */
    size_t size;
    int memfd;
    struct {
        uintptr_t at;
        size_t span;
    } freed[RECYCLE]; /* ring, for NPUSIM_VA_RECYCLE */
    unsigned freed_at;
} windows[SIM_MAX_DEVICES];

/* Held over placing and over freeing, so that an address is handed out again
 * only after its old contents are gone. */
static pthread_mutex_t window_lock = PTHREAD_MUTEX_INITIALIZER;

/* Twice the memory leaves room for fragments; a limit on address space must
 * leave most of it to the program. */
static size_t window_size(void)
{
    struct rlimit rl;
    size_t want = (size_t)knobs.hbm * 2;
    if (getrlimit(RLIMIT_AS, &rl) == 0 && rl.rlim_cur != RLIM_INFINITY) {
        size_t cap = (size_t)rl.rlim_cur / 16;
        want = want < cap ? want : cap;
    }
    want = (want + PAGE_HUGE - 1) / PAGE_HUGE * PAGE_HUGE;
    return want < MIN_WINDOW ? MIN_WINDOW : want;
}

static bool window_make(struct window *w)
{
    size_t size = window_size();
    char *at = NULL;
    while (at == NULL && size >= MIN_WINDOW) {
        at = sysmem_reserve(2 * size, size >= PAGE_GIANT ? PAGE_GIANT : PAGE_HUGE);
        size = at == NULL ? size / 2 / PAGE_HUGE * PAGE_HUGE : size;
    }
    if (at == NULL) {
        return false;
    }
    int fd = memfd_create("npusim", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, (off_t)size) != 0 ||
        sysmem_map_file(at + size, size, fd, 0, false) == NULL) {
        sysmem_unmap(at, 2 * size);
        if (fd >= 0) {
            close(fd);
        }
        return false;
    }
    sysmem_private(at, 2 * size);
    w->size = size;
    w->memfd = fd;
    w->base = (uintptr_t)at;
    return true;
}

bool window_hit(const void *p)
{
    for (int i = 0; i < SIM_MAX_DEVICES; i++) {
        if (windows[i].base != 0 && (uintptr_t)p - windows[i].base < windows[i].size) {
            return true;
        }
    }
    return false;
}

int window_memfd(int dev)
{
    return windows[dev].base != 0 ? windows[dev].memfd : -1;
}

static uintptr_t recycled(struct window *w, size_t span)
{
    for (unsigned i = 0; knobs.va_recycle && i < RECYCLE; i++) {
        unsigned k = (w->freed_at + RECYCLE - 1 - i) % RECYCLE;
        uintptr_t at = w->freed[k].at;
        if (at != 0 && w->freed[k].span == span) {
            w->freed[k].at = 0;
            if (region_gap(at, at + span, span, 1) == at) {
                return at;
            }
        }
    }
    return 0;
}

static bool back_with_pages(struct window *w, uintptr_t at, size_t span)
{
    if (span > POPULATE_MAX) {
        return true;
    }
    uintptr_t lo = at / PAGE_NORMAL * PAGE_NORMAL;
    uintptr_t hi = (at + span + PAGE_NORMAL - 1) / PAGE_NORMAL * PAGE_NORMAL;
    return sysmem_populate((void *)(lo + w->size), hi - lo) ||
           fallocate(w->memfd, 0, (off_t)(lo - w->base), (off_t)(hi - lo)) == 0;
}

static struct region *place(int dev, size_t size, size_t asked, size_t page, bool p2p)
{
    struct window *w = &windows[dev];
    bool pack = knobs.suballoc && size <= SMALL_MAX;
    size_t align = pack ? PACK_ALIGN : page;
    size_t zone = knobs.redzone, front = (zone + align - 1) / align * align;
    size_t span = (size + zone + align - 1) / align * align;
    if (!node_take(dev, BUDGET_MEMORY, span)) {
        return NULL;
    }
    struct region *r = calloc(1, sizeof(*r));
    uintptr_t at = recycled(w, front + span);
    if (at == 0) {
        at = region_gap(w->base, w->base + w->size, front + span, align);
    }
    if (r != NULL && at != 0 && back_with_pages(w, at + front - zone, zone + span)) {
        r->base = at + front;
        r->size = size;
        r->asked = asked;
        r->front = front;
        r->span = span;
        r->alias = (ptrdiff_t)w->size;
        r->kind = REGION_DEVICE;
        r->dev = dev;
        r->page = (uint32_t)(pack ? PAGE_HUGE : page);
        r->offset = r->base - w->base;
        r->p2p = p2p;
        if (zone != 0) {
            redzone_fill(r);
        }
        if (region_add(r)) {
            sim_count(SIM_C_LIVE_ALLOC, 1);
            sim_count(SIM_C_LIVE_BYTES, span);
            return r;
        }
    }
    free(r);
    node_give(dev, BUDGET_MEMORY, span);
    return NULL;
}

struct region *window_alloc(int dev, size_t size, size_t asked, aclrtMemMallocPolicy policy)
{
    int kind = (int)policy & 0xff;
    bool normal = kind == ACL_MEM_MALLOC_NORMAL_ONLY || kind == ACL_MEM_MALLOC_NORMAL_ONLY_P2P;
    bool huge = kind == ACL_MEM_MALLOC_HUGE_ONLY || kind == ACL_MEM_MALLOC_HUGE_ONLY_P2P;
    bool p2p = kind == ACL_MEM_MALLOC_HUGE_FIRST_P2P || kind == ACL_MEM_MALLOC_HUGE_ONLY_P2P ||
               kind == ACL_MEM_MALLOC_NORMAL_ONLY_P2P || kind == ACL_MEM_MALLOC_HUGE1G_ONLY_P2P;
    bool giant = kind == ACL_MEM_MALLOC_HUGE1G_ONLY || kind == ACL_MEM_MALLOC_HUGE1G_ONLY_P2P;
    size_t page = giant                                   ? PAGE_GIANT
                  : huge || (!normal && size > SMALL_MAX) ? PAGE_HUGE
                                                          : PAGE_NORMAL;
    struct region *r = NULL;
    if (size > knobs.hbm) {
        return NULL;
    }
    pthread_mutex_lock(&window_lock);
    if (windows[dev].base != 0 || window_make(&windows[dev])) {
        r = place(dev, size, asked, page, p2p);
        if (r == NULL && page == PAGE_HUGE && !huge) {
            r = place(dev, size, asked, PAGE_NORMAL, p2p);
        }
    }
    pthread_mutex_unlock(&window_lock);
    return r;
}

/* Under the lock, for a region just taken out of the table. */
static void release(struct region *r)
{
    struct window *w = &windows[r->dev];
    export_close_range(r->dev, r->offset, r->span);
    redzone_check(r, sim_fn_name(sim_thread.call));
    if (knobs.poison && r->span <= POPULATE_MAX) {
        memset(region_engine(r, (void *)r->base), POISON_BYTE, r->span);
    } else {
        fallocate(w->memfd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                  (off_t)(r->offset - r->front), (off_t)(r->front + r->span));
    }
    w->freed[w->freed_at % RECYCLE].at = r->base - r->front;
    w->freed[w->freed_at % RECYCLE].span = r->front + r->span;
    w->freed_at = (w->freed_at + 1) % RECYCLE;
    node_give(r->dev, BUDGET_MEMORY, r->span);
    sim_uncount(SIM_C_LIVE_ALLOC, 1);
    sim_uncount(SIM_C_LIVE_BYTES, r->span);
    region_put(r);
}

static bool is_device(const struct region *r)
{
    return r->kind == REGION_DEVICE;
}

bool window_free(void *p)
{
    pthread_mutex_lock(&window_lock);
    struct region *r = region_take(p, is_device);
    if (r != NULL) {
        release(r);
    }
    pthread_mutex_unlock(&window_lock);
    return r != NULL;
}

static bool of_device(const struct region *r, const void *dev)
{
    return r->kind == REGION_DEVICE && r->dev == *(const int *)dev;
}

void memory_free_device(int dev)
{
    struct region *r;
    import_drop_device(dev);
    pthread_mutex_lock(&window_lock);
    while ((r = region_take_any(of_device, &dev)) != NULL) {
        release(r);
    }
    pthread_mutex_unlock(&window_lock);
}
