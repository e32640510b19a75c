/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Under libascend_preload.so a program that is linked to the runtime is seen
 * from its first call, before this library is initialised (P23), and hooks
 * that a module installs later, which fail here, change nothing.
 */
#include "tests/link/t_local.h"

#include <string.h>

static int failing(const char *symbol, void *replacement)
{
    (void)symbol;
    (void)replacement;
    return -1;
}

int main(int argc, char **argv)
{
    asc_link_mem_t mem;
    void *early, *later;

    (void)argc;
    t_link_preload(argv);
    t_deadline(30);
    t_acl_ok(aclInit(NULL));
    t_acl_ok(aclrtSetDevice(0));
    t_acl_ok(aclrtMalloc(&early, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    t_link_start(0);
    t_check(asc_link_install_hooks(failing) == ASC_OK, "not needed");
    t_check(strcmp(asc_link_hook_mode(NULL), "preload") == 0, "still preload");
    t_kind(early, 4096, ASC_LINK_MEM_DEVICE, &mem);
    t_check(mem.generation != 0, "early memory to have a generation");
    t_acl_ok(aclrtMalloc(&later, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    t_kind(later, 4096, ASC_LINK_MEM_DEVICE, &mem);
    t_check(mem.generation != 0, "later memory too");
    t_acl_ok(aclrtFree(early));
    t_acl_ok(aclrtFree(later));
    t_kind(early, 1, ASC_LINK_MEM_BAD, NULL);
    t_check(asc_link_counter("alloc_seen") == 2 && asc_link_counter("free_seen") == 2,
            "each once, not %lld and %lld", (long long)asc_link_counter("alloc_seen"),
            (long long)asc_link_counter("free_seen"));
    return T_PASS;
}
