/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Part of t_memtype_cache.sh: prints whether UCX's memory type cache is on, and
 * sends device memory that was allocated after UCX was started to itself.
 */
#include "t_ucx.h"

#include <ucs/config/global_opts.h>

#define SIZE 70000

static void t_memtype_cache(t_ctx_t *t)
{
    void *src, *dst, *request;

    t_load_module();
    t_acl_open(t);
    t_open(t, 0);
    printf("cache %s\n", (ucs_global_opts.enable_memtype_cache == UCS_NO) ? "off" : "on");

    /* The first look at any pointer makes the cache. */
    src = t_alloc(T_HOST, SIZE);
    t_fill(T_HOST, src, SIZE, 1);
    t_wait(t, t_send(t, t->self_ep, src, 8, 1));
    t_wait(t, t_recv(t, src, 8, 1));

    dst = t_alloc(T_DEVICE, SIZE);
    request = t_recv(t, dst, SIZE, 2);
    t_fill(T_HOST, src, SIZE, 1);
    t_wait(t, t_send(t, t->self_ep, src, SIZE, 2));
    t_wait(t, request);
    t_verify(T_DEVICE, dst, SIZE, 1, "device memory");
    t_free(T_DEVICE, dst);
    t_free(T_HOST, src);
    t_close(t);
}

int main(int argc, char **argv)
{
    return t_single(argc, argv, t_memtype_cache);
}
