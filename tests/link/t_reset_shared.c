/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protects: an owner or an importer that resets its device, or finalises the
 * runtime, while memory is shared takes nobody down: the other side's copies
 * end with a status, its frees work, and a device that is set again is shared
 * again.
 */
#include "asc_config.h"

#include "tests/link/t_link.h"
#include "tests/link/t_local.h"

#include <stdlib.h>

#define SIZE ((size_t)1 << 20)

enum {
    OWNER_RESETS,
    IMPORTER_RESETS,
    OWNER_FINALISES,
    WAYS
};

static int way;

static void *share(t_world_t *world, uint64_t seed)
{
    void *mine;

    t_acl_ok(aclrtMalloc(&mine, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
    t_refill(mine, SIZE, seed);
    world->value[0] = (uint64_t)mine;
    t_check(asc_link_export(mine, SIZE, world->rkey[0]) == ASC_OK, "%s", asc_link_last_reason());
    return mine;
}

static void owner(t_world_t *world)
{
    void *mine = share(world, 1);

    t_barrier(world);
    t_barrier(world); /* imported, read, still pinned */
    if (way == OWNER_RESETS) {
        t_acl_ok(aclrtResetDeviceForce(0));
        t_acl_ok(aclrtSetDevice(0));
    } else if (way == OWNER_FINALISES) {
        t_acl_ok(aclFinalize());
    }
    t_barrier(world);
    t_barrier(world); /* tried to read, let go */
    if (way == IMPORTER_RESETS) {
        t_acl_ok(aclrtFree(mine));
        t_counter_await("free_swept", asc_link_counter("free_parked"));
    }
    if (way == OWNER_FINALISES) {
        return;
    }
    mine = share(world, 2);
    t_barrier(world);
    t_barrier(world);
    t_acl_ok(aclrtFree(mine));
    t_counter_await("free_swept", asc_link_counter("free_parked"));
}

static void importer(t_world_t *world)
{
    asc_link_import_t *import, *again = NULL;
    asc_link_op_t op;
    asc_status_t status;
    void *local;

    t_acl_ok(aclrtMalloc(&local, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
    t_barrier(world);
    import = t_import(world->rkey[0]);
    t_get(import, world->value[0], local, SIZE);
    t_expect(local, SIZE, 1, 0);
    t_barrier(world);
    if (way == IMPORTER_RESETS) {
        t_acl_ok(aclrtResetDeviceForce(1));
        t_acl_ok(aclrtSetDevice(1));
        t_acl_ok(aclrtMalloc(&local, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
    }
    t_barrier(world);
    /* the memory or the mapping is gone: an end with a status, whichever */
    t_messages_begin();
    status = asc_link_get(import, world->value[0], local, SIZE, &op);
    while (status == ASC_INPROGRESS) {
        status = asc_link_op_test(&op);
    }
    t_messages_end();
    t_check(status != ASC_OK, "a copy through what was reset succeeded");
    if (way != IMPORTER_RESETS) {
        t_check(asc_link_import(world->rkey[0], ASC_LINK_RKEY_SIZE, &again) == ASC_ERR_UNREACHABLE,
                "memory that was reset away is imported");
    }
    asc_link_import_release(import);
    t_barrier(world);
    if (way == OWNER_FINALISES) {
        return;
    }
    t_barrier(world); /* shared anew */
    import = t_import(world->rkey[0]);
    t_get(import, world->value[0], local, SIZE);
    t_expect(local, SIZE, 2, 0);
    asc_link_import_release(import);
    t_barrier(world);
}

static int role(t_world_t *world, int me)
{
    t_acl_ok(aclInit(NULL));
    t_check(asc_link_init(ASC_LINK_ABI) == ASC_OK, "%s", asc_link_why_not());
    t_link_hooks("hooks");
    t_acl_ok(aclrtSetDevice(me));
    t_join(world, me, me);
    (me == 0 ? owner : importer)(world);
    t_barrier(world);
    asc_link_quiesce(1000);
    return 0;
}

int main(void)
{
    setenv("NPUSIM_DEVICES", "2", 1);
    for (way = OWNER_RESETS; way < WAYS; way++) {
        t_world_run(2, role);
    }
    return T_PASS;
}
