/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Allocations and frees are seen whoever makes them: this program's direct
 * calls (it is linked with -z relro -z now, so its relocations are read-only),
 * all variants of the calls, and a module loaded after the hooks. What was
 * allocated before is recognised, but has no generation (P23). A call through
 * dlsym is not seen by relocation patching: recognised all the same.
 */
#include "asc_config.h"

#include "tests/link/direct_use.h"
#include "tests/link/t_local.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#define SIZE 100000

static void check_seen(void *ptr, uint64_t *last)
{
    asc_link_mem_t mem;

    t_kind(ptr, SIZE, ASC_LINK_MEM_DEVICE, &mem);
    t_check(mem.base == ptr && mem.size == SIZE, "%p + %d, not %p + %zu", ptr, SIZE, mem.base,
            mem.size);
    t_check(mem.device == 0, "device 0, not %d", mem.device);
    t_check(mem.generation > *last, "a generation above %llu, not %llu", (unsigned long long)*last,
            (unsigned long long)mem.generation);
    *last = mem.generation;
}

static void check_gone(void *ptr)
{
    t_kind(ptr, 1, ASC_LINK_MEM_BAD, NULL);
}

static void direct_calls(uint64_t *last)
{
    void *ptr;

    t_acl_ok(aclrtMalloc(&ptr, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
    check_seen(ptr, last);
    t_acl_ok(aclrtFree(ptr));
    check_gone(ptr);
    t_acl_ok(aclrtMallocAlign32(&ptr, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
    check_seen(ptr, last);
    t_acl_ok(aclrtFreeWithDevSync(ptr));
    check_gone(ptr);
    t_acl_ok(aclrtMallocCached(&ptr, SIZE, ACL_MEM_MALLOC_NORMAL_ONLY));
    check_seen(ptr, last);
    t_acl_ok(aclrtFree(ptr));
    t_acl_ok(aclrtMallocWithCfg(&ptr, SIZE, ACL_MEM_MALLOC_NORMAL_ONLY, NULL));
    check_seen(ptr, last);
    t_acl_ok(aclrtFree(ptr));
    check_gone(ptr);
    t_check(t_count("alloc_seen") == 4 && t_count("free_seen") == 4, "each seen once");
}

static void late_module(uint64_t *last)
{
    char path[512];
    void *module, *ptr;
    const t_direct_t *direct;

    snprintf(path, sizeof(path), "%s/tests/link/.libs/direct_module.so",
             getenv("ASC_TOP_BUILDDIR"));
    module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    t_check(module != NULL, "the module, not: %s", dlerror());
    direct = dlsym(module, "t_direct_module");
    t_check(direct != NULL, "its table");
    t_acl_ok(direct->alloc(&ptr, SIZE));
    check_seen(ptr, last);
    t_acl_ok(direct->release(ptr));
    check_gone(ptr);
}

static void by_dlsym(void)
{
    asc_link_mem_t mem;
    void *ptr;

    t_acl_ok(T_ACL(aclrtMalloc)(&ptr, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
    t_kind(ptr, SIZE, ASC_LINK_MEM_DEVICE, &mem);
    t_check(mem.generation == 0, "no generation, not %llu", (unsigned long long)mem.generation);
    t_check(mem.base == ptr, "base %p, not %p", ptr, mem.base);
    t_acl_ok(T_ACL(aclrtFree)(ptr));
    check_gone(ptr);
}

int main(void)
{
    uint64_t last = 0;
    asc_link_mem_t mem;
    void *early;

    t_deadline(30);
    t_acl_ok(aclInit(NULL));
    t_acl_ok(aclrtSetDevice(0));
    t_acl_ok(aclrtMalloc(&early, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
    t_link_start(0);
    t_link_hooks("hooks");
    t_kind(early, SIZE, ASC_LINK_MEM_DEVICE, &mem);
    t_check(mem.generation == 0 && mem.base == early, "early memory known, without generation");
    direct_calls(&last);
    late_module(&last);
    by_dlsym();
    t_count("free_unknown");
    t_acl_ok(aclrtFree(early));
    t_check(t_count("free_unknown") == 1, "its free seen as of unknown memory");
    check_gone(early);
    t_check(aclrtFree(early) != ACL_SUCCESS, "a second free is the runtime's to refuse");
    t_check(aclrtFree(NULL) != ACL_SUCCESS, "so is one of NULL");
    return T_PASS;
}
