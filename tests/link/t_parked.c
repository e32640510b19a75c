/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protects: while freed memory is kept for the process that uses it, nobody
 * new gets in by its key, although the driver would let them; it goes back
 * once that process is dead, which the owner finds out without having any
 * business with it; and an import that lies idle is closed by its process's
 * progress alone when the owner frees.
 */
#include "tests/link/t_link.h"

#include <signal.h>
#include <unistd.h>

#define SIZE ((size_t)1 << 20)

enum {
    OWNER,
    HOLDER,
    LATE,
    PROCS
};

static void *share(t_world_t *world, int key)
{
    void *mine = t_alloc_filled(SIZE, 1);

    world->value[key] = (uint64_t)mine;
    t_check(asc_link_export(mine, SIZE, world->rkey[key]) == ASC_OK, "%s", asc_link_last_reason());
    return mine;
}

static void owner(t_world_t *world)
{
    void *mine = share(world, 0);

    t_barrier(world);
    t_barrier(world); /* the holder has it */
    t_check(asc_link_mem_free(mine) == ASC_OK, "free");
    t_check(asc_link_counter("free_parked") == 1, "not kept for the holder");
    t_barrier(world);
    t_flag_await(&world->flag[LATE], 1); /* has tried */
    t_check(asc_link_counter("free_swept") == 0, "freed under the holder");
    kill(world->pid[HOLDER], SIGKILL);
    t_counter_await("free_swept", 1);

    mine = share(world, 1);
    atomic_store(&world->flag[OWNER], 1);
    t_flag_await(&world->flag[LATE], 2); /* has used it */
    t_check(asc_link_mem_free(mine) == ASC_OK, "free");
    t_check(asc_link_counter("free_parked") == 1, "kept for an idle import");
    atomic_store(&world->flag[OWNER], 2);
    t_flag_await(&world->flag[LATE], 3);
}

static void late(t_world_t *world)
{
    asc_link_import_t *import = NULL;
    void *local = t_alloc_filled(SIZE, 9);

    t_barrier(world);
    t_barrier(world);
    t_barrier(world);
    t_check(asc_link_import(world->rkey[0], ASC_LINK_RKEY_SIZE, &import) == ASC_ERR_UNREACHABLE,
            "a way into freed memory");
    atomic_store(&world->flag[LATE], 1);

    t_flag_await(&world->flag[OWNER], 1);
    import = t_import(world->rkey[1]);
    t_get(import, world->value[1], local, SIZE);
    t_expect(local, SIZE, 1, 0);
    asc_link_import_release(import);
    t_check(asc_link_counter("import_closed") == 0, "not kept");
    atomic_store(&world->flag[LATE], 2);
    t_flag_await(&world->flag[OWNER], 2);
    t_counter_await("import_closed", 1);
    atomic_store(&world->flag[LATE], 3);
}

static int role(t_world_t *world, int me)
{
    t_join(world, me, 0);
    if (me == OWNER) {
        owner(world);
    } else if (me == LATE) {
        late(world);
    } else {
        t_barrier(world);
        (void)t_import(world->rkey[0]);
        t_barrier(world);
        t_barrier(world);
        pause(); /* is killed here */
    }
    return 0;
}

int main(void)
{
    t_world_t *world = t_world_start(PROCS, role);

    t_wait_ok(world->pid[OWNER]);
    t_wait_ok(world->pid[LATE]);
    t_check(t_wait(world->pid[HOLDER]) == 128 + SIGKILL, "the holder was to be killed");
    return T_PASS;
}
