/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protects (P04): where a process may import an allocation once only and the
 * application has done so itself, the pair falls back; nothing aborts, and the
 * application's own import goes on working.
 */
#include "link/rkey.h"
#include "tests/link/t_link.h"

#include <stdlib.h>
#include <string.h>

static int role(t_world_t *world, int me)
{
    t_join(world, me, 0);
    if (me == 0) {
        void *mine = t_alloc_filled(1 << 20, 4);

        world->value[0] = (uint64_t)mine;
        t_check(asc_link_export(mine, 1 << 20, world->rkey[0]) == ASC_OK, "%s",
                asc_link_last_reason());
        t_barrier(world);
    } else {
        asc_link_import_t *import = NULL;
        link_rkey_t rkey;
        void *apps = NULL, *local = t_alloc_filled(4096, 9);
        aclrtStream stream;

        t_barrier(world);
        memcpy(&rkey, world->rkey[0], sizeof(rkey));
        t_acl_ok(T_ACL(aclrtIpcMemImportByKey)(&apps, rkey.key, 0));
        t_check(asc_link_import(world->rkey[0], ASC_LINK_RKEY_SIZE, &import) == ASC_ERR_UNREACHABLE,
                "a second import of one key was accepted by a runtime that has none");
        t_check(*asc_link_last_reason() != '\0', "no reason");
        t_acl_ok(T_ACL(aclrtCreateStream)(&stream));
        t_acl_ok(
            T_ACL(aclrtMemcpyAsync)(local, 4096, apps, 4096, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
        t_acl_ok(T_ACL(aclrtSynchronizeStream)(stream));
        t_expect(local, 4096, 4, 0);
        t_acl_ok(T_ACL(aclrtIpcMemClose)(rkey.key));
        /* the application has let go: now the pair works */
        import = t_import(world->rkey[0]);
        t_get(import, world->value[0], local, 4096);
        t_expect(local, 4096, 4, 0);
        asc_link_import_release(import);
    }
    t_barrier(world);
    asc_link_quiesce(5000);
    return 0;
}

int main(void)
{
    setenv("NPUSIM_ONE_IMPORT", "y", 1);
    t_world_run(2, role);
    return T_PASS;
}
