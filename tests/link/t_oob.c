/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protects: keys travel through the port that is plugged in; what it does not
 * know is found on the board; with neither, pairs still work without notifies,
 * the absent key is named, once, and is not asked for again.
 */
#include "tests/link/t_link.h"

#include "link/board.h"

#include <stdio.h>
#include <stdlib.h>
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

/* A port that lost what it took, and a board without room for names. */
static int without(t_world_t *world, int me)
{
    static asc_oob_port_t port = {"test", counting_put, unknowing_get, &puts_seen};
    asc_link_import_t *import;
    const char *text;
    char key[ASC_OOB_NAME_MAX + 32];
    void *mine, *local;

    asc_link_set_oob(&port);
    t_join(world, me, 0);
    atomic_store(&t_own_board()->name_top, LINK_BOARD_NAMES);
    mine = t_alloc_filled(SIZE, (uint64_t)me);
    local = t_alloc_filled(SIZE, 9);
    world->value[me] = (uint64_t)mine;
    t_check(asc_link_export(mine, SIZE, world->rkey[me]) == ASC_OK, "%s", asc_link_last_reason());
    t_barrier(world);
    import = t_import(world->rkey[1 - me]);
    t_messages_begin();
    t_get(import, world->value[1 - me], local, SIZE);
    t_get(import, world->value[1 - me], local, SIZE);
    text = t_messages();
    t_messages_end();
    t_expect(local, SIZE, (uint64_t)(1 - me), 0);
    snprintf(key, sizeof(key), "key asc.n.%llx.%llx.1 of process %d ",
             (unsigned long long)world->addr[1 - me].uid, (unsigned long long)world->addr[me].uid,
             (int)world->pid[1 - me]);
    t_check(t_occurs(text, key) == 1 && t_occurs(text, "\n") == 1, "'%s' once, not: %s", key, text);
    t_check(puts_seen == 1 && gets_seen == 1, "%d puts, %d gets", puts_seen, gets_seen);
    t_check(asc_link_counter("notify_record") == 0, "a record on a notify nobody gave");
    asc_link_import_release(import);
    t_barrier(world);
    asc_link_quiesce(5000);
    return 0;
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
    setenv("ASCEND_LOG_LEVEL", "debug", 1);
    t_world_run(2, without);
    return T_PASS;
}
