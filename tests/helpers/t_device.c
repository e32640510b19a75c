/* SPDX-License-Identifier: BSD-3-Clause */
/* Device memory for tests, through the runtime's ABI alone. */
#define _GNU_SOURCE 1

#include "tests/helpers/t_helpers.h"

#include <npusim.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

static void *t_library;
static pthread_once_t t_library_once = PTHREAD_ONCE_INIT;

static void t_library_open(void)
{
    const char *name = getenv("ASCEND_ACL_LIBRARY");

    t_check(name != NULL, "ASCEND_ACL_LIBRARY is not set: run tests with tests/run-test");
    t_library = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
    t_check(t_library != NULL, "%s", dlerror());
}

void *t_acl_library(void)
{
    pthread_once(&t_library_once, t_library_open);
    return t_library;
}

void *t_acl_symbol(const char *name)
{
    void *symbol = dlsym(t_acl_library(), name);

    t_check(symbol != NULL, "%s", dlerror());
    return symbol;
}

void t_acl_expect_at(const char *file, int line, const char *call, aclError got, aclError want)
{
    const char *recent;

    if (got == want) {
        return;
    }
    recent = T_ACL(aclGetRecentErrMsg)();
    t_fail_at(file, line, call, "returned %d instead of %d; the runtime says: %s", got, want,
              recent ? recent : "nothing");
}

void t_device(int device)
{
    aclError err = T_ACL(aclInit)(NULL);

    if (err != ACL_ERROR_REPEAT_INITIALIZE) {
        t_acl_ok(err);
    }
    t_acl_ok(T_ACL(aclrtSetDevice)(device));
}

void *t_dev_alloc(size_t size)
{
    void *p = NULL;

    t_acl_ok(T_ACL(aclrtMalloc)(&p, size, ACL_MEM_MALLOC_HUGE_FIRST));
    return p;
}

void t_dev_free(void *ptr)
{
    t_acl_ok(T_ACL(aclrtFree)(ptr));
}

void t_to_device(void *device, const void *host, size_t size)
{
    if (size > 0) {
        t_acl_ok(T_ACL(aclrtMemcpy)(device, size, host, size, ACL_MEMCPY_HOST_TO_DEVICE));
    }
}

void t_to_host(void *host, const void *device, size_t size)
{
    if (size > 0) {
        t_acl_ok(T_ACL(aclrtMemcpy)(host, size, device, size, ACL_MEMCPY_DEVICE_TO_HOST));
    }
}

void t_dev_fill(void *device, size_t size, uint64_t seed)
{
    void *host = malloc(size + 1);

    t_check(host != NULL, "no memory for %zu bytes", size);
    t_fill(host, size, seed);
    t_to_device(device, host, size);
    free(host);
}

void t_dev_verify(const void *device, size_t size, uint64_t seed, size_t offset)
{
    void *host = malloc(size + 1);

    t_check(host != NULL, "no memory for %zu bytes", size);
    t_to_host(host, device, size);
    t_verify(host, size, seed, offset);
    free(host);
}

uint64_t t_counter(const char *name)
{
    __typeof__(npusim_counter) *counter = dlsym(t_acl_library(), "npusim_counter");
    uint64_t value;

    if (counter == NULL) {
        t_skip("counters are npusim's, and %s is not npusim", getenv("ASCEND_ACL_LIBRARY"));
    }
    value = counter(name);
    t_check(value != NPUSIM_NO_COUNTER, "npusim has no counter '%s'", name);
    return value;
}
