/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protects: pinned staging memory is made while the thread sits on the CPUs
 * near the process's NPU, so that its pages land on that NUMA node, and the
 * thread gets its own CPUs back; memory from the pool moves nobody; where the
 * NPU's place is unknown nothing moves and there is memory all the same.
 *
 * hwloc is told that a recorded machine of two sockets is this one. The test
 * stands before the system call that moves a thread, which would fail here.
 */
#define _GNU_SOURCE 1

#include "tests/link/t_local.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SIZE  ((size_t)32 << 20)
#define MOVES 8

static struct {
    int count;
    cpu_set_t to[MOVES];
    long resident[MOVES]; /* pages of this process in memory at that moment */
} moves;

static long resident_pages(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    long all = 0, resident = 0;

    t_check(file != NULL && fscanf(file, "%ld %ld", &all, &resident) == 2, "statm");
    fclose(file);
    return resident;
}

__attribute__((visibility("default"))) int sched_setaffinity(pid_t thread, size_t size,
                                                             const cpu_set_t *cpus)
{
    t_check(thread == 0 || thread == gettid(), "another thread is moved");
    t_check(moves.count < MOVES, "moved too often");
    CPU_ZERO(&moves.to[moves.count]);
    memcpy(&moves.to[moves.count], cpus, size < sizeof(*cpus) ? size : sizeof(*cpus));
    moves.resident[moves.count++] = resident_pages();
    return 0;
}

/* Device 2 of the recorded machine is on node 4, CPUs 96 to 119. */
static int known(void *arg)
{
    cpu_set_t own, near;
    void *block, *again;
    long pages = (long)(SIZE / (size_t)sysconf(_SC_PAGESIZE));
    char file[4096];

    (void)arg;
    snprintf(file, sizeof(file), "%s/topo/machines/a2-8npu.xml", getenv("ASC_TOP_BUILDDIR"));
    setenv("HWLOC_XMLFILE", file, 1);
    setenv("HWLOC_THISSYSTEM", "1", 1);
    setenv("NPUSIM_DEVICES", "3", 1);
    setenv("NPUSIM_PCI", "0000:01:00.0,0000:41:00.0,0000:81:00.0", 1);
    t_check(sched_getaffinity(0, sizeof(own), &own) == 0, "own CPUs");
    CPU_ZERO(&near);
    for (int cpu = 96; cpu < 120; ++cpu) {
        CPU_SET(cpu, &near);
    }
    t_link_start(2);
    t_check(moves.count == 0, "moved before any memory was asked for");
    t_check(asc_link_pinned_get(SIZE, &block) == ASC_OK, "pinned memory");
    t_check(moves.count == 2, "there and back, not %d moves", moves.count);
    t_check(CPU_EQUAL(&moves.to[0], &near), "not to the CPUs of the NPU's node");
    t_check(CPU_EQUAL(&moves.to[1], &own), "not back to where it was");
    t_check(moves.resident[1] - moves.resident[0] >= pages,
            "%ld of %ld pages were placed near the NPU", moves.resident[1] - moves.resident[0],
            pages);
    asc_link_pinned_put(block, SIZE);
    t_check(asc_link_pinned_get(SIZE, &again) == ASC_OK && again == block, "the same block");
    t_check(moves.count == 2, "moved for memory that was there");
    asc_link_pinned_put(again, SIZE);
    return T_PASS;
}

static int unknown(void *arg)
{
    void *block;

    (void)arg;
    t_link_start(0);
    t_check(asc_link_pinned_get(SIZE, &block) == ASC_OK, "pinned memory");
    t_check(moves.count == 0, "moved, but nobody knows where to");
    memset(block, 1, SIZE);
    asc_link_pinned_put(block, SIZE);
    return T_PASS;
}

/* A machine is for a process's life. */
int main(void)
{
    t_wait_ok(t_child(known, NULL));
    t_wait_ok(t_child(unknown, NULL));
    return T_PASS;
}
