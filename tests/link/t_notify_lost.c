/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protects: a peer that announces a copy on the owner's notify and is then
 * stopped or killed before it records costs the owner one message with the
 * process's number, not a hang; the pair goes on by the board.
 */
#include "tests/link/t_link.h"

#include "link/board.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SIZE ((size_t)64 << 10)

static enum {
    STOPPED,
    KILLED,
    COMING
} ending;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void announce(void)
{
    link_board_t *board = t_own_board();
    link_board_row_t *row = &board->rows[0]; /* the only other process */
    uint64_t word = atomic_load(&row->recorded);

    /* one more than there is: as if the device had not got there yet; or, the
     * low bit, as if the call that enqueues the record had not returned */
    atomic_store(&row->recorded, ending == COMING ? word | 1 : word + 2);
}

static void importer(t_world_t *world)
{
    void *local = t_alloc_filled(SIZE, 9);
    asc_link_import_t *import;

    t_barrier(world);
    import = t_import(world->rkey[0]);
    t_get(import, world->value[0], local, SIZE);
    t_expect(local, SIZE, 5, 0);
    t_barrier(world);
    t_barrier(world); /* the owner has waited for what there was */
    announce();
    atomic_store(&world->flag[0], 1);
    if (ending != STOPPED) {
        pause(); /* is killed here */
    }
    t_flag_await(&world->flag[1], 1);
    t_refill(local, SIZE, 9);
    t_get(import, world->value[0], local, SIZE);
    t_expect(local, SIZE, 5, 0);
    asc_link_import_release(import);
    asc_link_quiesce(1000);
    atomic_store(&world->flag[2], 1);
}

static void owner(t_world_t *world)
{
    void *mine = t_alloc_filled(SIZE, 5);
    const char *text;
    char name[64];
    double start;
    bool late;

    world->value[0] = (uint64_t)mine;
    t_check(asc_link_export(mine, SIZE, world->rkey[0]) == ASC_OK, "%s", asc_link_last_reason());
    t_barrier(world);
    t_barrier(world);
    t_counter_await("notify_consumed", 1);
    t_barrier(world);
    t_flag_await(&world->flag[0], 1);
    kill(world->pid[1], ending == STOPPED ? SIGSTOP : SIGKILL);
    t_messages_begin();
    start = now();
    while (ending != COMING && asc_link_counter("notify_timeout") == 0 && now() - start < 15) {
        asc_link_progress();
    }
    if (ending == COMING) {
        asc_link_quiesce(15000);
    }
    late = now() - start >= 15;
    text = t_messages();
    t_messages_end();
    t_check(!late, "the wait for a process that is gone has not ended");
    snprintf(name, sizeof(name), "process %d ", (int)world->pid[1]);
    t_check(t_occurs(text, "\n") == (ending == COMING ? 0 : 1), "messages: %s", text);
    t_check(ending == COMING || strstr(text, name) != NULL, "no %s in: %s", name, text);
    t_check(asc_link_counter("notify_timeout") == (ending == COMING ? 0 : 1), "counted");
    if (ending == STOPPED) {
        kill(world->pid[1], SIGCONT);
        atomic_store(&world->flag[1], 1);
        t_flag_await(&world->flag[2], 1);
    }
    t_check(asc_link_mem_free(mine) == ASC_OK, "free");
    t_counter_await("free_swept", asc_link_counter("free_parked"));
    asc_link_quiesce(1000);
}

static int role(t_world_t *world, int me)
{
    t_join(world, me, 0);
    (me == 0 ? owner : importer)(world);
    return 0;
}

int main(void)
{
    for (int i = STOPPED; i <= COMING; i++) {
        t_world_t *world;
        int end;

        ending = i;
        /* nobody waits that long for a process that is seen to be dead */
        setenv("ASCEND_NOTIFY_TIMEOUT", i == STOPPED ? "1" : "60", 1);
        world = t_world_start(2, role);
        t_wait_ok(world->pid[0]);
        end = t_wait(world->pid[1]);
        t_check(end == (i == STOPPED ? 0 : 128 + SIGKILL), "the importer ended with %d", end);
    }
    return T_PASS;
}
