/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protects: binding near a device. On a recorded machine it is refused with a reason
 * and changes nothing (hwloc itself would report success). On this machine, near some
 * PCI device that it has, a thread really moves and memory really is placed.
 */
#include "tests/topo/t_topo.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static int recorded(void)
{
    struct asc_topo *topo;
    cpu_set_t before, after;
    char reason[256];
    char byte[64];

    t_use_machine("a2-8npu.xml");
    topo = t_one("0000:01:00.0", 0);
    sched_getaffinity(0, sizeof(before), &before);
    T_CHECK(asc_topo_bind_thread(topo, 0, reason, sizeof(reason)) == -ENOTSUP, "'%s'", reason);
    T_CHECK(strstr(reason, "a2-8npu.xml") != NULL, "'%s'", reason);
    T_CHECK(asc_topo_bind_process(topo, 0, NULL, 0) == -ENOTSUP, "no reason wanted");
    T_CHECK(asc_topo_bind_memory(topo, 0, byte, sizeof(byte), reason, sizeof(reason)) == -ENOTSUP,
            "'%s'", reason);
    T_CHECK(asc_topo_bind_thread(topo, 1, reason, sizeof(reason)) == -EINVAL, "'%s'", reason);
    sched_getaffinity(0, sizeof(after), &after);
    T_CHECK(CPU_EQUAL(&before, &after), "the affinity changed");
    asc_topo_destroy(topo);

    topo = t_one("0000:aa:00.0", 0);
    T_CHECK(asc_topo_bind_thread(topo, 0, reason, sizeof(reason)) == -ENODATA, "'%s'", reason);
    T_CHECK(strstr(reason, "0000:aa:00.0") != NULL, "'%s'", reason);
    asc_topo_destroy(topo);
    return t_done();
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

static int live(void)
{
    struct asc_topo *topo;
    cpu_set_t affinity;
    char reason[256];
    size_t len = 1 << 20;
    void *mem;
    int first;

    unsetenv("ASCEND_TOPO_XML");
    topo = some_device();
    if (topo == NULL) {
        printf("no PCI device with a known place on this machine\n");
        return T_SKIP;
    }

    T_CHECK(asc_topo_bind_thread(topo, 0, reason, sizeof(reason)) == 0, "'%s'", reason);
    T_CHECK(strcmp(reason, "") == 0, "'%s'", reason);
    first = atoi(asc_topo_locality(topo, 0)->cpuset);
    sched_getaffinity(0, sizeof(affinity), &affinity);
    T_CHECK(CPU_ISSET(first, &affinity), "CPU %d is not in the affinity", first);
    T_CHECK(asc_topo_bind_process(topo, 0, reason, sizeof(reason)) == 0, "'%s'", reason);

    mem = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(mem, 1, len);
    /* Inner, unaligned range: whole pages of it are placed. */
    T_CHECK(asc_topo_bind_memory(topo, 0, (char *)mem + 100, len - 200, reason,
                                 sizeof(reason)) == 0, "'%s'", reason);
    T_CHECK(((char *)mem)[len - 1] == 1, "contents changed");
    T_CHECK(asc_topo_bind_memory(topo, 0, mem, 0, reason, sizeof(reason)) == -EINVAL, "'%s'",
            reason);
    munmap(mem, len);
    asc_topo_destroy(topo);
    return t_done();
}

int main(void)
{
    int status = 0;
    pid_t pid  = fork();

    /* A machine is for a process's life, so the two halves need a process each. */
    if (pid == 0) {
        status = recorded();
        fflush(stdout);
        _exit(status);
    }
    T_CHECK((pid > 0) && (waitpid(pid, &status, 0) == pid) && (status == 0), "%#x",
            (unsigned)status);
    status = live();
    return t_failures != 0 ? 1 : status;
}
