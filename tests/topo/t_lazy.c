/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protects: making a topology and asking for links does not load hwloc (a host-only
 * MPI job must not pay for it); the first question about locality does, once, also
 * when many threads ask it together.
 */
#include "tests/topo/t_topo.h"

#include <pthread.h>

#define NUM_THREADS 8

static struct asc_topo *topo;
static pthread_barrier_t start;

static void *ask(void *arg)
{
    const struct asc_topo_locality **where_p = arg;

    pthread_barrier_wait(&start);
    *where_p = asc_topo_locality(topo, 0);
    return NULL;
}

int main(void)
{
    const struct asc_topo_locality *where[NUM_THREADS];
    pthread_t threads[NUM_THREADS];
    struct asc_topo_link link;
    int i;

    /* Were this file looked at now, the machine would stay unknown for good. */
    setenv("ASCEND_TOPO_XML", "/nonexistent/early.xml", 1);
    topo = t_one("0000:81:00.0", 0);
    t_check(asc_topo_link(topo, 0, 0, &link) == 0, "link");
    t_check(asc_topo_host_link(topo, 0, &link) == 0, "host link");

    t_use_machine("a2-8npu.xml");
    pthread_barrier_init(&start, NULL, NUM_THREADS);
    for (i = 0; i < NUM_THREADS; ++i) {
        t_check(pthread_create(&threads[i], NULL, ask, &where[i]) == 0, "thread %d", i);
    }
    for (i = 0; i < NUM_THREADS; ++i) {
        pthread_join(threads[i], NULL);
        t_check(where[i]->numa_node == 4, "thread %d: '%s'", i, where[i]->reason);
        t_check(strcmp(where[i]->cpuset, "96-119") == 0, "thread %d: %s", i, where[i]->cpuset);
    }

    /* Loaded for good: a later change of the variable is not followed. */
    setenv("ASCEND_TOPO_XML", "/nonexistent/late.xml", 1);
    t_check(strstr(asc_topo_machine(), "a2-8npu.xml") != NULL, "%s", asc_topo_machine());
    asc_topo_destroy(topo);
    return T_PASS;
}
