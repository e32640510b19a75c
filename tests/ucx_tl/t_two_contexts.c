/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protects: several UCP contexts in one process, as Open MPI makes them, share
 * imports and exports; closing one does not break the other, and a context
 * opened after all were closed works again.
 */
#include "t_ucx.h"

#define SIZE ((size_t)1 << 20)

static void t_exchange(t_ctx_t *t, void *buf, uint64_t seed)
{
    if (t->rank == 0) {
        t_fill(T_DEVICE, buf, SIZE, seed);
        t_wait(t, t_send(t, t->ep, buf, SIZE, seed));
    } else {
        t_poison(T_DEVICE, buf, SIZE);
        t_wait(t, t_recv(t, buf, SIZE, seed));
        t_verify(T_DEVICE, buf, SIZE, seed, "message");
    }
    t_sync(t);
}

static void t_two_contexts(t_ctx_t *t)
{
    t_ctx_t other = *t;
    void *buf;

    t_load_module();
    t_acl_open(t);
    t_open(t, 0);
    t_open(&other, 0);
    buf = t_alloc(T_DEVICE, SIZE);

    t_exchange(t, buf, 1);
    t_exchange(&other, buf, 2);
    if (!t_no_sim()) {
        T_CHECK(t_sim("ipc.mem.import") == (t->rank == 1), "%llu imports, the cache is not shared",
                (unsigned long long)t_sim("ipc.mem.import"));
    }
    t_close(t);
    t_exchange(&other, buf, 3);
    t_close(&other);

    t_open(t, 0);
    t_exchange(t, buf, 4);
    t_free(T_DEVICE, buf);
    buf = t_alloc(T_DEVICE, SIZE);
    t_exchange(t, buf, 5);
    t_free(T_DEVICE, buf);
    t_close(t);
}

int main(int argc, char **argv)
{
    return t_pair(argc, argv, t_two_contexts);
}
