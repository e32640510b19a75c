/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protects (P22): memory that the runtime refuses to export gives a key that
 * says so; importers are refused, the case is counted each time and mentioned
 * once.
 */
#define _GNU_SOURCE 1

#include "tests/link/t_link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int lines_with(FILE *log, const char *text)
{
    char line[1024];
    int found = 0;

    rewind(log);
    while (fgets(line, sizeof(line), log) != NULL) {
        found += strstr(line, text) != NULL;
    }
    return found;
}

static int role(t_world_t *world, int me)
{
    t_join(world, me, 0);
    if (me == 0) {
        FILE *log = tmpfile();
        void *block[3];
        int old = dup(STDERR_FILENO);

        t_check(log != NULL, "no file for messages");
        dup2(fileno(log), STDERR_FILENO);
        for (int i = 0; i < 3; i++) {
            block[i] = t_alloc_filled(256, (uint64_t)i);
        }
        for (int i = 0; i < 6; i++) {
            t_check(asc_link_export(block[i % 3], 256, world->rkey[i]) == ASC_ERR_UNREACHABLE,
                    "an export of a piece of a block was accepted");
            t_check(*asc_link_last_reason() != '\0', "no reason");
        }
        dup2(old, STDERR_FILENO);
        t_check(asc_link_counter("export_refused") == 6, "%lld refusals counted",
                (long long)asc_link_counter("export_refused"));
        t_check(lines_with(log, "staged through host memory") == 1, "mentioned %d times",
                lines_with(log, "staged through host memory"));
        fclose(log);
        t_barrier(world);
    } else {
        t_barrier(world);
        for (int i = 0; i < 6; i++) {
            asc_link_import_t *import = NULL;

            t_check(asc_link_import(world->rkey[i], ASC_LINK_RKEY_SIZE, &import) ==
                        ASC_ERR_UNREACHABLE,
                    "key %d was imported", i);
        }
    }
    t_barrier(world);
    return 0;
}

int main(void)
{
    setenv("NPUSIM_SUBALLOC", "y", 1);
    t_world_run(2, role);
    return T_PASS;
}
