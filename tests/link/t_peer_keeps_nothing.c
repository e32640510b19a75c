/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protects (P09): an import that no operation uses does not keep the owner's
 * memory: it can allocate, share and free again and again on a small device.
 */
#include "tests/link/t_link.h"

#include <stdlib.h>

#define SIZE   ((size_t)24 << 20)
#define ROUNDS 30

static int role(t_world_t *world, int me)
{
    t_join(world, me, 0);
    for (int round = 0; round < ROUNDS; round++) {
        if (me == 0) {
            void *mine = NULL;

            t_check(asc_link_mem_alloc(SIZE, &mine) == ASC_OK, "out of memory in round %d", round);
            t_check(asc_link_export(mine, SIZE, world->rkey[0]) == ASC_OK, "export");
            world->value[0] = (uint64_t)mine;
            t_barrier(world);
            t_barrier(world);
            t_check(asc_link_mem_free(mine) == ASC_OK, "free");
        } else {
            void *local = NULL;
            asc_link_import_t *import;

            t_check(asc_link_mem_alloc(4096, &local) == ASC_OK, "local");
            t_barrier(world);
            import = t_import(world->rkey[0]);
            t_get(import, world->value[0] + SIZE - 4096, local, 4096);
            asc_link_import_release(import);
            t_barrier(world);
            t_check(asc_link_mem_free(local) == ASC_OK, "free");
        }
    }
    if (me == 0) {
        t_check(asc_link_counter("free_parked") == 0, "%lld frees waited for an idle import",
                (long long)asc_link_counter("free_parked"));
        t_check(t_counter("ipc.mem.close") == ROUNDS, "%llu of %d keys were closed",
                (unsigned long long)t_counter("ipc.mem.close"), ROUNDS);
    }
    t_barrier(world);
    asc_link_quiesce(5000);
    return 0;
}

int main(void)
{
    setenv("NPUSIM_HBM", "64M", 1);
    t_world_run(2, role);
    return T_PASS;
}
