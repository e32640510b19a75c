/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protects (P01): after free and malloc at the same address the old key is
 * refused and the new one reads the new bytes, thousands of times over.
 */
#include "tests/link/t_link.h"

#include <stdlib.h>
#include <string.h>

#define ROUNDS 3000
#define SIZE   8192

static void owner(t_world_t *world)
{
    int again = 0;
    void *last = NULL;

    for (int round = 0; round < ROUNDS; round++) {
        void *mine = t_alloc_filled(SIZE, (uint64_t)round);

        again += mine == last;
        last = mine;
        world->value[0] = (uint64_t)mine;
        memcpy(world->rkey[1], world->rkey[0], ASC_LINK_RKEY_SIZE);
        t_check(asc_link_export(mine, SIZE, world->rkey[0]) == ASC_OK, "%s",
                asc_link_last_reason());
        atomic_store(&world->flag[0], round + 1);
        t_flag_await(&world->flag[1], round + 1);
        t_check(asc_link_mem_free(mine) == ASC_OK, "free");
    }
    t_check(again > ROUNDS / 2, "the address came back %d times only: nothing was tested", again);
}

static void importer(t_world_t *world)
{
    void *local = t_alloc_filled(SIZE, 0);

    for (int round = 0; round < ROUNDS; round++) {
        asc_link_import_t *import = NULL;

        t_flag_await(&world->flag[0], round + 1);
        if (round > 0) {
            t_check(asc_link_import(world->rkey[1], ASC_LINK_RKEY_SIZE, &import) ==
                        ASC_ERR_UNREACHABLE,
                    "round %d: the key of freed memory was accepted", round);
        }
        import = t_import(world->rkey[0]);
        t_get(import, world->value[0], local, SIZE);
        asc_link_import_release(import);
        t_expect(local, SIZE, (uint64_t)round, 0);
        atomic_store(&world->flag[1], round + 1);
    }
    for (int i = 0; i < 1000; i++) {
        asc_link_progress();
    }
    t_check(asc_link_counter("import_closed") >= ROUNDS - 2, "dead imports are kept: %lld closed",
            (long long)asc_link_counter("import_closed"));
}

static int role(t_world_t *world, int me)
{
    t_join(world, me, 0);
    (me == 0 ? owner : importer)(world);
    t_barrier(world);
    asc_link_quiesce(5000);
    return 0;
}

int main(void)
{
    setenv("NPUSIM_VA_RECYCLE", "y", 1);
    t_world_run(2, role);
    return T_PASS;
}
