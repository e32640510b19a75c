/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protects: frees never wait for a peer. Two processes free what the other has
 * pinned, at once, one of them stopped by SIGSTOP: the free returns at once,
 * the memory goes back when the peer goes on and lets go, or when it is killed.
 */
#include "tests/link/t_link.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SIZE ((size_t)8 << 20)

enum {
    PINNED,
    STOPPED,
    RELEASED,
    FREED,
    KILLED
};

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void share_both_ways(t_world_t *world, int me, void **mine, asc_link_import_t **import)
{
    *mine = t_alloc_filled(SIZE, (uint64_t)me);
    t_check(asc_link_export(*mine, SIZE, world->rkey[me]) == ASC_OK, "%s", asc_link_last_reason());
    world->value[me] = (uint64_t)*mine;
    t_barrier(world);
    *import = t_import(world->rkey[1 - me]);
    t_barrier(world);
}

static void free_at_once(void *mine)
{
    double start = now();

    t_check(asc_link_mem_free(mine) == ASC_OK, "free");
    /* a wait for the stopped process would last until the test's limit */
    t_check(now() - start < 5, "the free took %.1f s", now() - start);
    t_check(asc_link_mem_query(mine, 1, NULL) == ASC_LINK_MEM_BAD, "freed memory is still known");
}

static int role(t_world_t *world, int me)
{
    asc_link_import_t *import;
    void *mine, *local;
    size_t before, parked;

    t_join(world, me, me); /* on two devices, so that each sees its own memory */
    local = t_alloc_filled(4096, 9);
    before = t_free_memory();
    share_both_ways(world, me, &mine, &import);
    if (me == 1) {
        t_flag_await(&world->flag[STOPPED], 1); /* is stopped somewhere here */
        free_at_once(mine);
        atomic_store(&world->flag[FREED], 1);
        /* still pinned: the bytes must be there after the owner's free */
        t_get(import, world->value[0], local, 4096);
        t_expect(local, 4096, 0, 0);
        asc_link_import_release(import);
        t_barrier(world);
        t_counter_await("free_swept", 1);
        share_both_ways(world, me, &mine, &import);
        pause(); /* is killed here */
    }
    kill(world->pid[1], SIGSTOP);
    free_at_once(mine);
    parked = t_free_memory();
    t_check(parked <= before - SIZE, "memory that a peer uses went back to the runtime");
    for (int i = 0; i < 1000; i++) {
        asc_link_progress();
    }
    t_check(asc_link_counter("free_parked") == 1 && asc_link_counter("free_swept") == 0,
            "counters");
    atomic_store(&world->flag[STOPPED], 1);
    kill(world->pid[1], SIGCONT);
    t_flag_await(&world->flag[FREED], 1);
    asc_link_import_release(import);
    t_barrier(world);
    t_counter_await("free_swept", 1);
    t_check(t_free_memory() == before, "%zu bytes are missing", before - t_free_memory());

    share_both_ways(world, me, &mine, &import);
    kill(world->pid[1], SIGSTOP);
    free_at_once(mine);
    t_check(asc_link_counter("free_parked") == 2, "not parked");
    kill(world->pid[1], SIGKILL);
    t_counter_await("free_swept", 2);
    t_check(t_free_memory() == before, "%zu bytes are missing", before - t_free_memory());
    asc_link_import_release(import);
    asc_link_quiesce(1000);
    return 0;
}

int main(void)
{
    t_world_t *world;

    setenv("NPUSIM_DEVICES", "2", 1);
    world = t_world_start(2, role);
    t_wait_ok(world->pid[0]);
    t_check(t_wait(world->pid[1]) == 128 + SIGKILL, "the second process was to be killed");
    return T_PASS;
}
