/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Under libascend_preload.so programs are seen that look the runtime's
 * functions up with dlsym, through any handle, and that open the runtime
 * themselves (torch_npu does); direct calls are seen too. Look-ups that
 * concern nobody else go on as before: RTLD_NEXT and RTLD_DEFAULT keep the
 * caller they depend on, functions that the runtime lacks stay missing.
 */
#include "asc_config.h"

#include "tests/link/t_local.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SIZE 65536

typedef __typeof__(aclrtMalloc) *malloc_fn;
typedef __typeof__(aclrtFree) *free_fn;

static void check_pair(malloc_fn alloc, free_fn release, const char *how)
{
    asc_link_mem_t mem;
    void *ptr;

    t_check(alloc != NULL && release != NULL, "functions by %s", how);
    t_acl_ok(alloc(&ptr, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
    t_kind(ptr, SIZE, ASC_LINK_MEM_DEVICE, &mem);
    t_check(mem.generation != 0, "memory by %s to be seen", how);
    t_acl_ok(release(ptr));
    t_kind(ptr, 1, ASC_LINK_MEM_BAD, NULL);
}

/* A definition that stands before the C library's, to be found again. */
__attribute__((visibility("default"))) pid_t getppid(void)
{
    return (pid_t)4242;
}

static void others_unharmed(void *runtime)
{
    pid_t (*next)(void) = (pid_t(*)(void))dlsym(RTLD_NEXT, "getppid");

    t_check(next != NULL && next() != 4242, "RTLD_NEXT to find what comes after this program");
    t_check(dlsym(RTLD_DEFAULT, "getppid") == (void *)getppid, "RTLD_DEFAULT to find this one");
    t_check(dlsym(runtime, "aclrtMemcpy") == (void *)asc_acl_get()->aclrtMemcpy,
            "functions that are not watched as they are");
    t_check(dlsym(runtime, "aclrtNoSuchThing") == NULL && dlerror() != NULL, "missing is missing");
    t_check(dlsym(dlopen("libm.so.6", RTLD_NOW), "aclrtMalloc") == NULL,
            "no aclrtMalloc in the mathematics library");
    t_check(dlvsym(RTLD_NEXT, "getppid", "GLIBC_2.2.5") == (void *)next ||
                dlvsym(RTLD_NEXT, "getppid", "GLIBC_2.17") == (void *)next,
            "dlvsym to work");
}

int main(int argc, char **argv)
{
    void *runtime;
    const char *why;

    (void)argc;
    t_link_preload(argv);
    t_deadline(30);
    t_check(strcmp(asc_link_hook_mode(&why), "preload") == 0, "mode preload, not %s: %s",
            asc_link_hook_mode(NULL), why);
    t_check(dlsym(RTLD_DEFAULT, "aclrtFree") == NULL, "no runtime, no aclrtFree");
    runtime = dlopen(getenv("ASCEND_ACL_LIBRARY"), RTLD_NOW | RTLD_LOCAL);
    t_check(runtime != NULL, "the runtime, not: %s", dlerror());
    t_acl_ok(((__typeof__(aclInit) *)dlsym(runtime, "aclInit"))(NULL));
    t_acl_ok(((__typeof__(aclrtSetDevice) *)dlsym(runtime, "aclrtSetDevice"))(0));
    t_check(asc_link_home_device() == 0, "device 0 seen being chosen, before init");
    check_pair((malloc_fn)dlsym(runtime, "aclrtMalloc"), (free_fn)dlsym(runtime, "aclrtFree"),
               "handle");
    t_link_start(0);
    check_pair((malloc_fn)dlsym(runtime, "aclrtMallocAlign32"),
               (free_fn)dlsym(runtime, "aclrtFreeWithDevSync"), "handle, after init");
    t_check(dlopen(getenv("ASCEND_ACL_LIBRARY"), RTLD_NOW | RTLD_GLOBAL) != NULL, "make it global");
    check_pair((malloc_fn)dlsym(RTLD_DEFAULT, "aclrtMalloc"),
               (free_fn)dlsym(RTLD_DEFAULT, "aclrtFree"), "RTLD_DEFAULT");
    others_unharmed(runtime);
    t_check(asc_link_install_hooks(NULL) == ASC_ERR_INVALID, "a patcher is asked for");
    return T_PASS;
}
