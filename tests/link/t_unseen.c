/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protects: an allocation whose malloc was not seen is exported for one use
 * and closed after it, not before its importer is done; nothing of it is
 * cached unless ASCEND_TRUST_FREES says so.
 */
#include "tests/link/t_link.h"

#include <stdlib.h>
#include <string.h>

#define SIZE ((size_t)1 << 20)

static void owner(t_world_t *world)
{
    bool trust = getenv("ASCEND_TRUST_FREES") != NULL;
    void *mine;

    t_acl_ok(T_ACL(aclrtMalloc)(&mine, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
    t_refill(mine, SIZE, 3);
    world->value[0] = (uint64_t)mine;
    for (int round = 0; round < 5; round++) {
        t_check(asc_link_export((char *)mine + 100, 200, world->rkey[0]) == ASC_OK, "%s",
                asc_link_last_reason());
        t_check(asc_link_export(mine, SIZE, world->rkey[1]) == ASC_OK, "second use");
        asc_link_export_release(world->rkey[1]); /* the first one goes on */
        t_barrier(world);
        t_barrier(world); /* imported, not released */
        asc_link_export_release(world->rkey[0]);
        t_barrier(world);
        t_barrier(world); /* copied and released */
        for (int i = 0; i < 200; i++) {
            asc_link_progress();
        }
    }
    t_check(asc_link_counter("export_new") == (trust ? 1 : 5), "%lld exports",
            (long long)asc_link_counter("export_new"));
    t_acl_ok(T_ACL(aclrtFree)(mine));
}

static void importer(t_world_t *world)
{
    bool trust = getenv("ASCEND_TRUST_FREES") != NULL;
    void *local = t_alloc_filled(SIZE, 9);

    for (int round = 0; round < 5; round++) {
        asc_link_import_t *import;

        t_barrier(world);
        import = t_import(world->rkey[0]);
        t_barrier(world);
        t_barrier(world); /* the owner's use is over, ours is not */
        t_get(import, world->value[0], local, SIZE);
        t_expect(local, SIZE, 3, 0);
        asc_link_import_release(import);
        t_refill(local, SIZE, 9);
        t_barrier(world);
    }
    t_check(asc_link_counter("import_new") == (trust ? 1 : 5), "%lld imports",
            (long long)asc_link_counter("import_new"));
}

static int role(t_world_t *world, int me)
{
    t_join(world, me, 0);
    (me == 0 ? owner : importer)(world);
    t_barrier(world);
    asc_link_quiesce(5000);
    return 0;
}

int main(void)
{
    t_world_run(2, role);
    setenv("ASCEND_TRUST_FREES", "y", 1);
    t_world_run(2, role);
    return T_PASS;
}
