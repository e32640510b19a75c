/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protects: the death of an owner by SIGKILL, with its memory imported here,
 * ends in an error of the copy at worst, never in a hang or crash; later keys
 * of other processes work, and a new process with the same name is not taken
 * for the dead one.
 */
#include "tests/link/t_link.h"

#include <signal.h>
#include <unistd.h>

#define SIZE ((size_t)1 << 20)

static int role(t_world_t *world, int me)
{
    asc_link_import_t *dead, *living, *none = NULL;
    asc_link_op_t op;
    asc_status_t status;
    void *mine = NULL;

    t_join(world, me, 0);
    if (me > 0) {
        mine = t_alloc_filled(SIZE, (uint64_t)me);
        world->value[me] = (uint64_t)mine;
        t_check(asc_link_export(mine, SIZE, world->rkey[me]) == ASC_OK, "%s",
                asc_link_last_reason());
        t_check(asc_link_export(mine, SIZE, world->rkey[me + 10]) == ASC_OK, "again");
        t_barrier(world);
        if (me == 1) {
            pause(); /* is killed here */
        }
        t_flag_await(&world->flag[0], 1);
        return 0;
    }
    mine = t_alloc_filled(SIZE, 9);
    t_barrier(world);
    dead = t_import(world->rkey[1]);
    living = t_import(world->rkey[2]);
    t_get(dead, world->value[1], mine, SIZE);
    t_expect(mine, SIZE, 1, 0);
    t_check(asc_link_peer_alive(t_peer(world, 1)), "it lives");
    kill(world->pid[1], SIGKILL);
    while (asc_link_peer_alive(t_peer(world, 1))) {
        usleep(1000);
    }
    status = t_op_end(asc_link_get(dead, world->value[1], mine, SIZE, &op), &op);
    t_check(status == ASC_OK || status == ASC_ERR_ACL, "a copy from a dead process: %s",
            asc_status_text(status));
    asc_link_import_release(dead);
    t_get(living, world->value[2], mine, SIZE);
    t_expect(mine, SIZE, 2, 0);
    asc_link_import_release(living);
    asc_link_quiesce(1000);
    t_check(asc_link_import(world->rkey[11], ASC_LINK_RKEY_SIZE, &none) == ASC_ERR_UNREACHABLE,
            "memory of a dead process was imported");
    atomic_store(&world->flag[0], 1);
    return 0;
}

int main(void)
{
    t_world_t *world = t_world_start(3, role);

    t_wait_ok(world->pid[0]);
    t_check(t_wait(world->pid[1]) == 128 + SIGKILL, "the second process was to be killed");
    t_wait_ok(world->pid[2]);
    return T_PASS;
}
