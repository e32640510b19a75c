/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What happens when the application allocates, frees, chooses, resets.
 */
#include "link/hooks.h"
#include "acl/asc_acl.h"
#include "acl/asc_log.h"
#include "link/alloc_table.h"
#include "link/app_imports.h"
#include "link/context.h"
#include "link/counters.h"
#include "link/first_use.h"
#include "link/free.h"
#include "link/init.h"
#include "link/listeners.h"
#include "link/mem_query.h"
#include "link/pinned.h"
#include "link/scratch.h"

#include <stdlib.h>

typedef __typeof__(aclrtMalloc) *link_malloc_fn;
typedef __typeof__(aclrtFree) *link_free_fn;

/* The runtime's functions may call each other through patched slots; only the
 * outermost call is the application's. */
static __thread unsigned link_hook_depth;

static bool link_hook_enter(void)
{
    if (link_hook_depth++ != 0 || link_forked()) {
        return false;
    }
    link_first_use_note();
    return true;
}

static void link_hook_leave(void)
{
    --link_hook_depth;
}

/* The real function, or NULL when the runtime has none of that name. */
#define LINK_REAL(_name) \
    ({ \
        static void *real_; \
        void *found_ = __atomic_load_n(&real_, __ATOMIC_RELAXED); \
        if (found_ == NULL) { \
            found_ = asc_acl_symbol(#_name); \
            __atomic_store_n(&real_, found_, __ATOMIC_RELAXED); \
        } \
        (__typeof__(_name) *)found_; \
    })

/* ---------------------------------------------------- allocations -------- */

static void link_hook_stale(const link_alloc_t *alloc)
{
    link_free_on_gone(alloc);
    link_listeners_call(ASC_LINK_MEM_FREE, (void *)alloc->base, alloc->size);
}

static void link_hook_made(void *base, size_t size, int device, bool vmm)
{
    link_alloc_t alloc;

    link_host_forget(base, size);
    if (link_alloc_insert(base, size, device, vmm, link_hook_stale, &alloc) != ASC_OK) {
        return;
    }
    link_count(alloc_seen, 1);
    link_free_on_alloc(&alloc);
    link_listeners_call(ASC_LINK_MEM_ALLOC, base, size);
}

static int link_hook_device(const aclrtMallocConfig *cfg)
{
    __typeof__(aclrtGetDevice) *get = LINK_REAL(aclrtGetDevice);
    int32_t device = -1;

    for (size_t i = 0; cfg != NULL && i < cfg->numAttrs; ++i) {
        if (cfg->attrs[i].attr == ACL_RT_MEM_ATTR_DEVICE_ID) {
            return (int)cfg->attrs[i].value.deviceId;
        }
    }
    return get != NULL && get(&device) == ACL_SUCCESS ? device : -1;
}

/* One retry after memory that was put off has been given back. */
static bool link_hook_retry(aclError err)
{
    bool any;

    if (err == ACL_SUCCESS || asc_acl_status(err) != ASC_ERR_NO_MEMORY) {
        return false;
    }
    /* the pool's frees are seen like the application's */
    --link_hook_depth;
    any = link_scratch_drop();
    ++link_hook_depth;
    return link_free_sweep(true) || any;
}

static aclError link_hook_malloc(link_malloc_fn real, void **ptr, size_t size,
                                 aclrtMemMallocPolicy policy, bool always)
{
    aclError err;

    if (real == NULL) {
        return ACL_ERROR_API_NOT_SUPPORT;
    }
    if (!link_hook_enter()) {
        err = real(ptr, size, policy);
    } else {
        (void)link_free_sweep(false);
        err = real(ptr, size, policy);
        if (link_hook_retry(err)) {
            err = real(ptr, size, policy);
        }
        if (err == ACL_SUCCESS && (always || link_hooks_active())) {
            link_hook_made(*ptr, size, link_hook_device(NULL), false);
        }
    }
    link_hook_leave();
    return err;
}

aclError asc_link_hook_aclrtMalloc(void **ptr, size_t size, aclrtMemMallocPolicy policy)
{
    return link_hook_malloc(LINK_REAL(aclrtMalloc), ptr, size, policy, false);
}

aclError asc_link_hook_aclrtMallocAlign32(void **ptr, size_t size, aclrtMemMallocPolicy policy)
{
    return link_hook_malloc(LINK_REAL(aclrtMallocAlign32), ptr, size, policy, false);
}

aclError asc_link_hook_aclrtMallocCached(void **ptr, size_t size, aclrtMemMallocPolicy policy)
{
    return link_hook_malloc(LINK_REAL(aclrtMallocCached), ptr, size, policy, false);
}

aclError asc_link_hook_aclrtMallocWithCfg(void **ptr, size_t size, aclrtMemMallocPolicy policy,
                                          aclrtMallocConfig *cfg)
{
    __typeof__(aclrtMallocWithCfg) *real = LINK_REAL(aclrtMallocWithCfg);
    aclError err;

    if (real == NULL) {
        return ACL_ERROR_API_NOT_SUPPORT;
    }
    if (!link_hook_enter()) {
        err = real(ptr, size, policy, cfg);
    } else {
        (void)link_free_sweep(false);
        err = real(ptr, size, policy, cfg);
        if (link_hook_retry(err)) {
            err = real(ptr, size, policy, cfg);
        }
        if (err == ACL_SUCCESS && link_hooks_active()) {
            link_hook_made(*ptr, size, link_hook_device(cfg), false);
        }
    }
    link_hook_leave();
    return err;
}

aclError link_hooks_malloc(void **ptr, size_t size)
{
    return link_hook_malloc(LINK_REAL(aclrtMalloc), ptr, size, ACL_MEM_MALLOC_HUGE_FIRST, true);
}

/* ---------------------------------------------------------- frees -------- */

/* Out of the table first: once the runtime has it, the address may be given
 * to another thread at any moment. */
static aclError link_hook_free_now(link_free_fn real, const link_alloc_t *alloc)
{
    aclError err;

    if (!link_alloc_remove(alloc->base, alloc->generation)) {
        return ACL_SUCCESS;
    }
    err = real((void *)alloc->base);
    if (err != ACL_SUCCESS) {
        link_hook_made((void *)alloc->base, alloc->size, alloc->device, alloc->vmm);
    }
    return err;
}

aclError link_alloc_real_free(const link_alloc_t *alloc)
{
    link_free_fn real = LINK_REAL(aclrtFree);
    link_ctx_t guard;
    bool entered;
    aclError err;

    if (real == NULL || link_forked()) {
        return ACL_ERROR_API_NOT_SUPPORT;
    }
    ++link_hook_depth;
    entered = link_ctx_enter(alloc->device, &guard) == ASC_OK;
    err = link_hook_free_now(real, alloc);
    if (entered) {
        link_ctx_leave(&guard);
    }
    --link_hook_depth;
    return err;
}

static aclError link_hook_free_seen(link_free_fn real, bool sync, const link_alloc_t *alloc)
{
    __typeof__(aclrtSynchronizeDevice) *wait = LINK_REAL(aclrtSynchronizeDevice);

    link_count(free_seen, 1);
    link_listeners_call(ASC_LINK_MEM_FREE, (void *)alloc->base, alloc->size);
    if (sync && wait != NULL) {
        (void)wait();
    }
    if (link_free_park(alloc)) {
        link_count(free_parked, 1);
        return ACL_SUCCESS;
    }
    return link_hook_free_now(real, alloc);
}

static aclError link_hook_free(link_free_fn real, bool sync, void *ptr)
{
    link_alloc_t alloc;
    aclError err;

    if (real == NULL) {
        return ACL_ERROR_API_NOT_SUPPORT;
    }
    if (!link_hook_enter() || ptr == NULL) {
        err = real(ptr);
    } else if (link_alloc_find(ptr, &alloc) && alloc.base == (uintptr_t)ptr && !alloc.vmm) {
        (void)link_free_sweep(false);
        err = link_alloc_mark_freed(ptr, &alloc) ? link_hook_free_seen(real, sync, &alloc)
                                                 : ACL_ERROR_RT_PARAM_INVALID; /* freed twice */
    } else {
        /* Listeners look for what holds the address; its size is not known. */
        link_count(free_unknown, 1);
        link_listeners_call(ASC_LINK_MEM_FREE, ptr, 1);
        err = real(ptr);
    }
    link_hook_leave();
    return err;
}

aclError asc_link_hook_aclrtFree(void *ptr)
{
    return link_hook_free(LINK_REAL(aclrtFree), false, ptr);
}

aclError asc_link_hook_aclrtFreeWithDevSync(void *ptr)
{
    return link_hook_free(LINK_REAL(aclrtFreeWithDevSync), true, ptr);
}

aclError link_hooks_free(void *ptr)
{
    return link_hook_free(LINK_REAL(aclrtFree), false, ptr);
}

/* Pinned memory of the application: its pages may become pageable ones. */
static aclError link_hook_unpin(__typeof__(aclrtFreeHost) *real, void *ptr)
{
    if (real == NULL) {
        return ACL_ERROR_API_NOT_SUPPORT;
    }
    link_host_forget_pinned();
    return real(ptr);
}

aclError asc_link_hook_aclrtFreeHost(void *ptr)
{
    return link_hook_unpin(LINK_REAL(aclrtFreeHost), ptr);
}

aclError asc_link_hook_aclrtHostUnregister(void *ptr)
{
    return link_hook_unpin(LINK_REAL(aclrtHostUnregister), ptr);
}

/* ---------------------------------------- mapped virtual memory ---------- */

/* Virtual memory may map host memory as well; -1 for that. */
static int link_hook_map_device(void *ptr)
{
    __typeof__(aclrtPointerGetAttributes) *ask = LINK_REAL(aclrtPointerGetAttributes);
    aclrtPtrAttributes attr;

    if (ask != NULL && ask(ptr, &attr) == ACL_SUCCESS) {
        return attr.location.type == ACL_MEM_LOCATION_TYPE_DEVICE ? (int)attr.location.id : -1;
    }
    return link_hook_device(NULL);
}

aclError asc_link_hook_aclrtMapMem(void *ptr, size_t size, size_t offset, aclrtDrvMemHandle handle,
                                   uint64_t flags)
{
    __typeof__(aclrtMapMem) *real = LINK_REAL(aclrtMapMem);
    aclError err;
    int device;

    if (real == NULL) {
        return ACL_ERROR_API_NOT_SUPPORT;
    }
    if (!link_hook_enter()) {
        err = real(ptr, size, offset, handle, flags);
    } else {
        err = real(ptr, size, offset, handle, flags);
        if (err == ACL_SUCCESS && link_hooks_active()) {
            device = link_hook_map_device(ptr);
            if (device >= 0) {
                link_hook_made(ptr, size, device, true);
            }
        }
    }
    link_hook_leave();
    return err;
}

aclError asc_link_hook_aclrtUnmapMem(void *ptr)
{
    link_free_fn real = LINK_REAL(aclrtUnmapMem);
    link_alloc_t alloc;
    aclError err;

    if (real == NULL) {
        return ACL_ERROR_API_NOT_SUPPORT;
    }
    if (link_hook_enter() && link_alloc_mark_freed(ptr, &alloc)) {
        link_count(free_seen, 1);
        link_hook_stale(&alloc);
        err = link_hook_free_now(real, &alloc);
    } else {
        err = real(ptr);
    }
    link_hook_leave();
    return err;
}

/* -------------------------------------------------------- imports -------- */

/* Our own imports go to the runtime directly and do not come here. */
aclError asc_link_hook_aclrtIpcMemImportByKey(void **ptr, const char *key, uint64_t flags)
{
    __typeof__(aclrtIpcMemImportByKey) *real = LINK_REAL(aclrtIpcMemImportByKey);
    aclError err;

    if (real == NULL) {
        return ACL_ERROR_API_NOT_SUPPORT;
    }
    if (!link_hook_enter()) {
        err = real(ptr, key, flags);
    } else {
        err = real(ptr, key, flags);
        if (err == ACL_SUCCESS) {
            link_app_imports_add(*ptr, key, link_hook_device(NULL));
        }
    }
    link_hook_leave();
    return err;
}

aclError asc_link_hook_aclrtIpcMemClose(const char *key)
{
    __typeof__(aclrtIpcMemClose) *real = LINK_REAL(aclrtIpcMemClose);
    aclError err;

    if (real == NULL) {
        return ACL_ERROR_API_NOT_SUPPORT;
    }
    if (!link_hook_enter()) {
        err = real(key);
    } else {
        err = real(key);
        if (err == ACL_SUCCESS) {
            link_app_imports_close(key);
        }
    }
    link_hook_leave();
    return err;
}

/* ----------------------------------------------- devices, life ----------- */

aclError asc_link_hook_aclInit(const char *config)
{
    __typeof__(aclInit) *real = LINK_REAL(aclInit);
    aclError err = ACL_ERROR_API_NOT_SUPPORT;

    if (real != NULL) {
        (void)link_hook_enter();
        err = real(config);
        link_hook_leave();
    }
    return err;
}

aclError asc_link_hook_aclrtCreateContext(aclrtContext *context, int32_t device)
{
    __typeof__(aclrtCreateContext) *real = LINK_REAL(aclrtCreateContext);
    aclError err = ACL_ERROR_API_NOT_SUPPORT;

    if (real != NULL) {
        (void)link_hook_enter();
        err = real(context, device);
        link_hook_leave();
    }
    return err;
}

aclError asc_link_hook_aclrtSetDevice(int32_t device)
{
    __typeof__(aclrtSetDevice) *real = LINK_REAL(aclrtSetDevice);
    aclError err;

    if (real == NULL) {
        return ACL_ERROR_API_NOT_SUPPORT;
    }
    if (!link_hook_enter()) {
        err = real(device);
    } else {
        err = real(device);
        if (err == ACL_SUCCESS && asc_acl_get() != NULL) {
            link_ctx_device_set(device);
        }
    }
    link_hook_leave();
    return err;
}

typedef struct link_taken {
    link_alloc_t *alloc;
    size_t count, room;
} link_taken_t;

static void link_taken_add(link_taken_t *taken, const link_alloc_t *alloc)
{
    link_alloc_t *more;

    if (taken->count == taken->room) {
        more = realloc(taken->alloc, (taken->room * 2 + 64) * sizeof(*more));
        if (more == NULL) {
            return; /* it stays unseen if the reset leaves it alive */
        }
        taken->alloc = more;
        taken->room = taken->room * 2 + 64;
    }
    taken->alloc[taken->count++] = *alloc;
}

/* Before a reset: whatever the device holds is on its way out. */
static void link_hook_drop(int device, link_taken_t *taken)
{
    link_alloc_t alloc;

    --link_hook_depth;
    (void)link_scratch_drop();
    ++link_hook_depth;
    (void)link_free_sweep(true);
    while (link_alloc_take(device, &alloc)) {
        link_hook_stale(&alloc);
        if (alloc.state == LINK_ALLOC_LIVE) {
            link_taken_add(taken, &alloc);
        }
    }
    link_pinned_drop(device);
}

/* aclrtResetDevice counts: only the last one ends the device. Memory that is
 * still there gets a new life under new generations. */
static void link_hook_after_reset(int device, aclError err, link_taken_t *taken)
{
    __typeof__(aclrtGetPrimaryCtxState) *state = LINK_REAL(aclrtGetPrimaryCtxState);
    uint32_t flags = 0;
    int32_t active = 0;

    if (err != ACL_SUCCESS ||
        (state != NULL && state(device, &flags, &active) == ACL_SUCCESS && active != 0)) {
        for (size_t i = 0; i < taken->count; ++i) {
            link_hook_made((void *)taken->alloc[i].base, taken->alloc[i].size,
                           taken->alloc[i].device, taken->alloc[i].vmm);
        }
    } else {
        link_ctx_device_reset(device);
        link_app_imports_drop(device);
    }
    free(taken->alloc);
}

static aclError link_hook_reset(__typeof__(aclrtResetDevice) *real, int32_t device)
{
    link_taken_t taken = {0};
    aclError err;

    if (real == NULL) {
        return ACL_ERROR_API_NOT_SUPPORT;
    }
    if (!link_hook_enter()) {
        err = real(device);
    } else {
        if (device >= 0) {
            link_hook_drop(device, &taken);
        }
        err = real(device);
        link_hook_after_reset(device, err, &taken);
    }
    link_hook_leave();
    return err;
}

aclError asc_link_hook_aclrtResetDevice(int32_t device)
{
    return link_hook_reset(LINK_REAL(aclrtResetDevice), device);
}

aclError asc_link_hook_aclrtResetDeviceForce(int32_t device)
{
    return link_hook_reset(LINK_REAL(aclrtResetDeviceForce), device);
}

aclError asc_link_hook_aclFinalize(void)
{
    __typeof__(aclFinalize) *real = LINK_REAL(aclFinalize);
    link_taken_t taken = {0};
    aclError err;

    if (real == NULL) {
        return ACL_ERROR_API_NOT_SUPPORT;
    }
    if (!link_hook_enter()) {
        err = real();
    } else {
        link_hook_drop(-1, &taken);
        free(taken.alloc);
        link_ctx_device_reset(-1);
        link_app_imports_drop(-1);
        err = real();
    }
    link_hook_leave();
    return err;
}

aclError asc_link_hook_aclFinalizeReference(uint64_t *count)
{
    __typeof__(aclFinalizeReference) *real = LINK_REAL(aclFinalizeReference);
    link_taken_t taken = {0};
    uint64_t left = 1;
    aclError err;

    if (real == NULL) {
        return ACL_ERROR_API_NOT_SUPPORT;
    }
    if (!link_hook_enter()) {
        err = real(count);
    } else {
        /* Whether this is the last reference shows only afterwards. */
        err = real(&left);
        if (err == ACL_SUCCESS && count != NULL) {
            *count = left;
        }
        if (err == ACL_SUCCESS && left == 0) {
            link_ctx_device_reset(-1);
            link_app_imports_drop(-1);
            link_hook_drop(-1, &taken);
            free(taken.alloc);
        }
    }
    link_hook_leave();
    return err;
}
