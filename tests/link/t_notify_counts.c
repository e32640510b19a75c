/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protects: every record that an importer makes on an owner's notify is
 * consumed by the owner, never a second one onto a set bit, both ways at once;
 * at close the two counts are equal.
 */
#include "tests/link/t_link.h"

#include "link/board.h"

#include <time.h>

#define SIZE   65536
#define ROUNDS 400

static int role(t_world_t *world, int me)
{
    const struct timespec pause = {.tv_nsec = 100000};
    asc_link_import_t *import;
    void *mine, *local;
    int64_t records, hits, rounds;

    t_join(world, me, 0);
    mine = t_alloc_filled(SIZE, (uint64_t)me);
    local = t_alloc_filled(SIZE, 9);
    world->value[me] = (uint64_t)mine;
    t_check(asc_link_export(mine, SIZE, world->rkey[me]) == ASC_OK, "%s", asc_link_last_reason());
    t_barrier(world);
    import = t_import(world->rkey[1 - me]);
    /* on a busy machine the other one may not get to its first wait for long */
    for (rounds = 0; rounds < ROUNDS || asc_link_counter("notify_record") < 2; rounds++) {
        t_get(import, world->value[1 - me], local, SIZE);
        for (int i = 0; i < 200; i++) {
            asc_link_progress();
        }
        nanosleep(&pause, NULL); /* time for the other one to consume a record */
    }
    t_expect(local, SIZE, (uint64_t)(1 - me), 0);
    asc_link_import_release(import);
    t_barrier(world); /* the other one needs this one's export up to here */
    asc_link_quiesce(10000);
    world->value[10 + me] = (uint64_t)asc_link_counter("notify_record");
    t_barrier(world);
    t_check(asc_link_counter("notify_consumed") == (int64_t)world->value[10 + (1 - me)],
            "consumed %lld of %llu records", (long long)asc_link_counter("notify_consumed"),
            (unsigned long long)world->value[10 + (1 - me)]);
    t_check(asc_link_counter("notify_record") + asc_link_counter("notify_skipped") <= rounds,
            "more records than copies");
    t_check(asc_link_counter("notify_timeout") == 0, "a wait ran out");

    /* after a close everything is made anew */
    t_barrier(world);
    t_check(asc_link_export(mine, SIZE, world->rkey[me]) == ASC_OK, "%s", asc_link_last_reason());
    t_barrier(world);
    import = t_import(world->rkey[1 - me]);
    t_get(import, world->value[1 - me], local, SIZE);
    t_expect(local, SIZE, (uint64_t)(1 - me), 0);
    asc_link_import_release(import);
    t_barrier(world);
    asc_link_quiesce(10000);
    world->value[10 + me] = (uint64_t)asc_link_counter("notify_record");
    t_barrier(world);
    t_check(asc_link_counter("notify_consumed") == (int64_t)world->value[10 + (1 - me)],
            "consumed %lld of %llu records after the second close",
            (long long)asc_link_counter("notify_consumed"),
            (unsigned long long)world->value[10 + (1 - me)]);

    /* a cached export that was held through the close gets its notify back */
    t_barrier(world);
    t_check(asc_link_export(mine, SIZE, world->rkey[me]) == ASC_OK, "%s", asc_link_last_reason());
    t_barrier(world);
    import = t_import(world->rkey[1 - me]);
    t_barrier(world);
    asc_link_quiesce(1000);
    records = asc_link_counter("notify_record");
    hits = asc_link_counter("export_hit");
    t_barrier(world);
    t_check(asc_link_export(mine, SIZE, world->rkey[me]) == ASC_OK, "%s", asc_link_last_reason());
    t_check(asc_link_counter("export_hit") == hits + 1, "not the export that was held");
    t_barrier(world);
    t_get(import, world->value[1 - me], local, SIZE);
    t_check(asc_link_counter("notify_record") == records + 1, "no record after the close");

    /* none for a process that has begun to close and counts what is coming */
    t_barrier(world);
    t_counter_await("notify_consumed", (int64_t)world->value[10 + (1 - me)] + 1);
    atomic_store(&t_own_board()->closing, 1);
    t_barrier(world);
    t_get(import, world->value[1 - me], local, SIZE);
    t_check(asc_link_counter("notify_record") == records + 1, "a record after the last look");
    t_barrier(world);
    asc_link_import_release(import);
    t_barrier(world);
    asc_link_quiesce(10000);
    return 0;
}

int main(void)
{
    t_world_run(2, role);
    return T_PASS;
}
