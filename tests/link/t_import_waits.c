/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protects: a thread that imports a key while another is just opening it waits
 * for that one's import and shares it: no second import in the driver, no use of
 * a mapping that is not there yet.
 */
#include "tests/link/t_link.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define SIZE ((size_t)256 << 10)

static t_world_t *shared;

static void *worker(void *arg)
{
    uint64_t seed = (uint64_t)(uintptr_t)arg;
    void *local = t_alloc_filled(SIZE, 50 + seed);
    asc_link_import_t *import;

    usleep(100000 * (useconds_t)seed); /* the driver takes 400 ms, see main() */
    import = t_import(shared->rkey[0]);
    t_get(import, shared->value[0], local, SIZE);
    t_expect(local, SIZE, 3, 0);
    asc_link_import_release(import);
    return NULL;
}

static int role(t_world_t *world, int me)
{
    pthread_t thread[2];

    t_join(world, me, 0);
    if (me == 0) {
        void *mine = t_alloc_filled(SIZE, 3);

        world->value[0] = (uint64_t)mine;
        t_check(asc_link_export(mine, SIZE, world->rkey[0]) == ASC_OK, "%s",
                asc_link_last_reason());
        t_barrier(world);
    } else {
        t_barrier(world);
        shared = world;
        for (uintptr_t i = 0; i < 2; i++) {
            t_check(pthread_create(&thread[i], NULL, worker, (void *)i) == 0, "thread");
        }
        for (int i = 0; i < 2; i++) {
            pthread_join(thread[i], NULL);
        }
        t_check(asc_link_counter("import_new") == 1 && asc_link_counter("import_hit") == 1,
                "%lld imports, %lld hits", (long long)asc_link_counter("import_new"),
                (long long)asc_link_counter("import_hit"));
        asc_link_quiesce(5000);
    }
    t_barrier(world);
    return 0;
}

int main(void)
{
    setenv("NPUSIM_FAULT", "aclrtIpcMemImportByKey:*=stall/400ms", 1);
    t_world_run(2, role);
    return T_PASS;
}
