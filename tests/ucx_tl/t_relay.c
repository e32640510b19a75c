/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protects: a large message between host memory of one process and device
 * memory of another is one transfer that both copy for (not pieces of 8 KiB),
 * whichever of them drives it, at any offset; neither host-host nor
 * device-device messages go that way; and many at once wait for room. From 1.16
 * on UCX takes a way of its own, in pieces that must be large if nothing else
 * is asked of it.
 */
#include "t_ucx.h"

#define COUNT 40

static const size_t t_sizes[] = {8300, 65537, 1048576, 4194304 + 13, 67108864 + 1};

static void t_check_pieces(const t_ctx_t *t, size_t size)
{
    /* no cma with the handling of failures */
    int free_choice = !getenv("UCX_RNDV_SCHEME") && (t->argc == 0);
    uint64_t copies = t_sim("copy.d2h") + t_sim("copy.h2d");

    T_CHECK((t_new_protocols() && !free_choice) || copies <= 2 + size / 65536,
            "%zu bytes: %llu copies to or from the host", size, (unsigned long long)copies);
}

static void t_one(t_ctx_t *t, t_kind_t from, t_kind_t to, size_t size, size_t offset)
{
    uint64_t tag = size + offset * 3 + from * 2 + to;
    int64_t before = t_link("relay_ops") + t_link("relay_served");
    int64_t expected = (from != to) && !t_new_protocols();
    char *buf = t_alloc(t->rank ? to : from, size + offset);

    if (t->rank == 0) {
        t_fill(from, buf + offset, size, tag);
    } else {
        t_poison(to, buf, size + offset);
    }
    t_sim_reset();
    if (t->rank == 0) {
        t_wait(t, t_send(t, t->ep, buf + offset, size, tag));
    } else {
        t_wait(t, t_recv(t, buf + offset, size, tag));
    }
    t_check_pieces(t, size);
    if (t->rank == 1) {
        t_verify(to, buf + offset, size, tag, "relayed message");
        t_verify_poison(to, buf, offset, "memory before a relayed message");
    }
    t_sync(t);
    T_CHECK(t_link("relay_ops") + t_link("relay_served") - before == expected,
            "%c to %c, %zu bytes: %lld relayed, expected %lld", "HD"[from], "HD"[to], size,
            (long long)(t_link("relay_ops") + t_link("relay_served") - before),
            (long long)expected);
    t_free(t->rank ? to : from, buf);
}

/* More than there are records for, so that some find no room at first. */
static void t_many(t_ctx_t *t, t_kind_t from, t_kind_t to)
{
    size_t size = 300001;
    char *buf[COUNT];
    void *req[COUNT];

    for (int i = 0; i < COUNT; ++i) {
        buf[i] = t_alloc(t->rank ? to : from, size);
        if (t->rank == 0) {
            t_fill(from, buf[i], size, i);
            req[i] = t_send(t, t->ep, buf[i], size, i);
        } else {
            req[i] = t_recv(t, buf[i], size, i);
        }
    }
    for (int i = 0; i < COUNT; ++i) {
        t_wait(t, req[i]);
        if (t->rank == 1) {
            t_verify(to, buf[i], size, i, "one of many relayed messages");
        }
    }
    t_sync(t);
    for (int i = 0; i < COUNT; ++i) {
        t_free(t->rank ? to : from, buf[i]);
    }
}

static void t_relay(t_ctx_t *t)
{
    if (t_no_sim()) {
        t_skip("only the simulator counts copies");
    }
    t_load_module();
    t_acl_open(t);
    t_open(t, t->argc > 0);
    for (int variant = 0; variant < 4; ++variant) {
        t_kind_t from = (variant & 1) ? T_DEVICE : T_HOST;
        t_kind_t to = (variant & 2) ? T_DEVICE : T_HOST;

        for (size_t i = 0; i < sizeof(t_sizes) / sizeof(t_sizes[0]); ++i) {
            t_one(t, from, to, t_sizes[i], 0);
            t_one(t, from, to, t_sizes[i], 5 + i);
        }
        t_many(t, from, to);
    }
    t_close(t);
}

int main(int argc, char **argv)
{
    return t_pair(argc, argv, t_relay);
}
