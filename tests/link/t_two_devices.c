/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protects (P37): owner and importer on different devices, a local buffer on a
 * device that is not the importer's home, and the process as its own peer.
 */
#include "tests/link/t_link.h"

#include <stdlib.h>

#define SIZE (((size_t)9 << 20) + 17)

static int role(t_world_t *world, int me)
{
    asc_link_import_t *import;
    void *mine, *local;
    uint64_t live;

    t_join(world, me, me);
    if (me == 0) {
        mine = t_alloc_filled(SIZE, 1);
        world->value[0] = (uint64_t)mine;
        t_check(asc_link_export(mine, SIZE, world->rkey[0]) == ASC_OK, "%s",
                asc_link_last_reason());
        t_barrier(world);
        t_barrier(world);
        t_expect(mine, SIZE, 7, 0);
        /* itself as a peer: the same calls, no import by the driver */
        local = t_alloc_filled(SIZE, 8);
        import = t_import(world->rkey[0]);
        t_check(asc_link_peer_is_self(asc_link_import_owner(import)), "not itself");
        t_get(import, world->value[0], local, SIZE);
        t_expect(local, SIZE, 7, 0);
        asc_link_import_release(import);
    } else {
        t_barrier(world);
        import = t_import(world->rkey[0]);
        local = t_alloc_filled(SIZE, 2);
        t_get(import, world->value[0], local, SIZE);
        t_expect(local, SIZE, 1, 0);
        t_check(asc_link_counter("get_bounced") == 0, "bounced without need");
        t_device(2);
        mine = t_dev_alloc(SIZE);
        t_refill(mine, SIZE, 3);
        live = t_counter("live.bytes");
        t_get(import, world->value[0], mine, SIZE);
        t_expect(mine, SIZE, 1, 0);
        t_refill(mine, SIZE, 7);
        t_put(import, world->value[0], mine, SIZE);
        t_check(t_counter("live.bytes") == live, "memory of the bounce is kept");
        t_check(asc_link_counter("get_bounced") == 2, "did not bounce");
        asc_link_import_release(import);
        t_barrier(world);
    }
    t_barrier(world);
    asc_link_quiesce(5000);
    return 0;
}

int main(void)
{
    setenv("NPUSIM_DEVICES", "3", 1);
    t_world_run(2, role);
    return T_PASS;
}
