/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * P20: parts of one allocation keep their places. Four quarters of one block go
 * to the peer in a shuffled order and come back into other quarters; messages
 * of many lengths from all over the block arrive as they were. P19: so does one
 * from an odd address inside an allocation, of which only the base can be exported.
 */
#include "t_ucx.h"

#define QUARTER ((size_t)1 << 20)
#define VIEWS   4

static void t_quarters(t_ctx_t *t)
{
    static const int order[VIEWS] = {2, 0, 3, 1};
    char *block = t_alloc(T_DEVICE, VIEWS * QUARTER);
    void *requests[VIEWS];

    for (int i = 0; i < VIEWS; ++i) {
        char *view = block + order[i] * QUARTER;

        if (t->rank == 0) {
            t_fill(T_DEVICE, view, QUARTER, order[i]);
            requests[i] = t_send(t, t->ep, view, QUARTER, order[i]);
        } else {
            requests[i] = t_recv(t, view, QUARTER, order[i]);
        }
    }
    for (int i = 0; i < VIEWS; ++i) {
        t_wait(t, requests[i]);
    }

    /* back, quarter i into quarter i + 1 */
    for (int i = 0; i < VIEWS; ++i) {
        if (t->rank == 1) {
            t_verify(T_DEVICE, block + i * QUARTER, QUARTER, i, "quarter at the peer");
        }
    }
    t_sync(t);
    for (int i = 0; i < VIEWS; ++i) {
        char *view = block + ((t->rank == 0 ? i + 1 : i) % VIEWS) * QUARTER;

        requests[i] = (t->rank == 0) ? t_recv(t, view, QUARTER, 16 + i)
                                     : t_send(t, t->ep, view, QUARTER, 16 + i);
    }
    for (int i = 0; i < VIEWS; ++i) {
        t_wait(t, requests[i]);
    }
    for (int i = 0; t->rank == 0 && i < VIEWS; ++i) {
        t_verify(T_DEVICE, block + ((i + 1) % VIEWS) * QUARTER, QUARTER, i, "quarter come back");
    }
    t_free(T_DEVICE, block);
    t_sync(t);
}

static void t_inside(t_ctx_t *t)
{
    char *block = t_alloc(T_DEVICE, VIEWS * QUARTER);

    for (int i = 0; i < 50; ++i) {
        size_t size = 1 + (size_t)i * 40961 % QUARTER;
        size_t offset = (size_t)i * 99991 % (VIEWS * QUARTER - size);

        if (t->rank == 0) {
            t_fill(T_DEVICE, block + offset, size, 100 + i);
            t_wait(t, t_send(t, t->ep, block + offset, size, i));
        } else {
            offset = VIEWS * QUARTER - size - offset;
            t_wait(t, t_recv(t, block + offset, size, i));
            t_verify(T_DEVICE, block + offset, size, 100 + i, "view");
        }
        t_sync(t);
    }
    t_free(T_DEVICE, block);
}

static void t_interior(t_ctx_t *t)
{
    char *block = t_alloc(T_DEVICE, VIEWS * QUARTER), *at = block + 12345;
    int64_t copies = t_link("get_ops");

    if (t->rank == 0) {
        t_fill(T_DEVICE, at, QUARTER, 12);
        t_wait(t, t_send(t, t->ep, at, QUARTER, 12345));
    } else {
        t_poison(T_DEVICE, block, VIEWS * QUARTER);
        t_wait(t, t_recv(t, at, QUARTER, 12345));
        t_verify(T_DEVICE, at, QUARTER, 12, "interior");
        t_verify_poison(T_DEVICE, block, 12345, "before the interior");
        t_verify_poison(T_DEVICE, at + QUARTER, 4096, "behind the interior");
        T_CHECK(t_link("get_ops") - copies == 1, "%lld direct copies",
                (long long)(t_link("get_ops") - copies));
    }
    t_sync(t);
    t_free(T_DEVICE, block);
}

static void t_views(t_ctx_t *t)
{
    t_load_module();
    t_acl_open(t);
    t_open(t, 0);
    t_quarters(t);
    t_inside(t);
    t_interior(t);
    t_close(t);
}

int main(int argc, char **argv)
{
    return t_pair(argc, argv, t_views);
}
