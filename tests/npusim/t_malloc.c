/* SPDX-License-Identifier: BSD-3-Clause */
/* Device allocation: alignment, page sizes, the 32-byte pad, what may be
 * freed, what the queries say (P21). */
#include "t_sim.h"

static void shape(size_t size, uint32_t page)
{
    aclrtPtrAttributes at;
    void *base;
    size_t range;
    char *p = t_dev_alloc(size);
    t_check((uintptr_t)p % page == 0, "%p on a page of %u", (void *)p, page);
    t_acl_ok(aclrtPointerGetAttributes(p + size - 1, &at));
    t_check(at.location.type == ACL_MEM_LOCATION_TYPE_DEVICE && at.location.id == 1 &&
                at.pageSize == page,
            "type %d id %u page %u", at.location.type, at.location.id, at.pageSize);
    t_acl_ok(aclrtMemGetAddressRange(p + size - 1, &base, &range));
    t_check(base == p && range == (size + 31) / 32 * 32 + 32, "%p %zu for %p %zu", base, range,
            (void *)p, size);
    t_dev_fill(p, size, size);
    t_dev_verify(p, size, size, 0);
    t_acl_fails(aclrtFree(p + 64), ACL_ERROR_RT_MEMORY_FREE);
    t_dev_free(p);
    t_acl_fails(aclrtFree(p), ACL_ERROR_RT_MEMORY_FREE);
    t_acl_fails(aclrtPointerGetAttributes(p, &at), ACL_ERROR_RT_PARAM_INVALID);
    t_acl_fails(aclrtMemGetAddressRange(p, &base, &range), ACL_ERROR_RT_PARAM_INVALID);
}

int main(void)
{
    static const size_t sizes[] = {1, 31, 65, 3758, 4095, 4096, 65536, T_MIB - 32};
    aclrtPtrAttributes at;
    void *p;
    t_deadline(60);
    t_device(1);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        shape(sizes[i], 4096);
    }
    shape(T_MIB, 2u << 20);
    shape(2 * T_MIB - 1, 2u << 20);
    shape(5 * T_MIB + 1, 2u << 20);

    t_acl_fails(aclrtMalloc(&p, 0, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_PARAM_INVALID);
    t_acl_fails(aclrtMalloc(NULL, 8, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_INVALID_PARAM);
    t_acl_fails(aclrtMalloc(&p, 8, (aclrtMemMallocPolicy)99), ACL_ERROR_RT_PARAM_INVALID);
    t_acl_fails(aclrtFree(NULL), ACL_ERROR_INVALID_PARAM);

    t_acl_ok(aclrtMalloc(&p, 3 * T_MIB, ACL_MEM_MALLOC_NORMAL_ONLY));
    t_acl_ok(aclrtPointerGetAttributes(p, &at));
    t_check(at.pageSize == 4096, "NORMAL_ONLY gave pages of %u", at.pageSize);
    t_dev_free(p);
    t_acl_ok(aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_ONLY));
    t_acl_ok(aclrtPointerGetAttributes(p, &at));
    t_check(at.pageSize == 2u << 20, "HUGE_ONLY gave pages of %u", at.pageSize);
    t_dev_free(p);

    void *h = t_pinned(100);
    t_check((uintptr_t)h % 64 == 0, "pinned memory at %p", h);
    memset(h, 1, 100);
    t_acl_ok(aclrtPointerGetAttributes(h, &at));
    t_check(at.location.type == ACL_MEM_LOCATION_TYPE_HOST, "pinned is type %d", at.location.type);
    t_acl_fails(aclrtFree(h), ACL_ERROR_RT_INVALID_MALLOC_TYPE);
    t_acl_ok(aclrtFreeHost(h));
    t_acl_fails(aclrtFreeHost(h), ACL_ERROR_RT_MEMORY_FREE);
    t_acl_ok(aclrtPointerGetAttributes(&at, &at));
    t_check(at.location.type == ACL_MEM_LOCATION_TYPE_UNREGISTERED, "stack is type %d",
            at.location.type);
    t_check(npusim_counter("live.alloc") == 0 && npusim_counter("live.bytes") == 0 &&
                npusim_counter("live.host") == 0,
            "nothing is left");
    return 0;
}
