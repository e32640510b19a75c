/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * memory.c - the memory calls of the ABI, device and host.
 */
#include "memory.h"

#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "node.h"
#include "region.h"
#include "stream.h"
#include "sysmem.h"
#include "window.h"

#define PAD      ((size_t)32)
#define HOSTPAGE 4096u

static bool policy_ok(aclrtMemMallocPolicy policy)
{
    int known = 0xff | ACL_MEM_TYPE_LOW_BAND_WIDTH | ACL_MEM_TYPE_HIGH_BAND_WIDTH |
                ACL_MEM_ACCESS_USER_SPACE_READONLY;
    return ((int)policy & 0xff) <= ACL_MEM_MALLOC_HUGE1G_ONLY_P2P && ((int)policy & ~known) == 0;
}

aclError memory_malloc(void **p, size_t size, size_t pad, aclrtMemMallocPolicy policy)
{
    struct context *ctx;
    if (p == NULL) {
        return sim_fail(ACL_ERROR_INVALID_PARAM, "devPtr is NULL");
    }
    if (size == 0 || size > SIZE_MAX - 2 * PAD || !policy_ok(policy)) {
        return sim_fail(ACL_ERROR_RT_PARAM_INVALID, "size %zu or policy 0x%x is not valid", size,
                        (unsigned)policy);
    }
    aclError rc = context_need(&ctx);
    if (rc != ACL_SUCCESS) {
        return rc;
    }
    struct region *r = window_alloc(ctx->dev, (size + PAD - 1) / PAD * PAD + pad, size, policy);
    if (r == NULL) {
        return sim_fail(ACL_ERROR_RT_MEMORY_ALLOCATION,
                        "no %zu bytes left on device %d (%llu of %llu used)", size,
                        knobs_user(ctx->dev), (unsigned long long)node_used(ctx->dev),
                        (unsigned long long)knobs.hbm);
    }
    *p = (void *)r->base;
    return ACL_SUCCESS;
}

SIM_API aclError aclrtMalloc(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
    aclError rc = sim_enter(SIM_F_aclrtMalloc);
    return rc != ACL_SUCCESS ? rc : memory_malloc(devPtr, size, PAD, policy);
}

SIM_API aclError aclrtMallocAlign32(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
    aclError rc = sim_enter(SIM_F_aclrtMallocAlign32);
    return rc != ACL_SUCCESS ? rc : memory_malloc(devPtr, size, 0, policy);
}

SIM_API aclError aclrtMallocCached(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
    aclError rc = sim_enter(SIM_F_aclrtMallocCached);
    return rc != ACL_SUCCESS ? rc : memory_malloc(devPtr, size, PAD, policy);
}

SIM_API aclError aclrtMallocWithCfg(void **devPtr, size_t size, aclrtMemMallocPolicy policy,
                                    aclrtMallocConfig *cfg)
{
    aclError rc = sim_enter(SIM_F_aclrtMallocWithCfg);
    if (rc == ACL_SUCCESS && cfg != NULL && cfg->numAttrs > 0 && cfg->attrs == NULL) {
        return sim_fail(ACL_ERROR_INVALID_PARAM, "cfg has %zu attributes at NULL", cfg->numAttrs);
    }
    return rc != ACL_SUCCESS ? rc : memory_malloc(devPtr, size, PAD, policy);
}

static aclError device_free(void *p)
{
    if (p == NULL) {
        return sim_fail(ACL_ERROR_INVALID_PARAM, "devPtr is NULL");
    }
    if (window_free(p)) {
        return ACL_SUCCESS;
    }
    struct region *r = region_get(p);
    enum region_kind kind = r != NULL ? r->kind : REGION_DEVICE;
    bool inside = r != NULL;
    region_put(r);
    if (inside && kind == REGION_IMPORT) {
        return sim_fail(ACL_ERROR_RT_PARAM_INVALID,
                        "%p was imported: close it with aclrtIpcMemClose", p);
    }
    if (inside && kind != REGION_DEVICE) {
        return sim_fail(ACL_ERROR_RT_INVALID_MALLOC_TYPE, "%p is host memory", p);
    }
    return sim_fail(ACL_ERROR_RT_MEMORY_FREE, "%p is not the start of a live allocation", p);
}

SIM_API aclError aclrtFree(void *devPtr)
{
    aclError rc = sim_enter(SIM_F_aclrtFree);
    return rc != ACL_SUCCESS ? rc : device_free(devPtr);
}

SIM_API aclError aclrtFreeWithDevSync(void *devPtr)
{
    struct context *ctx;
    aclError rc = sim_enter(SIM_F_aclrtFreeWithDevSync);
    if (rc != ACL_SUCCESS || (rc = context_need(&ctx)) != ACL_SUCCESS) {
        return rc;
    }
    rc = stream_sync_device(ctx->dev, -1);
    return rc != ACL_SUCCESS ? rc : device_free(devPtr);
}

static aclError host_malloc(void **p, size_t size)
{
    struct context *ctx;
    if (p == NULL) {
        return sim_fail(ACL_ERROR_INVALID_PARAM, "hostPtr is NULL");
    }
    if (size == 0 || size > SIZE_MAX - HOSTPAGE) {
        return sim_fail(ACL_ERROR_RT_PARAM_INVALID, "size %zu is not valid", size);
    }
    aclError rc = context_need(&ctx);
    if (rc != ACL_SUCCESS) {
        return rc;
    }
    struct region *r = calloc(1, sizeof(*r));
    size_t span = (size + HOSTPAGE - 1) / HOSTPAGE * HOSTPAGE;
    void *at = r != NULL ? sysmem_map_now(span) : NULL;
    if (at != NULL) {
        r->base = (uintptr_t)at;
        r->size = (size + PAD - 1) / PAD * PAD;
        r->span = span;
        r->kind = REGION_PINNED;
        r->page = HOSTPAGE;
        r->dev = ctx->dev;
        if (region_add(r)) {
            sim_count(SIM_C_LIVE_HOST, 1);
            *p = at;
            return ACL_SUCCESS;
        }
        sysmem_unmap(at, span);
    }
    free(r);
    return sim_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "no %zu bytes of host memory", size);
}

SIM_API aclError aclrtMallocHost(void **hostPtr, size_t size)
{
    aclError rc = sim_enter(SIM_F_aclrtMallocHost);
    return rc != ACL_SUCCESS ? rc : host_malloc(hostPtr, size);
}

SIM_API aclError aclrtMallocHostWithCfg(void **ptr, uint64_t size, aclrtMallocConfig *cfg)
{
    aclError rc = sim_enter(SIM_F_aclrtMallocHostWithCfg);
    if (rc == ACL_SUCCESS && cfg != NULL && cfg->numAttrs > 0 && cfg->attrs == NULL) {
        return sim_fail(ACL_ERROR_INVALID_PARAM, "cfg has %zu attributes at NULL", cfg->numAttrs);
    }
    return rc != ACL_SUCCESS ? rc : host_malloc(ptr, size);
}

static bool is_pinned(const struct region *r)
{
    return r->kind == REGION_PINNED;
}

static aclError host_free(void *p)
{
    if (p == NULL) {
        return sim_fail(ACL_ERROR_INVALID_PARAM, "hostPtr is NULL");
    }
    struct region *r = region_take(p, is_pinned);
    if (r == NULL) {
        return sim_fail(ACL_ERROR_RT_MEMORY_FREE, "%p did not come from aclrtMallocHost", p);
    }
    sim_uncount(SIM_C_LIVE_HOST, 1);
    region_put(r);
    return ACL_SUCCESS;
}

SIM_API aclError aclrtFreeHost(void *hostPtr)
{
    aclError rc = sim_enter(SIM_F_aclrtFreeHost);
    return rc != ACL_SUCCESS ? rc : host_free(hostPtr);
}

SIM_API aclError aclrtFreeHostWithDevSync(void *hostPtr)
{
    struct context *ctx;
    aclError rc = sim_enter(SIM_F_aclrtFreeHostWithDevSync);
    if (rc != ACL_SUCCESS || (rc = context_need(&ctx)) != ACL_SUCCESS) {
        return rc;
    }
    rc = stream_sync_device(ctx->dev, -1);
    return rc != ACL_SUCCESS ? rc : host_free(hostPtr);
}

static bool is_host(const struct region *r, const void *unused)
{
    (void)unused;
    return !region_on_device(r);
}

void memory_free_host(void)
{
    struct region *r;
    while ((r = region_take_any(is_host, NULL)) != NULL) {
        sim_uncount(SIM_C_LIVE_HOST, r->kind == REGION_PINNED);
        region_put(r);
    }
}

static aclError host_register(void *ptr, uint64_t size)
{
    if (ptr == NULL) {
        return sim_fail(ACL_ERROR_INVALID_PARAM, "ptr is NULL");
    }
    struct context *ctx;
    if (size == 0 || size > SIZE_MAX - (uintptr_t)ptr) {
        return sim_fail(ACL_ERROR_RT_PARAM_INVALID, "size %llu is not valid",
                        (unsigned long long)size);
    }
    aclError rc = context_need(&ctx);
    if (rc != ACL_SUCCESS || (rc = sim_chip(SOC_NEWER)) != ACL_SUCCESS) {
        return rc;
    }
    if (region_gap((uintptr_t)ptr, (uintptr_t)ptr + size, size, 1) == 0) {
        return sim_fail(ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED, "%p is registered", ptr);
    }
    struct region *r = calloc(1, sizeof(*r));
    if (r != NULL) {
        r->base = (uintptr_t)ptr;
        r->size = r->span = size;
        r->kind = REGION_REGISTERED;
        r->page = HOSTPAGE;
        r->dev = ctx->dev;
    }
    if (r == NULL || !region_add(r)) {
        free(r);
        return sim_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory to register %p", ptr);
    }
    return ACL_SUCCESS;
}

SIM_API aclError aclrtHostRegister(void *ptr, uint64_t size, aclrtHostRegisterType type,
                                   void **devPtr)
{
    aclError rc = sim_enter(SIM_F_aclrtHostRegister);
    if (rc != ACL_SUCCESS) {
        return rc;
    }
    if (devPtr == NULL || type != ACL_HOST_REGISTER_MAPPED) {
        return sim_fail(ACL_ERROR_INVALID_PARAM, "devPtr is NULL or type %d is unknown", (int)type);
    }
    rc = host_register(ptr, size);
    if (rc == ACL_SUCCESS) {
        *devPtr = ptr;
    }
    return rc;
}

SIM_API aclError aclrtHostRegisterV2(void *ptr, uint64_t size, uint32_t flag)
{
    aclError rc = sim_enter(SIM_F_aclrtHostRegisterV2);
    (void)flag;
    return rc != ACL_SUCCESS ? rc : host_register(ptr, size);
}

static bool is_registered(const struct region *r)
{
    return r->kind == REGION_REGISTERED;
}

SIM_API aclError aclrtHostUnregister(void *ptr)
{
    aclError rc = sim_enter(SIM_F_aclrtHostUnregister);
    if (rc != ACL_SUCCESS) {
        return rc;
    }
    struct region *r = ptr != NULL ? region_take(ptr, is_registered) : NULL;
    if (r == NULL) {
        return sim_fail(ptr == NULL ? ACL_ERROR_INVALID_PARAM
                                    : ACL_ERROR_HOST_MEMORY_NOT_REGISTERED,
                        "%p is not registered", ptr);
    }
    region_put(r);
    return ACL_SUCCESS;
}

SIM_API aclError aclrtHostGetDevicePointer(void *pHost, void **pDevice, uint32_t flag)
{
    aclError rc = sim_enter(SIM_F_aclrtHostGetDevicePointer);
    if (rc != ACL_SUCCESS) {
        return rc;
    }
    (void)flag;
    struct region *r = pHost != NULL && pDevice != NULL ? region_get(pHost) : NULL;
    bool ok = r != NULL && !region_on_device(r);
    region_put(r);
    if (!ok) {
        return sim_fail(ACL_ERROR_HOST_MEMORY_NOT_REGISTERED, "%p is not registered", pHost);
    }
    *pDevice = pHost;
    return ACL_SUCCESS;
}
