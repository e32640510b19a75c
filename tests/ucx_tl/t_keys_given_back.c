/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * P09: once a message is over, nothing of its receiver holds the sender's memory
 * any more: the use of its key is given back, so that a free is a free at once,
 * without the receiver doing anything, and nothing is parked.
 */
#include "t_ucx.h"

#define SIZE  ((size_t)1 << 20)
#define COUNT 8

static void t_keys(t_ctx_t *t)
{
    uint64_t live;
    void *buf[COUNT];

    t_load_module();
    t_acl_open(t);
    t_open(t, 0);
    live = t_sim("live.alloc");
    for (int i = 0; i < COUNT; ++i) {
        buf[i] = t_alloc(T_DEVICE, SIZE);
        t_fill(T_DEVICE, buf[i], SIZE, i);
        if (t->rank == 0) {
            t_wait(t, t_send(t, t->ep, buf[i], SIZE, i));
        } else {
            t_wait(t, t_recv(t, buf[i], SIZE, i));
        }
    }
    if (t->rank == 1) {
        T_CHECK(t_link("get_ops") == COUNT, "%lld direct copies", (long long)t_link("get_ops"));
    }
    /* the receiver is not waited for: it need not do anything for this */
    for (int i = 0; i < COUNT; ++i) {
        t_free(T_DEVICE, buf[i]);
    }
    T_CHECK(t_link("free_parked") == 0, "%lld frees were put off",
            (long long)t_link("free_parked"));
    T_CHECK(t_sim("live.alloc") == live, "%llu allocations are left",
            (unsigned long long)(t_sim("live.alloc") - live));
    t_close(t);
}

int main(int argc, char **argv)
{
    return t_pair(argc, argv, t_keys);
}
