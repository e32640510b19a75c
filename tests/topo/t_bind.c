/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protects: binding near a device. On a recorded machine it is refused with a reason
 * and changes nothing (hwloc itself would report success). On this machine, near some
 * PCI device that it has, a thread really moves.
 */
#include "tests/topo/t_topo.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <unistd.h>

static int recorded(void *arg)
{
    struct asc_topo *topo;
    cpu_set_t before, after;
    char reason[256];

    (void)arg;
    t_use_machine("a2-8npu.xml");
    topo = t_one("0000:01:00.0", 0);
    sched_getaffinity(0, sizeof(before), &before);
    t_check(asc_topo_bind_thread(topo, 0, reason, sizeof(reason)) == -ENOTSUP, "'%s'", reason);
    t_check(strstr(reason, "a2-8npu.xml") != NULL, "'%s'", reason);
    t_check(asc_topo_bind_process(topo, 0, NULL, 0) == -ENOTSUP, "no reason wanted");
    t_check(asc_topo_bind_thread(topo, 1, reason, sizeof(reason)) == -EINVAL, "'%s'", reason);
    sched_getaffinity(0, sizeof(after), &after);
    t_check(CPU_EQUAL(&before, &after), "the affinity changed");
    asc_topo_destroy(topo);

    topo = t_one("0000:aa:00.0", 0);
    t_check(asc_topo_bind_thread(topo, 0, reason, sizeof(reason)) == -ENODATA, "'%s'", reason);
    t_check(strstr(reason, "0000:aa:00.0") != NULL, "'%s'", reason);
    asc_topo_destroy(topo);
    return T_PASS;
}

/* The first PCI device of this machine whose place is known. */
static struct asc_topo *some_device(void)
{
    DIR *dir = opendir("/sys/bus/pci/devices");
    struct asc_topo *topo;
    struct dirent *entry;

    while ((dir != NULL) && ((entry = readdir(dir)) != NULL)) {
        if (entry->d_name[0] == '.') {
            continue;
        }
        topo = t_one(entry->d_name, -1);
        if (asc_topo_locality(topo, 0)->numa_node >= 0) {
            closedir(dir);
            return topo;
        }
        asc_topo_destroy(topo);
    }
    if (dir != NULL) {
        closedir(dir);
    }
    return NULL;
}

/* Leaves the CPU, if there is another, so that coming back can be seen. */
static void stay_away(int cpu)
{
    cpu_set_t others;

    sched_getaffinity(0, sizeof(others), &others);
    CPU_CLR(cpu, &others);
    if (CPU_COUNT(&others) > 0) {
        sched_setaffinity(0, sizeof(others), &others);
    }
}

static int live(void)
{
    struct asc_topo *topo;
    cpu_set_t affinity;
    char reason[256];
    int first;

    unsetenv("ASCEND_TOPO_XML");
    topo = some_device();
    if (topo == NULL) {
        t_skip("no PCI device with a known place on this machine");
    }

    first = atoi(asc_topo_locality(topo, 0)->cpuset);
    stay_away(first);
    t_check(asc_topo_bind_thread(topo, 0, reason, sizeof(reason)) == 0, "'%s'", reason);
    t_check(strcmp(reason, "") == 0, "'%s'", reason);
    sched_getaffinity(0, sizeof(affinity), &affinity);
    t_check(CPU_ISSET(first, &affinity), "CPU %d is not in the thread's affinity", first);
    stay_away(first);
    t_check(asc_topo_bind_process(topo, 0, reason, sizeof(reason)) == 0, "'%s'", reason);
    sched_getaffinity(0, sizeof(affinity), &affinity);
    t_check(CPU_ISSET(first, &affinity), "CPU %d is not in the process's affinity", first);

    asc_topo_destroy(topo);
    return T_PASS;
}

/* A machine is for a process's life, so the two halves need a process each. */
int main(void)
{
    t_wait_ok(t_child(recorded, NULL));
    return live();
}
