/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protects: only processes that the owner knew at the export may import its
 * key; one that it learns of later is let in by a new export of the same
 * allocation, and the older key stays valid for those that hold it. The
 * tgids that the driver knows differ from the pids here.
 */
#include "tests/link/t_link.h"

#include <stdlib.h>
#include <string.h>

#define SIZE ((size_t)1 << 20)

static void owner(t_world_t *world)
{
    void *mine = t_alloc_filled(SIZE, 3);

    (void)t_peer(world, 1);
    t_barrier(world);
    world->value[0] = (uint64_t)mine;
    t_check(asc_link_export(mine, SIZE, world->rkey[0]) == ASC_OK, "%s", asc_link_last_reason());
    t_barrier(world);
    t_barrier(world); /* the stranger was refused */
    (void)t_peer(world, 2);
    t_check(asc_link_export(mine, SIZE, world->rkey[1]) == ASC_OK, "%s", asc_link_last_reason());
    t_check(asc_link_export(mine, 1, world->rkey[2]) == ASC_OK, "%s", asc_link_last_reason());
    t_check(asc_link_counter("export_new") == 2 && asc_link_counter("export_hit") == 1,
            "%lld exports", (long long)asc_link_counter("export_new"));
    t_barrier(world);
}

static void friend(t_world_t *world)
{
    void *local = t_alloc_filled(SIZE, 1);
    asc_link_import_t *first, *second;

    t_barrier(world);
    t_barrier(world);
    first = t_import(world->rkey[0]);
    t_barrier(world);
    t_barrier(world);
    second = t_import(world->rkey[1]);
    t_get(first, world->value[0], local, SIZE);
    t_expect(local, SIZE, 3, 0);
    t_refill(local, SIZE, 1);
    t_get(second, world->value[0], local, SIZE);
    t_expect(local, SIZE, 3, 0);
    asc_link_import_release(first);
    asc_link_import_release(second);
}

static void stranger(t_world_t *world)
{
    void *local = t_alloc_filled(SIZE, 1);
    asc_link_import_t *import = NULL;

    t_barrier(world);
    t_barrier(world);
    t_check(asc_link_import(world->rkey[0], ASC_LINK_RKEY_SIZE, &import) == ASC_ERR_UNREACHABLE,
            "a process that the owner does not know imported its memory");
    t_check(strstr(asc_link_last_reason(), "know") != NULL, "%s", asc_link_last_reason());
    t_barrier(world);
    t_barrier(world);
    /* known by now, but the first key was made before */
    t_check(asc_link_import(world->rkey[0], ASC_LINK_RKEY_SIZE, &import) == ASC_ERR_UNREACHABLE,
            "a key was given to a process after the fact");
    import = t_import(world->rkey[1]);
    t_get(import, world->value[0], local, SIZE);
    t_expect(local, SIZE, 3, 0);
    asc_link_import_release(import);
}

static int role(t_world_t *world, int me)
{
    static void (*const roles[])(t_world_t *) = {owner, friend, stranger};

    setenv("NPUSIM_TGID_OFFSET", "100000", 1);
    t_join_alone(world, me, 0);
    t_barrier(world);
    if (me > 0) {
        (void)t_peer(world, 0);
    }
    roles[me](world);
    t_barrier(world);
    asc_link_quiesce(5000);
    return 0;
}

int main(void)
{
    t_world_run(3, role);
    return T_PASS;
}
