/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * meminfo.c - questions about memory: how much is free, what an address is.
 */
#include "context.h"
#include "memory.h"
#include "node.h"

SIM_API aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t *free, size_t *total)
{
    struct context *ctx;
    aclError rc = sim_enter(SIM_F_aclrtGetMemInfo);
    if (rc != ACL_SUCCESS) {
        return rc;
    }
    if (free == NULL || total == NULL) {
        return sim_fail(ACL_ERROR_INVALID_PARAM, "free or total is NULL");
    }
    if ((int)attr < ACL_DDR_MEM || attr > ACL_HBM_MEM_P2P_HUGE1G) {
        return sim_fail(ACL_ERROR_RT_PARAM_INVALID, "attr %d is unknown", (int)attr);
    }
    if ((rc = context_need(&ctx)) != ACL_SUCCESS) {
        return rc;
    }
    bool ddr = attr == ACL_DDR_MEM || attr == ACL_DDR_MEM_HUGE || attr == ACL_DDR_MEM_NORMAL ||
               attr == ACL_DDR_MEM_P2P_HUGE || attr == ACL_DDR_MEM_P2P_NORMAL;
    bool has_ddr = knobs.family == SOC_310P || knobs.family == SOC_310B;
    *total = ddr == has_ddr ? (size_t)knobs.hbm : 0;
    uint64_t used = *total != 0 ? node_used(ctx->dev) : 0;
    *free = used < *total ? *total - used : 0;
    return ACL_SUCCESS;
}

SIM_API aclError aclrtPointerGetAttributes(const void *ptr, aclrtPtrAttributes *attributes)
{
    aclError rc = sim_enter(SIM_F_aclrtPointerGetAttributes);
    if (rc != ACL_SUCCESS) {
        return rc;
    }
    if (ptr == NULL || attributes == NULL) {
        return sim_fail(ACL_ERROR_INVALID_PARAM, "ptr or attributes is NULL");
    }
    sim_count(SIM_C_ATTR_QUERY, 1);
    struct region *r = region_get(ptr);
    if (r == NULL && window_hit(ptr)) {
        return sim_fail(ACL_ERROR_RT_PARAM_INVALID, "device address %p is not allocated", ptr);
    }
    *attributes = (aclrtPtrAttributes){.pageSize = r != NULL ? r->page : 4096};
    if (r == NULL) {
        attributes->location.type = ACL_MEM_LOCATION_TYPE_UNREGISTERED;
    } else if (region_on_device(r)) {
        attributes->location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
        attributes->location.id = (uint32_t)knobs_user(r->dev);
    } else {
        attributes->location.type = ACL_MEM_LOCATION_TYPE_HOST;
    }
    region_put(r);
    return ACL_SUCCESS;
}

SIM_API aclError aclrtMemGetAddressRange(void *ptr, void **pbase, size_t *psize)
{
    aclError rc = sim_enter(SIM_F_aclrtMemGetAddressRange);
    if (rc != ACL_SUCCESS) {
        return rc;
    }
    if (ptr == NULL || (pbase == NULL && psize == NULL)) {
        return sim_fail(ACL_ERROR_INVALID_PARAM, "ptr is NULL or nothing is asked for");
    }
    sim_count(SIM_C_ATTR_QUERY, 1);
    struct region *r = region_get(ptr);
    if (r == NULL || r->kind == REGION_REGISTERED) {
        region_put(r);
        return sim_fail(ACL_ERROR_RT_PARAM_INVALID, "%p is in no allocation", ptr);
    }
    if (pbase != NULL) {
        *pbase = (void *)r->base;
    }
    if (psize != NULL) {
        *psize = r->size;
    }
    region_put(r);
    return ACL_SUCCESS;
}
