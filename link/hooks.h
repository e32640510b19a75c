/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Replacements for the runtime's functions that begin its use, make, free or drop
 * device memory. They are reached through patched relocations (hooks.c installs them)
 * or through libascend_preload.so, which exports them under the runtime's own
 * names. Each calls the real function and returns what it returned; a free
 * that is put off returns success.
 */
#ifndef LINK_HOOKS_H
#define LINK_HOOKS_H

#include "acl/ascend_abi.h"

#include <stdbool.h>
#include <stddef.h>

/* name, parameters, arguments */
#define LINK_HOOKS(X) \
    X(aclrtMalloc, (void **ptr, size_t size, aclrtMemMallocPolicy policy), (ptr, size, policy)) \
    X(aclrtMallocAlign32, (void **ptr, size_t size, aclrtMemMallocPolicy policy), \
      (ptr, size, policy)) \
    X(aclrtMallocCached, (void **ptr, size_t size, aclrtMemMallocPolicy policy), \
      (ptr, size, policy)) \
    X(aclrtMallocWithCfg, \
      (void **ptr, size_t size, aclrtMemMallocPolicy policy, aclrtMallocConfig *cfg), \
      (ptr, size, policy, cfg)) \
    X(aclrtFree, (void *ptr), (ptr)) \
    X(aclrtFreeWithDevSync, (void *ptr), (ptr)) \
    X(aclrtMapMem, \
      (void *ptr, size_t size, size_t offset, aclrtDrvMemHandle handle, uint64_t flags), \
      (ptr, size, offset, handle, flags)) \
    X(aclrtUnmapMem, (void *ptr), (ptr)) \
    X(aclrtIpcMemImportByKey, (void **ptr, const char *key, uint64_t flags), (ptr, key, flags)) \
    X(aclrtIpcMemClose, (const char *key), (key)) \
    X(aclInit, (const char *config), (config)) \
    X(aclrtCreateContext, (aclrtContext * context, int32_t device), (context, device)) \
    X(aclrtSetDevice, (int32_t device), (device)) \
    X(aclrtResetDevice, (int32_t device), (device)) \
    X(aclrtResetDeviceForce, (int32_t device), (device)) \
    X(aclFinalize, (void), ()) \
    X(aclFinalizeReference, (uint64_t * count), (count)) \
    X(aclrtFreeHost, (void *ptr), (ptr)) \
    X(aclrtHostUnregister, (void *ptr), (ptr))

#pragma GCC visibility push(default)

#define LINK_HOOK_DECLARE(_name, _params, _args) aclError asc_link_hook_##_name _params;
LINK_HOOKS(LINK_HOOK_DECLARE)
#undef LINK_HOOK_DECLARE

/** The replacement for @a symbol, or NULL if it is none of ours. */
void *asc_link_hook_for(const char *symbol);

/** libascend_preload.so tells that it is there: nothing needs patching. */
void asc_link_hooks_preloaded(void);

#pragma GCC visibility pop

/** Whether allocations and frees are seen. One load. */
bool link_hooks_active(void);

/** Malloc and free of the library's own (asc_link_mem_alloc), seen in any
 *  mode. A context must be current. */
aclError link_hooks_malloc(void **ptr, size_t size);
aclError link_hooks_free(void *ptr);

#endif
