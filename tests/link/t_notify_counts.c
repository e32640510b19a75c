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

typedef struct side {
    t_world_t *world;
    int me, other;
    void *mine, *local;
    asc_link_import_t *import;
} side_t;

static void share(side_t *s)
{
    t_barrier(s->world);
    t_check(asc_link_export(s->mine, SIZE, s->world->rkey[s->me]) == ASC_OK, "%s",
            asc_link_last_reason());
    t_barrier(s->world);
    s->import = t_import(s->world->rkey[s->other]);
}

static void get(side_t *s)
{
    t_get(s->import, s->world->value[s->other], s->local, SIZE);
}

static uint64_t records_of(const side_t *s, int rank)
{
    return s->world->value[10 + rank];
}

static void close_and_compare(side_t *s)
{
    asc_link_import_release(s->import);
    t_barrier(s->world); /* the other one needs this one's export up to here */
    asc_link_quiesce(10000);
    s->world->value[10 + s->me] = (uint64_t)asc_link_counter("notify_record");
    t_barrier(s->world);
    t_check(asc_link_counter("notify_consumed") == (int64_t)records_of(s, s->other),
            "consumed %lld of %llu records", (long long)asc_link_counter("notify_consumed"),
            (unsigned long long)records_of(s, s->other));
}

static void many_at_once(side_t *s)
{
    const struct timespec pause = {.tv_nsec = 100000};
    int64_t rounds;

    share(s);
    /* on a busy machine the other one may not get to its first wait for long */
    for (rounds = 0; rounds < ROUNDS || asc_link_counter("notify_record") < 2; rounds++) {
        get(s);
        for (int i = 0; i < 200; i++) {
            asc_link_progress();
        }
        nanosleep(&pause, NULL); /* time for the other one to consume a record */
    }
    t_expect(s->local, SIZE, (uint64_t)s->other, 0);
    close_and_compare(s);
    t_check(asc_link_counter("notify_record") + asc_link_counter("notify_skipped") <= rounds,
            "more records than copies");
    t_check(asc_link_counter("notify_timeout") == 0, "a wait ran out");
}

static void all_anew_after_a_close(side_t *s)
{
    share(s);
    get(s);
    t_expect(s->local, SIZE, (uint64_t)s->other, 0);
    close_and_compare(s);
}

/* a cached export that was held through the close gets its notify back */
static void held_through_a_close(side_t *s)
{
    int64_t records, hits;

    share(s);
    t_barrier(s->world);
    asc_link_quiesce(1000);
    records = asc_link_counter("notify_record");
    hits = asc_link_counter("export_hit");
    t_barrier(s->world);
    t_check(asc_link_export(s->mine, SIZE, s->world->rkey[s->me]) == ASC_OK, "%s",
            asc_link_last_reason());
    t_check(asc_link_counter("export_hit") == hits + 1, "not the export that was held");
    t_barrier(s->world);
    get(s);
    t_check(asc_link_counter("notify_record") == records + 1, "no record after the close");
}

static void none_for_one_that_closes(side_t *s)
{
    const int64_t records = asc_link_counter("notify_record");

    t_barrier(s->world);
    t_counter_await("notify_consumed", (int64_t)records_of(s, s->other) + 1);
    atomic_store(&t_own_board()->closing, 1);
    t_barrier(s->world);
    get(s);
    t_check(asc_link_counter("notify_record") == records, "a record after the last look");
    t_barrier(s->world);
    asc_link_import_release(s->import);
    t_barrier(s->world);
    asc_link_quiesce(10000);
}

static int role(t_world_t *world, int me)
{
    side_t side = {.world = world, .me = me, .other = 1 - me};

    t_join(world, me, 0);
    side.mine = t_alloc_filled(SIZE, (uint64_t)me);
    side.local = t_alloc_filled(SIZE, 9);
    world->value[me] = (uint64_t)side.mine;
    many_at_once(&side);
    all_anew_after_a_close(&side);
    held_through_a_close(&side);
    none_for_one_that_closes(&side);
    return 0;
}

int main(void)
{
    t_world_run(2, role);
    return T_PASS;
}
