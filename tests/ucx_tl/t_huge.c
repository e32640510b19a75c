/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protects: the upper end of the sizes, 256 MiB, between two processes with
 * device memory on either side or both, expected and unexpected, every byte.
 */
#include "t_ucx.h"

#define SIZE ((size_t)256 << 20)

static void t_one(t_ctx_t *t, t_kind_t from, t_kind_t to, int unexpected)
{
    t_kind_t kind = (t->rank == 0) ? from : to;
    char *buf = t_alloc(kind, SIZE);
    void *request = NULL;
    char what[64];

    snprintf(what, sizeof(what), "%c-%c %s", "HD"[from], "HD"[to],
             unexpected ? "unexpected" : "expected");
    if (t->rank == 0) {
        t_fill(kind, buf, SIZE, 7 + from);
    } else {
        t_poison(kind, buf, SIZE);
        request = unexpected ? NULL : t_recv(t, buf, SIZE, 1);
    }
    t_sync(t);
    if (t->rank == 0) {
        request = t_send(t, t->ep, buf, SIZE, 1);
    }
    if (unexpected) {
        t_sync(t);
        t_linger(t, 5);
        if (t->rank == 1) {
            request = t_recv(t, buf, SIZE, 1);
        }
    }
    t_wait(t, request);
    if (t->rank == 1) {
        t_verify(kind, buf, SIZE, 7 + from, what);
    }
    t_free(kind, buf);
    t_sync(t);
}

static void t_huge(t_ctx_t *t)
{
    t_load_module();
    t_acl_open(t);
    t_open(t, 0);
    for (int unexpected = 0; unexpected < 2; ++unexpected) {
        t_one(t, T_DEVICE, T_DEVICE, unexpected);
        t_one(t, T_DEVICE, T_HOST, unexpected);
        t_one(t, T_HOST, T_DEVICE, unexpected);
    }
    t_close(t);
}

int main(int argc, char **argv)
{
    return t_pair(argc, argv, t_huge);
}
