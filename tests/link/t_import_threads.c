/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protects (P31): imports are process-wide and counted: threads that never set
 * a device import, copy and release the same keys at once; the driver sees one
 * import per key, and each thread is left without a device as it came.
 */
#include "tests/link/t_link.h"

#include <pthread.h>
#include <stdlib.h>

#define SIZE    ((size_t)256 << 10)
#define THREADS 4
#define KEYS    3
#define ROUNDS  150

static t_world_t *shared;

static void *worker(void *arg)
{
    uint64_t seed = (uint64_t)(uintptr_t)arg;
    void *local = t_alloc_filled(SIZE, 50 + seed);

    for (int round = 0; round < ROUNDS; round++) {
        int which = (int)((seed + (uint64_t)round) % KEYS);
        asc_link_import_t *import = t_import(shared->rkey[which]);

        t_get(import, shared->value[which], local, SIZE);
        asc_link_import_release(import);
        t_expect(local, SIZE, (uint64_t)which, 0);
        t_refill(local, SIZE, 50 + seed);
    }
    t_check(asc_link_mem_free(local) == ASC_OK, "free");
    return NULL;
}

static int role(t_world_t *world, int me)
{
    t_join(world, me, 0);
    if (me == 0) {
        for (int i = 0; i < KEYS; i++) {
            void *mine = t_alloc_filled(SIZE, (uint64_t)i);

            world->value[i] = (uint64_t)mine;
            t_check(asc_link_export(mine, SIZE, world->rkey[i]) == ASC_OK, "%s",
                    asc_link_last_reason());
        }
        t_barrier(world);
    } else {
        pthread_t thread[THREADS];

        t_barrier(world);
        shared = world;
        for (uintptr_t i = 0; i < THREADS; i++) {
            t_check(pthread_create(&thread[i], NULL, worker, (void *)i) == 0, "thread");
        }
        for (int i = 0; i < THREADS; i++) {
            pthread_join(thread[i], NULL);
        }
        t_check(asc_link_counter("import_new") == KEYS, "%lld imports of %d keys",
                (long long)asc_link_counter("import_new"), KEYS);
        t_check(asc_link_counter("import_closed") == 0, "imports in use were closed");
        t_check(asc_link_counter("import_hit") == THREADS * ROUNDS - KEYS, "hits");
        asc_link_quiesce(5000);
        t_check(asc_link_counter("import_closed") == KEYS, "imports stay open after the end");
    }
    t_barrier(world);
    return 0;
}

int main(void)
{
    /* a second import of a key in one process would be refused */
    setenv("NPUSIM_ONE_IMPORT", "y", 1);
    t_world_run(2, role);
    return T_PASS;
}
