/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protects: reads and writes of a peer's memory are right for every size and
 * offset, stay inside the allocation, and refuse what lies outside.
 */
#include "tests/link/t_link.h"

#define SIZE ((size_t)3 << 20)

static const size_t lens[] = {1, 3, 64, 255, 4096, 4097, 65536, 1 << 20, (2 << 20) + 13};
static const size_t offs[] = {0, 1, 63, 64, 4095, 65537, 999999};

static void copies(asc_link_import_t *import, uint64_t base)
{
    void *local = t_alloc_filled(SIZE, 2);

    for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
        for (size_t j = 0; j < sizeof(offs) / sizeof(offs[0]); j++) {
            size_t len = lens[i], at = offs[j];

            if (len + at > SIZE) {
                continue;
            }
            t_get(import, base + at, (char *)local + at, len);
            t_expect((char *)local + at, len, 1, at);
            if (at > 0) {
                t_expect((char *)local + at - 1, 1, 2, at - 1);
            }
            if (at + len < SIZE) {
                t_expect((char *)local + at + len, 1, 2, at + len);
            }
            t_refill(local, SIZE, 2);
        }
    }
    t_check(asc_link_mem_free(local) == ASC_OK, "free");
}

static void refusals(asc_link_import_t *import, uint64_t base)
{
    void *local = t_alloc_filled(4096, 3);
    char host[64];
    asc_link_op_t op;

    t_check(asc_link_get(import, base + SIZE, local, 0, &op) == ASC_OK, "empty get at the end");
    t_check(asc_link_get(import, base + SIZE - 1, local, 2, &op) == ASC_ERR_INVALID, "overrun");
    t_check(asc_link_get(import, base - 1, local, 1, &op) == ASC_ERR_INVALID, "underrun");
    t_check(asc_link_put(import, base + 1, local, SIZE_MAX, &op) == ASC_ERR_INVALID, "wrapped");
    t_check(asc_link_get(import, base, host, sizeof(host), &op) == ASC_ERR_INVALID,
            "host memory as the local side");
    t_expect(local, 4096, 3, 0);
    t_check(asc_link_mem_free(local) == ASC_OK, "free");
}

static int role(t_world_t *world, int me)
{
    asc_link_import_t *import;
    void *mine;

    t_join(world, me, 0);
    if (me == 0) {
        mine = t_alloc_filled(SIZE, 1);
        world->value[0] = (uint64_t)mine;
        t_check(asc_link_export((char *)mine + 12345, 10, world->rkey[0]) == ASC_OK, "%s",
                asc_link_last_reason());
        t_barrier(world);
        t_barrier(world); /* the peer has written */
        t_expect(mine, 1000, 1, 0);
        t_expect((char *)mine + 1000, SIZE - 2000, 7, 0);
        t_expect((char *)mine + SIZE - 1000, 1000, 1, SIZE - 1000);
    } else {
        t_barrier(world);
        import = t_import(world->rkey[0]);
        t_check(asc_link_import_owner(import) == t_peer(world, 0), "wrong owner");
        copies(import, world->value[0]);
        refusals(import, world->value[0]);
        mine = t_alloc_filled(SIZE, 7);
        t_put(import, world->value[0] + 1000, mine, SIZE - 2000);
        asc_link_import_release(import);
        t_check(asc_link_counter("get_ops") > 40 && asc_link_counter("put_ops") == 1, "counters");
        t_check(asc_link_counter("get_bounced") == 0, "one device needs no bounce");
        t_barrier(world);
    }
    t_barrier(world);
    asc_link_quiesce(5000);
    return 0;
}

int main(void)
{
    t_world_run(2, role);
    return T_PASS;
}
