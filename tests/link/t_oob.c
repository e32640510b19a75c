/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protects: keys travel through the port that is plugged in; what it does not
 * know is found on the board; with neither, pairs still work without notifies.
 */
#include "tests/link/t_link.h"

#include <string.h>

#define SIZE 4096

static int puts_seen, gets_seen;

static asc_status_t counting_put(void *ctx, const char *name, const void *blob, size_t len)
{
    (void)blob;
    t_check(ctx == &puts_seen, "context of the port");
    t_check(strlen(name) < ASC_OOB_NAME_MAX && len <= ASC_OOB_BLOB_MAX, "limits of the port");
    puts_seen++;
    return ASC_OK;
}

static asc_status_t unknowing_get(void *ctx, uint64_t uid, const char *name, void *blob,
                                  size_t *len)
{
    (void)ctx;
    (void)name;
    (void)blob;
    t_check(uid != 0 && *len > 0, "arguments of the port");
    *len = 0;
    gets_seen++;
    return ASC_ERR_NOT_FOUND;
}

static int role(t_world_t *world, int me)
{
    static asc_oob_port_t port = {"test", counting_put, unknowing_get, &puts_seen};
    asc_link_import_t *import;
    void *mine, *local;

    t_check(strcmp(asc_link_oob_name(), "board") == 0, "default port is %s", asc_link_oob_name());
    asc_link_set_oob(&port);
    t_check(strcmp(asc_link_oob_name(), "test") == 0, "port is %s", asc_link_oob_name());
    t_join(world, me, 0);
    mine = t_alloc_filled(SIZE, (uint64_t)me);
    local = t_alloc_filled(SIZE, 9);
    world->value[me] = (uint64_t)mine;
    t_check(asc_link_export(mine, SIZE, world->rkey[me]) == ASC_OK, "%s", asc_link_last_reason());
    t_barrier(world);
    import = t_import(world->rkey[1 - me]);
    t_get(import, world->value[1 - me], local, SIZE);
    t_expect(local, SIZE, (uint64_t)(1 - me), 0);
    asc_link_import_release(import);
    t_barrier(world);
    t_check(puts_seen == 1 && gets_seen == 1, "%d puts, %d gets", puts_seen, gets_seen);
    t_check(asc_link_counter("notify_record") == 1, "the notify was not found on the board");
    asc_link_set_oob(NULL);
    t_check(strcmp(asc_link_oob_name(), "board") == 0, "port is %s", asc_link_oob_name());
    asc_link_quiesce(5000);
    return 0;
}

int main(void)
{
    t_world_run(2, role);
    return T_PASS;
}
