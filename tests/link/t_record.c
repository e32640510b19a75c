/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * P68: what becomes of the records behind an importer's copies. Lost: the owner
 * waits for its timeout, not longer, says which process it was and goes by the
 * board from then on. Late: nothing is said, and it is consumed. Lost with a copy
 * that failed: the importer knows, makes the copy again and says so on its board;
 * the owner neither waits nor complains and offers another notify.
 */
#include "tests/link/t_link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SIZE ((size_t)64 << 10)

static const struct {
    const char *name, *plan;
    int64_t timeouts, consumed; /* of two copies, as the owner counts */
} variants[] = {
    {"lost", "notify:1=lost", 1, 0},
    {"late", "notify:1=late/300ms", 0, 2},
    {"failed", "copy:1=507053", 0, 1},
};
static unsigned variant;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void importer(t_world_t *world)
{
    void *local = t_alloc_filled(SIZE, 9);
    asc_link_import_t *import;

    t_barrier(world);
    for (int copy = 0; copy < 2; copy++) {
        import = t_import(world->rkey[copy]);
        t_get(import, world->value[0], local, SIZE);
        t_expect(local, SIZE, 5, 0);
        t_refill(local, SIZE, 9);
        asc_link_import_release(import);
        t_barrier(world); /* the owner has waited for what there was */
        t_barrier(world);
    }
    asc_link_quiesce(1000);
}

static void owner(t_world_t *world)
{
    void *mine = t_alloc_filled(SIZE, 5);
    int64_t timeouts = variants[variant].timeouts;
    const char *text;
    char name[64];
    double start;

    world->value[0] = (uint64_t)mine;
    t_check(asc_link_export(mine, SIZE, world->rkey[0]) == ASC_OK, "%s", asc_link_last_reason());
    t_messages_begin();
    t_barrier(world);
    for (int copy = 0; copy < 2; copy++) {
        t_barrier(world);
        start = now();
        while (now() - start < 2) {
            asc_link_progress();
        }
        /* the importer tells if it is of no use */
        (void)asc_link_export(mine, SIZE, world->rkey[1]);
        t_barrier(world);
    }
    start = now();
    asc_link_quiesce(10000);
    text = t_messages();
    t_messages_end();
    t_check(now() - start < 5, "closing waited %.1f s", now() - start);
    snprintf(name, sizeof(name), "process %d ", (int)world->pid[1]);
    t_check(t_occurs(text, "\n") == (int)timeouts, "%s: %s", variants[variant].name, text);
    t_check(timeouts == 0 || strstr(text, name) != NULL, "no %s in %s", name, text);
    t_check(asc_link_counter("notify_timeout") == timeouts, "%s: %lld timeouts",
            variants[variant].name, (long long)asc_link_counter("notify_timeout"));
    t_check(asc_link_counter("notify_consumed") == variants[variant].consumed, "%s: consumed %lld",
            variants[variant].name, (long long)asc_link_counter("notify_consumed"));
    t_check(asc_link_mem_free(mine) == ASC_OK, "free");
    t_counter_await("free_swept", asc_link_counter("free_parked"));
}

static int role(t_world_t *world, int me)
{
    if (me == 1) {
        setenv("NPUSIM_FAULT", variants[variant].plan, 1);
    }
    t_join(world, me, 0);
    (me == 0 ? owner : importer)(world);
    return 0;
}

int main(void)
{
    setenv("ASCEND_NOTIFY_TIMEOUT", "1", 1);
    for (variant = 0; variant < sizeof(variants) / sizeof(variants[0]); variant++) {
        t_world_run(2, role);
    }
    return T_PASS;
}
