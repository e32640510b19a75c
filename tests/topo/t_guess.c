/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protects: without a PCI bus id the physical id indexes the machine's NPUs in address
 * order, and the answer is marked and explained as a guess. On the 16-die machine, so
 * that order is by number and not by where hwloc lists them.
 */
#include "tests/topo/t_topo.h"

static const struct {
    const char *pci, *cpuset;
    int node;
} expected[16] = {
    {"0000:1d:00.0", "480-559", 6}, {"0000:1f:00.0", "480-559", 6}, {"0000:2d:00.0", "560-639", 7},
    {"0000:2f:00.0", "560-639", 7}, {"0000:9d:00.0", "0-79", 0},    {"0000:9f:00.0", "0-79", 0},
    {"0000:ad:00.0", "80-159", 1},  {"0000:af:00.0", "80-159", 1},  {"0000:bd:00.0", "160-239", 2},
    {"0000:bf:00.0", "160-239", 2}, {"0000:cd:00.0", "240-319", 3}, {"0000:cf:00.0", "240-319", 3},
    {"0000:dd:00.0", "320-399", 4}, {"0000:df:00.0", "320-399", 4}, {"0000:ed:00.0", "400-479", 5},
    {"0000:ef:00.0", "400-479", 5},
};

int main(void)
{
    int i;

    t_use_machine("a3-16die.xml");
    for (i = 0; i < 16; ++i) {
        struct asc_topo *topo = t_one("", i);
        const struct asc_topo_locality *where = asc_topo_locality(topo, 0);

        t_check(where->pci_source == ASC_TOPO_PCI_GUESS, "%d: source %d", i, where->pci_source);
        t_check(strcmp(where->pci_bus_id, expected[i].pci) == 0, "%d: %s", i, where->pci_bus_id);
        t_check(where->numa_node == expected[i].node, "%d: node %d", i, where->numa_node);
        t_check(strcmp(where->cpuset, expected[i].cpuset) == 0, "%d: CPUs %s", i, where->cpuset);
        t_check(strstr(where->reason, "guessed") != NULL, "%d: '%s'", i, where->reason);
        asc_topo_destroy(topo);
    }
    return T_PASS;
}
