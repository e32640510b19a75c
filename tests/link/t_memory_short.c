/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protects: freed memory that a peer still used is looked at again when an
 * allocation finds no memory, at once and not at the next sweep: a program
 * that fits its device without us fits it with us. While the peer really uses
 * it, the allocation is refused, and that is said after five seconds.
 *
 * Sweeps are a millisecond apart. The test stands before the clock and stops it
 * from the last sweep to the allocation, which so has only its own to help it.
 */
#define _GNU_SOURCE 1

#include "tests/link/t_link.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SIZE   ((size_t)40 << 20)
#define ROUNDS 20

static atomic_bool stopped;

__attribute__((visibility("default"))) int clock_gettime(clockid_t id, struct timespec *now)
{
    static _Atomic int64_t last_ns;
    int64_t ns = atomic_load(&last_ns);

    if (id == CLOCK_MONOTONIC && atomic_load(&stopped)) {
        now->tv_sec = ns / 1000000000;
        now->tv_nsec = ns % 1000000000;
        return 0;
    }
    if (syscall(SYS_clock_gettime, id, now) != 0) {
        return -1;
    }
    if (id == CLOCK_MONOTONIC) {
        atomic_store(&last_ns, now->tv_sec * (int64_t)1000000000 + now->tv_nsec);
    }
    return 0;
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void owner(t_world_t *world)
{
    double start;
    const char *text;
    char name[64];
    void *mine = NULL, *none = NULL;

    for (int round = 0; round <= ROUNDS; round++) {
        t_check(asc_link_mem_alloc(SIZE, &mine) == ASC_OK,
                "round %d: no memory although the peer "
                "has let go of it",
                round);
        atomic_store(&stopped, false);
        t_check(asc_link_export(mine, SIZE, world->rkey[0]) == ASC_OK, "%s",
                asc_link_last_reason());
        t_barrier(world);
        t_flag_await(&world->flag[0], round + 1); /* in use */
        t_check(asc_link_mem_free(mine) == ASC_OK, "free");
        t_check(asc_link_counter("free_parked") == round + 1, "not parked");
        atomic_store(&stopped, round < ROUNDS);
        t_check(asc_link_mem_alloc(SIZE, &none) == ASC_ERR_NO_MEMORY, "memory twice");
        if (round == ROUNDS) {
            break;
        }
        atomic_store(&world->flag[1], round + 1);
        while (atomic_load(&world->flag[2]) <= round) {
            sched_yield();
        }
    }
    t_messages_begin();
    for (start = now(); now() - start < 6; sched_yield()) {
        asc_link_progress();
    }
    text = t_messages();
    t_messages_end();
    snprintf(name, sizeof(name), "process %d ", (int)world->pid[1]);
    t_check(t_occurs(text, "\n") == 1 && strstr(text, name) != NULL &&
                strstr(text, "freed") != NULL,
            "expected one message about %s: %s", name, text);
    atomic_store(&world->flag[1], ROUNDS + 1);
    t_counter_await("free_swept", ROUNDS + 1);
}

static void importer(t_world_t *world)
{
    for (int round = 0; round <= ROUNDS; round++) {
        asc_link_import_t *import;

        t_barrier(world);
        import = t_import(world->rkey[0]);
        atomic_store(&world->flag[0], round + 1);
        t_flag_await(&world->flag[1], round + 1);
        asc_link_import_release(import);
        atomic_store(&world->flag[2], round + 1);
    }
}

static int role(t_world_t *world, int me)
{
    t_join(world, me, me);
    (me == 0 ? owner : importer)(world);
    t_barrier(world);
    asc_link_quiesce(1000);
    return 0;
}

int main(void)
{
    setenv("NPUSIM_DEVICES", "2", 1);
    setenv("NPUSIM_HBM", "64M", 1);
    t_world_run(2, role);
    return T_PASS;
}
