/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protects: with ASCEND_FREE_ORDER=importers-first memory that a peer has open
 * without using it is kept until the peer has closed it, yet not for ever when
 * the peer does nothing; with owner-first it goes back at once.
 */
#include "tests/link/t_link.h"

#include <sched.h>
#include <stdlib.h>

#define SIZE ((size_t)4 << 20)

enum {
    CLOSED,
    IDLE
};

static bool importers_first;

static void owner(t_world_t *world)
{
    size_t before = t_free_memory();
    void *mine;

    for (int round = 0; round < 2; round++) {
        mine = t_alloc_filled(SIZE, 1);
        t_check(asc_link_export(mine, SIZE, world->rkey[0]) == ASC_OK, "%s",
                asc_link_last_reason());
        t_barrier(world);
        t_barrier(world); /* imported and let go */
        t_check(asc_link_mem_free(mine) == ASC_OK, "free");
        t_check(asc_link_counter("free_parked") == (importers_first ? round + 1 : 0),
                "%lld frees were put off", (long long)asc_link_counter("free_parked"));
        if (!importers_first) {
            t_check(t_free_memory() == before, "memory that nobody uses is still there");
        } else if (round == 0) {
            t_check(t_free_memory() <= before - SIZE, "memory went back before the peer closed it");
        }
        atomic_store(&world->flag[CLOSED], round + 1);
        t_counter_await("free_swept", importers_first ? round + 1 : 0);
        t_check(t_free_memory() == before, "memory is missing");
        atomic_store(&world->flag[IDLE], round + 1);
        t_barrier(world);
    }
}

static void importer(t_world_t *world)
{
    for (int round = 0; round < 2; round++) {
        asc_link_import_t *import;

        t_barrier(world);
        import = t_import(world->rkey[0]);
        asc_link_import_release(import);
        t_barrier(world);
        while (round == 0 && atomic_load(&world->flag[CLOSED]) == 0) {
            sched_yield();
        }
        if (round == 0) {
            t_counter_await("import_closed", 1);
        } else {
            /* without a call into the library */
            while (atomic_load(&world->flag[IDLE]) <= round) {
                sched_yield();
            }
        }
        t_barrier(world);
    }
}

static int role(t_world_t *world, int me)
{
    t_join(world, me, me);
    (me == 0 ? owner : importer)(world);
    asc_link_quiesce(1000);
    return 0;
}

int main(void)
{
    setenv("NPUSIM_DEVICES", "2", 1);
    t_world_run(2, role);
    setenv("ASCEND_FREE_ORDER", "importers-first", 1);
    importers_first = true;
    t_world_run(2, role);
    return T_PASS;
}
