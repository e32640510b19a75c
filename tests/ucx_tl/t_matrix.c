/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protects: every byte of a tag message arrives, and none beside it is touched,
 * for all kinds of buffers (device or host on each side, to the other process
 * and to the process itself), sizes around every protocol switch, odd offsets,
 * expected and unexpected.
 *
 * usage: t_matrix [BYTES...]   sizes instead of the built-in list
 */
#include "t_ucx.h"

#define GUARD 64

static const size_t t_sizes[] = {0,      1,      7,       8,       92,      93,      94,    4095,
                                 4096,   8191,   8192,    8256,    8257,    65535,   65549, 262143,
                                 262144, 524289, 1048575, 1048576, 4194307, 16777216};

/* One message from rank 0 to @a ep's process; @a offset off the allocation's start. */
static void t_message(t_ctx_t *t, int self, t_kind_t from, t_kind_t to, size_t size, size_t offset,
                      int unexpected)
{
    uint64_t tag = size * 131 + offset * 7 + from * 3 + to + self * 5 + unexpected;
    int sends = (t->rank == 0);
    int receives = self ? sends : !sends;
    char *src = NULL, *dst = NULL;
    void *sreq = NULL, *rreq = NULL;
    char what[128];

    snprintf(what, sizeof(what), "%s%c-%c %zu bytes at +%zu %s", self ? "self " : "", "HD"[from],
             "HD"[to], size, offset, unexpected ? "unexpected" : "expected");

    if (sends) {
        src = t_alloc(from, size + offset);
        t_fill(from, src + offset, size, tag);
    }
    if (receives) {
        dst = t_alloc(to, size + offset + GUARD);
        t_poison(to, dst, size + offset + GUARD);
        rreq = unexpected ? NULL : t_recv(t, dst + offset, size, tag);
    }

    if (!self && !unexpected) {
        t_sync(t); /* the receive is posted */
    }
    if (sends) {
        sreq = t_send(t, self ? t->self_ep : t->ep, src + offset, size, tag);
    }
    if (unexpected) {
        if (!self) {
            t_sync(t); /* the message, or its announcement, is on its way */
        }
        t_linger(t, 2);
        rreq = receives ? t_recv(t, dst + offset, size, tag) : NULL;
    }

    if (receives) {
        t_wait(t, rreq);
        t_verify(to, dst + offset, size, tag, what);
        t_verify_poison(to, dst, offset, what);
        t_verify_poison(to, dst + offset + size, GUARD, what);
        t_free(to, dst);
    }
    if (sends) {
        t_wait(t, sreq);
        t_verify(from, src + offset, size, tag, what); /* sending must not change it */
        t_free(from, src);
    }
    if (!self) {
        t_sync(t);
    }
}

static void t_all_kinds(t_ctx_t *t, size_t size, size_t offset)
{
    for (int variant = 0; variant < 8; ++variant) {
        t_kind_t from = (variant & 1) ? T_DEVICE : T_HOST;
        t_kind_t to = (variant & 2) ? T_DEVICE : T_HOST;

        t_message(t, 0, from, to, size, offset, variant >> 2);
        if (t->rank == 0) {
            t_message(t, 1, from, to, size, offset, variant >> 2);
        }
    }
}

static void t_matrix(t_ctx_t *t)
{
    t_load_module();
    t_acl_open(t);
    t_open(t, 0);

    if (t->argc > 0) {
        for (int i = 0; i < t->argc; ++i) {
            t_all_kinds(t, strtoull(t->argv[i], NULL, 0), 0);
        }
    } else {
        for (size_t i = 0; i < sizeof(t_sizes) / sizeof(t_sizes[0]); ++i) {
            t_all_kinds(t, t_sizes[i], 0);
            t_all_kinds(t, t_sizes[i], 1 + i);
        }
    }
    t_close(t);
}

int main(int argc, char **argv)
{
    return t_pair(argc, argv, t_matrix);
}
