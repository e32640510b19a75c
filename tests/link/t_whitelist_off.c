/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protects: with ASCEND_WHITELIST=n a key made before its owner knew of any
 * process that uses a device is good for one that begins to later; with the
 * default the export says that there is nobody to share with.
 */
#include "tests/link/t_link.h"

#include <stdlib.h>
#include <string.h>

#define SIZE ((size_t)1 << 20)

static bool open_to_all;

static int role(t_world_t *world, int me)
{
    asc_link_import_t *import = NULL;
    asc_status_t status;
    void *mine;

    t_join(world, me, me == 0 ? 0 : -1);
    if (me == 0) {
        mine = t_alloc_filled(SIZE, 3);
        world->value[0] = (uint64_t)mine;
        status = asc_link_export(mine, SIZE, world->rkey[0]);
        t_check(status == (open_to_all ? ASC_OK : ASC_ERR_UNREACHABLE), "export: %s",
                asc_status_text(status));
        t_check(open_to_all || strstr(asc_link_last_reason(), "no other process") != NULL,
                "not a reason: %s", asc_link_last_reason());
        t_barrier(world);
    } else {
        t_barrier(world);
        t_device(1);
        mine = t_alloc_filled(SIZE, 9);
        status = asc_link_import(world->rkey[0], ASC_LINK_RKEY_SIZE, &import);
        t_check(status == (open_to_all ? ASC_OK : ASC_ERR_UNREACHABLE), "import: %s, %s",
                asc_status_text(status), asc_link_last_reason());
        if (open_to_all) {
            t_get(import, world->value[0], mine, SIZE);
            t_expect(mine, SIZE, 3, 0);
            asc_link_import_release(import);
        }
    }
    t_barrier(world);
    asc_link_quiesce(1000);
    return 0;
}

int main(void)
{
    setenv("NPUSIM_DEVICES", "2", 1);
    setenv("NPUSIM_TGID_OFFSET", "1000", 1);
    t_world_run(2, role);
    setenv("ASCEND_WHITELIST", "n", 1);
    open_to_all = true;
    t_world_run(2, role);
    return T_PASS;
}
