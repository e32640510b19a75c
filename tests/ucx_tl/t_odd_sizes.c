/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * P21: allocations of odd and small sizes, each sent whole. t_odd_sizes_rndv.sh
 * sends them all by rendezvous, through their exports.
 */
#include "t_ucx.h"

static void t_odd_sizes(t_ctx_t *t)
{
    static const size_t sizes[] = {1,     65,      3758,    4095,    4097,
                                   65537, 2097151, 2097152, 2097153, 4194305};

    t_load_module();
    t_acl_open(t);
    t_open(t, 0);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); ++i) {
        void *buf = t_alloc(T_DEVICE, sizes[i]);

        if (t->rank == 0) {
            t_fill(T_DEVICE, buf, sizes[i], i);
            t_wait(t, t_send(t, t->ep, buf, sizes[i], i));
        } else {
            t_wait(t, t_recv(t, buf, sizes[i], i));
            t_verify(T_DEVICE, buf, sizes[i], i, "allocation of odd size");
        }
        t_sync(t);
        t_free(T_DEVICE, buf);
    }
    t_close(t);
}

int main(int argc, char **argv)
{
    return t_pair(argc, argv, t_odd_sizes);
}
