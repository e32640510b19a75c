/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protects: between devices without access to each other copies inside a
 * process go by way of the host and arrive whole; an import across is refused
 * with one message that names both, and the process goes on.
 */
#include "tests/link/t_link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE (((size_t)9 << 20) + 5)

static void across_in_one_process(void)
{
    asc_link_op_t op;
    void *first, *second;

    first = t_alloc_filled(SIZE, 1);
    t_device(1);
    second = t_dev_alloc(SIZE);
    t_refill(second, SIZE, 2);
    t_check(asc_link_copy(second, first, SIZE) == ASC_OK, "copy across");
    t_expect(second, SIZE, 1, 0);
    t_refill(second, SIZE, 3);
    t_check(t_op_end(asc_link_copy_start(first, second, SIZE, &op), &op) == ASC_OK, "copy back");
    t_expect(first, SIZE, 3, 0);
    t_device(0);
}

static int role(t_world_t *world, int me)
{
    asc_link_import_t *import;
    const char *text;
    char name[64];
    int refused = 0;

    t_join(world, me, me);
    if (me == 0) {
        void *mine;

        across_in_one_process();
        mine = t_alloc_filled(SIZE, 4);
        t_check(asc_link_export(mine, SIZE, world->rkey[0]) == ASC_OK, "%s",
                asc_link_last_reason());
        t_check(asc_link_export(mine, 1, world->rkey[1]) == ASC_OK, "%s", asc_link_last_reason());
        t_barrier(world);
    } else {
        t_barrier(world);
        t_messages_begin();
        for (int i = 0; i < 4; i++) {
            refused += asc_link_import(world->rkey[i & 1], ASC_LINK_RKEY_SIZE, &import) ==
                       ASC_ERR_UNREACHABLE;
        }
        text = t_messages();
        t_messages_end();
        snprintf(name, sizeof(name), "process %d ", (int)world->pid[0]);
        t_check(refused == 4, "%d of 4 imports refused", refused);
        t_check(t_occurs(text, "\n") == 1 && strstr(text, name) != NULL,
                "expected one message about %s: %s", name, text);
    }
    t_barrier(world);
    asc_link_quiesce(1000);
    return 0;
}

int main(void)
{
    setenv("NPUSIM_DEVICES", "2", 1);
    setenv("NPUSIM_PEER", "0-1", 1);
    t_world_run(2, role);
    return T_PASS;
}
