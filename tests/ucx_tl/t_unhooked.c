/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * P25, P28: device memory whose allocation and release nobody could see. The
 * program has the runtime's functions linked into itself, as from an archive:
 * its calls go through no relocation that could be patched. All functions that
 * allocate are tried, after UCX was started; the addresses come back at once
 * (run.tab), with other bytes behind them. The messages are right, the CPU does
 * not touch the memory, and what was shared for a message is not so for longer.
 */
#include "t_ucx.h"

#include <dlfcn.h>

/* ---- the archive --------------------------------------------------------- */

static void *t_runtime(const char *name)
{
    static void *library;
    void *symbol;

    if (library == NULL) {
        library = dlopen(getenv("ASCEND_ACL_LIBRARY"), RTLD_NOW | RTLD_GLOBAL);
    }
    T_CHECK(library != NULL, "%s", dlerror());
    symbol = dlsym(library, name);
    T_CHECK(symbol != NULL, "%s", dlerror());
    return symbol;
}

#define T_RUNTIME(_name) ((__typeof__(_name) *)t_runtime(#_name))

aclError aclInit(const char *config)
{
    return T_RUNTIME(aclInit)(config);
}

aclError aclrtGetDeviceCount(uint32_t *count)
{
    return T_RUNTIME(aclrtGetDeviceCount)(count);
}

aclError aclrtSetDevice(int32_t device)
{
    return T_RUNTIME(aclrtSetDevice)(device);
}

aclError aclrtMalloc(void **ptr, size_t size, aclrtMemMallocPolicy policy)
{
    return T_RUNTIME(aclrtMalloc)(ptr, size, policy);
}

aclError aclrtMallocAlign32(void **ptr, size_t size, aclrtMemMallocPolicy policy)
{
    return T_RUNTIME(aclrtMallocAlign32)(ptr, size, policy);
}

aclError aclrtMallocCached(void **ptr, size_t size, aclrtMemMallocPolicy policy)
{
    return T_RUNTIME(aclrtMallocCached)(ptr, size, policy);
}

aclError aclrtMallocWithCfg(void **ptr, size_t size, aclrtMemMallocPolicy policy,
                            aclrtMallocConfig *config)
{
    return T_RUNTIME(aclrtMallocWithCfg)(ptr, size, policy, config);
}

aclError aclrtFree(void *ptr)
{
    return T_RUNTIME(aclrtFree)(ptr);
}

aclError aclrtMemcpy(void *dst, size_t room, const void *src, size_t size, aclrtMemcpyKind kind)
{
    return T_RUNTIME(aclrtMemcpy)(dst, room, src, size, kind);
}

aclError aclrtMemset(void *ptr, size_t room, int32_t value, size_t size)
{
    return T_RUNTIME(aclrtMemset)(ptr, room, value, size);
}

/* ---- the test ------------------------------------------------------------ */

static aclError t_with_cfg(void **ptr, size_t size, aclrtMemMallocPolicy policy)
{
    return aclrtMallocWithCfg(ptr, size, policy, NULL);
}

static const struct {
    const char *name;
    aclError (*alloc)(void **ptr, size_t size, aclrtMemMallocPolicy policy);
} allocators[] = {{"aclrtMalloc", aclrtMalloc},
                  {"aclrtMallocAlign32", aclrtMallocAlign32},
                  {"aclrtMallocCached", aclrtMallocCached},
                  {"aclrtMallocWithCfg", t_with_cfg}};

static const size_t sizes[] = {100, 8192, (size_t)1 << 20, ((size_t)3 << 20) + 1};

static void t_message(t_ctx_t *t, const char *name, void *buf, size_t size, uint64_t seed)
{
    if (t->rank == (int)(seed % 2)) {
        t_fill(T_DEVICE, buf, size, seed);
        t_wait(t, t_send(t, t->ep, buf, size, seed));
    } else {
        t_poison(T_DEVICE, buf, size);
        t_wait(t, t_recv(t, buf, size, seed));
        t_verify(T_DEVICE, buf, size, seed, name);
    }
    t_sync(t);
}

static void t_unhooked(t_ctx_t *t)
{
    uint64_t seed = 0;
    void *buf;

    t_load_module();
    t_acl_open(t);
    t_open(t, 0);
    for (size_t a = 0; a < sizeof(allocators) / sizeof(allocators[0]); ++a) {
        for (size_t s = 0; s < 3 * sizeof(sizes) / sizeof(sizes[0]); ++s) {
            size_t size = sizes[s / 3]; /* thrice: at one address */

            T_ACL(allocators[a].alloc(&buf, size, ACL_MEM_MALLOC_NORMAL_ONLY));
            t_message(t, allocators[a].name, buf, size, seed++);
            t_message(t, allocators[a].name, buf, size, seed++);
            t_free(T_DEVICE, buf);
        }
    }
    T_CHECK(t_link("alloc_seen") == 0, "%lld allocations were seen: they were to be hidden",
            (long long)t_link("alloc_seen"));
    T_CHECK(t_link("get_ops") > 0, "none of the messages was copied directly");

    T_ACL(aclrtMalloc(&buf, sizes[2], ACL_MEM_MALLOC_NORMAL_ONLY));
    for (int i = 0; i < 16; ++i) {
        t_message(t, "one buffer", buf, sizes[2], seed++);
    }
    /* UCX may look at what is over with its next message only. */
    T_CHECK(t_no_sim() || t_sim("live.export") <= 1, "%llu exports are left of 8 messages",
            (unsigned long long)t_sim("live.export"));
    T_CHECK(t_link("export_hit") == 0, "%lld messages used what was shared for an earlier one",
            (long long)t_link("export_hit"));
    t_free(T_DEVICE, buf);
    t_close(t);
}

int main(int argc, char **argv)
{
    return t_pair(argc, argv, t_unhooked);
}
