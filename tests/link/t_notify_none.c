/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protects: when there are not enough notifies, because of ASCEND_NOTIFY_MAX or
 * because the device has none left, copies and frees work all the same, by the
 * board alone, and nobody is told of an error.
 */
#include "tests/link/t_link.h"

#include <stdlib.h>

#define SIZE   ((size_t)256 << 10)
#define ROUNDS 20

static int with_notify; /* importers that have one */

static void owner(t_world_t *world)
{
    for (int round = 0; round < ROUNDS; round++) {
        void *mine = t_alloc_filled(SIZE, (uint64_t)round);

        world->value[0] = (uint64_t)mine;
        t_check(asc_link_export(mine, SIZE, world->rkey[0]) == ASC_OK, "%s",
                asc_link_last_reason());
        t_barrier(world);
        t_flag_await(&world->flag[0], 2 * (round + 1)); /* copies posted, imports released */
        t_check(asc_link_mem_free(mine) == ASC_OK, "free");
        t_counter_await("free_swept", asc_link_counter("free_parked"));
        t_barrier(world);
    }
}

static void importer(t_world_t *world)
{
    void *local = t_alloc_filled(SIZE, 77);

    for (int round = 0; round < ROUNDS; round++) {
        asc_link_import_t *import;
        asc_link_op_t op;
        asc_status_t status;

        t_barrier(world);
        import = t_import(world->rkey[0]);
        status = asc_link_get(import, world->value[0], local, SIZE, &op);
        asc_link_import_release(import);
        atomic_fetch_add(&world->flag[0], 1);
        t_check(t_op_end(status, &op) == ASC_OK, "the copy failed");
        t_expect(local, SIZE, (uint64_t)round, 0);
        t_barrier(world);
    }
}

static int role(t_world_t *world, int me)
{
    t_join(world, me, 0);
    (me == 0 ? owner : importer)(world);
    world->value[10 + me] = asc_link_counter("notify_record") > 0;
    t_barrier(world);
    t_check(world->value[11] + world->value[12] == (uint64_t)with_notify,
            "%llu and %llu of the importers recorded, not %d", (unsigned long long)world->value[11],
            (unsigned long long)world->value[12], with_notify);
    asc_link_quiesce(5000);
    t_barrier(world);
    t_check(asc_link_counter("notify_timeout") == 0, "a wait ran out");
    return 0;
}

int main(void)
{
    setenv("NPUSIM_ASYNC", "random", 1);
    setenv("ASCEND_NOTIFY_MAX", "0", 1);
    t_world_run_silent(3, role);
    setenv("ASCEND_NOTIFY_MAX", "1", 1);
    with_notify = 1;
    t_world_run_silent(3, role);
    unsetenv("ASCEND_NOTIFY_MAX");
    setenv("NPUSIM_MAX_NOTIFY", "1", 1);
    t_world_run_silent(3, role);
    return T_PASS;
}
