/* SPDX-License-Identifier: BSD-3-Clause */
/* A module that is loaded late and calls the runtime directly. */
#include "tests/link/direct_use.h"

__attribute__((visibility("default"))) extern const t_direct_t t_direct_module;

static aclError alloc(void **ptr, size_t size)
{
    return aclrtMalloc(ptr, size, ACL_MEM_MALLOC_NORMAL_ONLY);
}

static aclError release(void *ptr)
{
    return aclrtFree(ptr);
}

const t_direct_t t_direct_module = {alloc, release};
