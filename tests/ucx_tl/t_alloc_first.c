/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * P23: device memory allocated before the module is loaded and before UCX is
 * started is known for what it is; the CPU does not touch it.
 */
#include "t_ucx.h"

static void t_alloc_first(t_ctx_t *t)
{
    static const size_t sizes[] = {8, 8192, 1048576};
    void *bufs[3];

    t_acl_open(t);
    for (int i = 0; i < 3; ++i) {
        bufs[i] = t_alloc(T_DEVICE, sizes[i]);
        t_fill(T_DEVICE, bufs[i], sizes[i], t->rank == 0 ? i : 99);
    }

    t_load_module();
    t_open(t, 0);
    for (int i = 0; i < 3; ++i) {
        if (t->rank == 0) {
            t_wait(t, t_send(t, t->ep, bufs[i], sizes[i], i));
        } else {
            t_wait(t, t_recv(t, bufs[i], sizes[i], i));
            t_verify(T_DEVICE, bufs[i], sizes[i], i, "memory older than UCX");
        }
    }
    t_sync(t);
    for (int i = 0; i < 3; ++i) {
        t_free(T_DEVICE, bufs[i]);
    }
    t_close(t);
}

int main(int argc, char **argv)
{
    return t_pair(argc, argv, t_alloc_first);
}
