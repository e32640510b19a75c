/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protects: an import may be released while its copy is under way; the owner
 * that frees then learns from the notify alone that the copy has ended,
 * although the importer's host does nothing any more.
 */
#include "tests/link/t_link.h"

#include <sched.h>
#include <stdlib.h>

#define SIZE   ((size_t)256 << 10)
#define ROUNDS 100

static int role(t_world_t *world, int me)
{
    void *mine;

    t_join(world, me, 0);
    if (me == 0) {
        for (int round = 0; round < ROUNDS; round++) {
            /* a record is made only when the one before was consumed */
            t_counter_await("notify_consumed", round);
            mine = t_alloc_filled(SIZE, (uint64_t)round);
            world->value[0] = (uint64_t)mine;
            t_check(asc_link_export(mine, SIZE, world->rkey[0]) == ASC_OK, "%s",
                    asc_link_last_reason());
            t_barrier(world);
            t_flag_await(&world->flag[0], round + 1); /* posted, released */
            t_check(asc_link_mem_free(mine) == ASC_OK, "free");
            t_counter_await("free_swept", asc_link_counter("free_parked"));
            atomic_store(&world->flag[1], round + 1);
            t_barrier(world);
        }
        t_check(asc_link_counter("free_parked") > 0, "no free met a posted copy");
    } else {
        int pending = 0;

        mine = t_alloc_filled(SIZE, 77);
        for (int round = 0; round < ROUNDS; round++) {
            asc_link_import_t *import;
            asc_link_op_t op;
            asc_status_t status;

            t_barrier(world);
            import = t_import(world->rkey[0]);
            status = asc_link_get(import, world->value[0], mine, SIZE, &op);
            t_check(status >= 0, "get: %s", asc_status_text(status));
            pending += status == ASC_INPROGRESS;
            asc_link_import_release(import);
            atomic_store(&world->flag[0], round + 1);
            while (atomic_load(&world->flag[1]) <= round) {
                sched_yield(); /* no progress: the host is busy elsewhere */
            }
            t_check(t_op_end(status, &op) == ASC_OK, "the copy failed");
            t_expect(mine, SIZE, (uint64_t)round, 0);
            t_barrier(world);
        }
        t_check(pending > 0, "no copy was under way at any release");
        t_counter_await("import_closed", ROUNDS); /* also those released before their end */
    }
    t_barrier(world);
    asc_link_quiesce(5000);
    return 0;
}

int main(void)
{
    /* copies are not always over when the call returns */
    setenv("NPUSIM_ASYNC", "random", 1);
    t_world_run(2, role);
    return T_PASS;
}
