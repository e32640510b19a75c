/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is at a pointer: the table of seen allocations, then a cache of host
 * pages, then the runtime.
 *
 * The cache rests on an assumption: while an allocation is alive its pages are
 * no host pages, and device memory that comes to lie on a page once asked
 * about is seen being allocated (hooks or preload library). Without either,
 * the runtime's device address windows must not be reused for host memory, nor
 * the other way round, which holds for every driver known.
 */
#include "asc_config.h"

#include "link/mem_query.h"
#include "acl/asc_log.h"
#include "link/alloc_table.h"
#include "link/app_imports.h"
#include "link/counters.h"
#include "link/env.h"
#include "link/free.h"
#include "link/hooks.h"
#include "link/init.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LINK_PAGE_SHIFT  12
#define LINK_HOST_SETS   16384 /* pages remembered; 64 MiB of host buffers */

/* Page number, and in the top bits whether it is pinned, and by us; 0: empty. */
#define LINK_HOST_PINNED (1ull << 63)
#define LINK_HOST_OWN    (1ull << 62)
#define LINK_HOST_FLAGS  (LINK_HOST_PINNED | LINK_HOST_OWN)

static uint64_t link_host_pages[LINK_HOST_SETS];

static uint64_t *link_host_slot(uint64_t page)
{
    return &link_host_pages[(page ^ (page >> 14)) % LINK_HOST_SETS];
}

/* What is known of the page, 0 for nothing. */
static uint64_t link_host_recall(const void *ptr)
{
    uint64_t page = (uintptr_t)ptr >> LINK_PAGE_SHIFT;
    uint64_t entry = __atomic_load_n(link_host_slot(page), __ATOMIC_RELAXED);

    return (entry & ~LINK_HOST_FLAGS) == page ? entry : 0;
}

static void link_host_remember(const void *ptr, uint64_t flags)
{
    uint64_t page = (uintptr_t)ptr >> LINK_PAGE_SHIFT;

    __atomic_store_n(link_host_slot(page), page | flags, __ATOMIC_RELAXED);
}

void link_host_forget(const void *base, size_t size)
{
    uint64_t first = (uintptr_t)base >> LINK_PAGE_SHIFT;
    uint64_t last = ((uintptr_t)base + (size > 0 ? size - 1 : 0)) >> LINK_PAGE_SHIFT;

    if (last - first >= LINK_HOST_SETS) {
        for (size_t i = 0; i < LINK_HOST_SETS; ++i) {
            __atomic_store_n(&link_host_pages[i], 0, __ATOMIC_RELAXED);
        }
        return;
    }
    for (uint64_t page = first; page <= last; ++page) {
        uint64_t *slot = link_host_slot(page);

        if ((__atomic_load_n(slot, __ATOMIC_RELAXED) & ~LINK_HOST_FLAGS) == page) {
            __atomic_store_n(slot, 0, __ATOMIC_RELAXED);
        }
    }
}

void link_host_forget_pinned(void)
{
    for (size_t i = 0; i < LINK_HOST_SETS; ++i) {
        uint64_t entry = __atomic_load_n(&link_host_pages[i], __ATOMIC_RELAXED);

        if ((entry & LINK_HOST_FLAGS) == LINK_HOST_PINNED) {
            __atomic_store_n(&link_host_pages[i], 0, __ATOMIC_RELAXED);
        }
    }
}

/*
 * Whether the CPU can read there. The kernel fetches the signal set before it
 * looks at the nonsensical "how": EFAULT or EINVAL, and nothing is changed.
 * Needs no descriptor and no permission, unlike process_vm_readv.
 */
static bool link_host_readable(const void *ptr)
{
    const void *aligned = (const void *)((uintptr_t)ptr & ~(uintptr_t)7);
    int saved = errno;
    bool fault;

    fault = syscall(SYS_rt_sigprocmask, ~0, aligned, NULL, 8) != 0 && errno == EFAULT;
    errno = saved;
    return !fault;
}

static asc_link_mem_kind_t link_mem_fill(asc_link_mem_t *mem, asc_link_mem_kind_t kind, int device,
                                         const void *base, size_t size, uint64_t generation)
{
    if (mem != NULL) {
        mem->kind = kind;
        mem->device = device;
        mem->base = (void *)(uintptr_t)base;
        mem->size = size;
        mem->generation = generation;
    }
    return kind;
}

/* End of the device memory that is contiguous from @a alloc on: virtual memory
 * may have been mapped piece by piece. */
static uintptr_t link_mem_end(const link_alloc_t *alloc, uintptr_t wanted)
{
    link_alloc_t next = *alloc;
    uintptr_t end = alloc->base + alloc->size;

    while (alloc->vmm && end < wanted && link_alloc_find((void *)end, &next) && next.vmm &&
           next.state == LINK_ALLOC_LIVE && next.device == alloc->device) {
        end = next.base + next.size;
    }
    return end;
}

static asc_link_mem_kind_t link_mem_known(const link_alloc_t *alloc, const void *ptr, size_t len,
                                          asc_link_mem_t *mem)
{
    uintptr_t end = link_mem_end(alloc, (uintptr_t)ptr + len);
    asc_link_mem_kind_t kind = alloc->state == LINK_ALLOC_LIVE && len <= end - (uintptr_t)ptr
                                   ? ASC_LINK_MEM_DEVICE
                                   : ASC_LINK_MEM_BAD;

    return link_mem_fill(mem, kind, alloc->device, (void *)alloc->base, end - alloc->base,
                         alloc->generation);
}

/* Nothing is known of the address unless this succeeds. */
static bool link_mem_attributes(const asc_acl_t *acl, const void *ptr, aclrtPtrAttributes *attr)
{
    link_count(attr_query, 1);
    return acl->aclrtPointerGetAttributes(ptr, attr) == ACL_SUCCESS;
}

/* Device memory whose allocation was not seen. */
static asc_link_mem_kind_t link_mem_unseen(const asc_acl_t *acl, const void *ptr, size_t len,
                                           int device, asc_link_mem_t *mem)
{
    aclrtPtrAttributes last;
    link_alloc_t alloc;
    void *base = NULL;
    size_t size = 0;

    if (link_app_imports_have(ptr)) {
        return link_mem_fill(mem, ASC_LINK_MEM_BAD, device, ptr, len, 0);
    }
    if (acl->aclrtMemGetAddressRange != NULL &&
        acl->aclrtMemGetAddressRange((void *)(uintptr_t)ptr, &base, &size) == ACL_SUCCESS) {
        if (link_env()->trust_frees &&
            link_alloc_insert(base, size, device, false, link_free_on_gone, &alloc) == ASC_OK) {
            link_free_on_alloc(&alloc);
            return link_mem_known(&alloc, ptr, len, mem);
        }
        return link_mem_fill(mem,
                             len <= (uintptr_t)base + size - (uintptr_t)ptr ? ASC_LINK_MEM_DEVICE
                                                                            : ASC_LINK_MEM_BAD,
                             device, base, size, 0);
    }
    if (len > 1) {
        const char *end = (const char *)ptr + len - 1;

        if ((!link_mem_attributes(acl, end, &last) && !link_mem_attributes(acl, end, &last)) ||
            last.location.type != ACL_MEM_LOCATION_TYPE_DEVICE || (int)last.location.id != device) {
            return link_mem_fill(mem, ASC_LINK_MEM_BAD, device, ptr, len, 0);
        }
    }
    return link_mem_fill(mem, ASC_LINK_MEM_DEVICE, device, ptr, len, 0);
}

static asc_link_mem_kind_t link_mem_ask(const void *ptr, size_t len, asc_link_mem_t *mem)
{
    const asc_acl_t *acl = asc_acl_get();
    bool able = acl != NULL && acl->aclrtPointerGetAttributes != NULL;
    bool readable = false, known;
    aclrtPtrAttributes attr;
    uint64_t flags = 0;

    known = able && link_mem_attributes(acl, ptr, &attr);

    /* What the CPU cannot read is device memory or a mistake: an answer that
     * failed must not make the one the other. */
    if (!known) {
        readable = link_host_readable(ptr);
        known = able && !readable && link_mem_attributes(acl, ptr, &attr);
    }
    if (known && attr.location.type == ACL_MEM_LOCATION_TYPE_DEVICE) {
        return link_mem_unseen(acl, ptr, len, (int)attr.location.id, mem);
    }
    if (known && (attr.location.type == ACL_MEM_LOCATION_TYPE_HOST ||
                  attr.location.type == ACL_MEM_LOCATION_TYPE_HOST_NUMA)) {
        flags = LINK_HOST_PINNED;
    }
    if (!readable && !link_host_readable(ptr)) {
        return link_mem_fill(mem, ASC_LINK_MEM_BAD, -1, ptr, len, 0);
    }
    link_host_remember(ptr, flags);
    return link_mem_fill(mem, ASC_LINK_MEM_HOST, -1, ptr, len, 0);
}

asc_link_mem_kind_t asc_link_mem_query(const void *ptr, size_t len, asc_link_mem_t *mem)
{
    link_alloc_t alloc;

    if (link_forked()) {
        return link_mem_fill(mem, ASC_LINK_MEM_HOST, -1, ptr, len, 0);
    }
    if (link_alloc_find(ptr, &alloc)) {
        return link_mem_known(&alloc, ptr, len, mem);
    }
    /* The zero page holds no memory, but markers such as MPI_BOTTOM. */
    if ((uintptr_t)ptr >> LINK_PAGE_SHIFT == 0 || link_host_recall(ptr) != 0 || !asc_acl_loaded()) {
        return link_mem_fill(mem, ASC_LINK_MEM_HOST, -1, ptr, len, 0);
    }
    return link_mem_ask(ptr, len, mem);
}

bool link_host_is_pinned(const void *ptr)
{
    uint64_t known = link_host_recall(ptr);

    /* Other people's pinned memory may be freed and its address be given to
     * pageable memory: believed only while such frees are seen. */
    return (known & LINK_HOST_OWN) != 0 || ((known & LINK_HOST_PINNED) != 0 && link_hooks_active());
}

void link_host_note_pinned(void *base, size_t size)
{
    for (size_t at = 0; at < size; at += (size_t)1 << LINK_PAGE_SHIFT) {
        link_host_remember((char *)base + at, LINK_HOST_FLAGS);
    }
}
