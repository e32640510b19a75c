/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protects: the import cache keeps within its limits, drops what was unused
 * longest; both caches are really off when switched off.
 */
#include "tests/link/t_link.h"

#include <stdlib.h>
#include <string.h>

#define SIZE    ((size_t)64 << 10)
#define BUFFERS 16
#define MANY    5000 /* more than a board has slots for imports */

static const char *mode;

static void owner(t_world_t *world)
{
    for (int i = 0; i < BUFFERS; i++) {
        void *mine = t_alloc_filled(SIZE, (uint64_t)i);

        world->value[i] = (uint64_t)mine;
        t_check(asc_link_export(mine, SIZE, world->rkey[i]) == ASC_OK, "%s",
                asc_link_last_reason());
    }
    t_barrier(world);
    t_barrier(world); /* the importer is through */
    for (int i = 0; i < BUFFERS; i++) {
        asc_link_export_release(world->rkey[i]);
    }
    t_check(asc_link_export((void *)world->value[0], SIZE, world->rkey[0]) == ASC_OK, "again");
    t_check(asc_link_counter("export_new") == BUFFERS + (strcmp(mode, "off") == 0),
            "%s: %lld exports made", mode, (long long)asc_link_counter("export_new"));
    asc_link_export_release(world->rkey[0]);
}

static int64_t open_now(void)
{
    return asc_link_counter("import_new") - asc_link_counter("import_closed");
}

static void use(t_world_t *world, void *local, int which)
{
    asc_link_import_t *import = t_import(world->rkey[which]);

    t_get(import, world->value[which], local, SIZE);
    asc_link_import_release(import);
    t_expect(local, SIZE, (uint64_t)which, 0);
}

/* Limits hold for what is kept, also when all were in use at once before. */
static void use_together(t_world_t *world)
{
    asc_link_import_t *import[BUFFERS];

    for (int i = 0; i < BUFFERS; i++) {
        import[i] = t_import(world->rkey[i]);
    }
    t_check(open_now() == BUFFERS, "%lld imports for %d users", (long long)open_now(), BUFFERS);
    for (int i = 0; i < BUFFERS; i++) {
        asc_link_import_release(import[i]);
    }
    t_check(open_now() <= 4, "%s: %lld imports are kept", mode, (long long)open_now());
}

static void importer(t_world_t *world)
{
    void *local = t_alloc_filled(SIZE, 99);

    t_barrier(world);
    for (int i = 0; i < BUFFERS; i++) {
        use(world, local, i);
        t_check(open_now() <= (strcmp(mode, "off") == 0 ? 0 : 4), "%s: %lld imports open", mode,
                (long long)open_now());
    }
    if (strcmp(mode, "off") == 0) {
        t_check(asc_link_counter("import_closed") == BUFFERS, "cache is off");
        use_together(world);
        for (int i = 0; i < MANY; i++) {
            asc_link_import_release(t_import(world->rkey[0]));
        }
        return;
    }
    t_check(asc_link_counter("import_evicted") == BUFFERS - 4, "%lld evictions",
            (long long)asc_link_counter("import_evicted"));
    use(world, local, BUFFERS - 4); /* the oldest of the four that are left */
    t_check(asc_link_counter("import_hit") == 1, "the newest ones are not kept");
    use(world, local, 0);
    use(world, local, BUFFERS - 4); /* used since, so kept before the others */
    t_check(asc_link_counter("import_hit") == 2, "what was used last was dropped first");
    use_together(world);
}

static int role(t_world_t *world, int me)
{
    t_join(world, me, 0);
    if (me == 0) {
        owner(world);
    } else {
        importer(world);
        t_barrier(world);
    }
    t_barrier(world);
    asc_link_quiesce(5000);
    return 0;
}

int main(void)
{
    mode = "regions";
    setenv("ASCEND_IPC_CACHE_MAX_REGIONS", "4", 1);
    t_world_run(2, role);
    unsetenv("ASCEND_IPC_CACHE_MAX_REGIONS");
    mode = "size";
    setenv("ASCEND_IPC_CACHE_MAX_SIZE", "256k", 1);
    t_world_run(2, role);
    unsetenv("ASCEND_IPC_CACHE_MAX_SIZE");
    mode = "off";
    setenv("ASCEND_IPC_CACHE", "n", 1);
    t_world_run(2, role);
    return T_PASS;
}
