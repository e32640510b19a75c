/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * P47, P48: each pair of devices takes the way that its own link deserves.
 * t_links.sh gives the links: the direct copy where it is fast, the host, with both
 * processes copying, where the direct one would be slower, both ways and with no
 * word about it. The devices are numbered alike, or rank 1 sees only its own.
 *
 * usage: t_links DEVICE OTHER direct|host [masked]
 */
#include "t_ucx.h"

#define SIZE   (((size_t)1 << 20) + 7)
#define ROUNDS 4

static int t_device[2], t_direct, t_masked;

static void t_open_device(t_ctx_t *t)
{
    int device = t_device[t->rank];
    char mask[16];

    if (t_masked && t->rank == 1) {
        snprintf(mask, sizeof(mask), "%d", device);
        setenv("ASCEND_RT_VISIBLE_DEVICES", mask, 1);
        device = 0;
    }
    T_ACL(aclInit(NULL));
    T_ACL(aclrtSetDevice(device));
}

static void t_links(t_ctx_t *t)
{
    const char *way = t_direct ? "get_ops" : "relay_ops";
    const char *other = t_direct ? "relay_ops" : "get_ops";
    void *buf;

    t_open_device(t);
    t_load_module();
    t_open(t, 0);
    buf = t_alloc(T_DEVICE, SIZE);
    for (int i = 0; i < 2 * ROUNDS; ++i) {
        if (t->rank == i % 2) {
            t_fill(T_DEVICE, buf, SIZE, i);
            t_wait(t, t_send(t, t->ep, buf, SIZE, i));
        } else {
            t_poison(T_DEVICE, buf, SIZE);
            t_wait(t, t_recv(t, buf, SIZE, i));
            t_verify(T_DEVICE, buf, SIZE, i, way);
        }
        t_sync(t);
    }
    T_CHECK(t_link(way) == ROUNDS && t_link(other) == 0, "%lld %s, %lld %s", (long long)t_link(way),
            way, (long long)t_link(other), other);
    t_free(T_DEVICE, buf);
    t_close(t);
}

int main(int argc, char **argv)
{
    int at = (argc > 1 && !strcmp(argv[1], "--rank1")) ? 3 : 1;

    if (argc - at < 3) {
        t_skip("usage: t_links DEVICE OTHER direct|host [masked]");
    }
    t_device[0] = atoi(argv[at]);
    t_device[1] = atoi(argv[at + 1]);
    t_direct = !strcmp(argv[at + 2], "direct");
    t_masked = argc - at > 3;
    return t_pair(argc, argv, t_links);
}
