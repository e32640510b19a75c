/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protects: from a handed-in PCI bus id to NUMA node, socket and CPUs, for each NPU of
 * the two-socket machine, whose NPUs are not in PCI address order.
 */
#include "tests/topo/t_topo.h"

static const struct {
    const char *given, *pci;
    int node, package;
    const char *cpuset;
} expected[8] = {
    {"0000:C1:00.0", "0000:c1:00.0", 6, 1, "144-167"},
    {"0000:c2:00.0", "0000:c2:00.0", 6, 1, "144-167"},
    {"0000:81:00.0", "0000:81:00.0", 4, 1, "96-119"},
    {"0000:82:00.0", "0000:82:00.0", 4, 1, "96-119"},
    {"0000:01:00.0", "0000:01:00.0", 0, 0, "0-23"},
    {"0000:02:00.0", "0000:02:00.0", 0, 0, "0-23"},
    {"0000:41:00.0", "0000:41:00.0", 2, 0, "48-71"},
    {"0000:42:00.0", "0000:42:00.0", 2, 0, "48-71"},
};

static void check(const struct asc_topo_locality *where, int i)
{
    t_check(where->pci_source == ASC_TOPO_PCI_GIVEN, "NPU %d source %d", i, where->pci_source);
    t_check(strcmp(where->pci_bus_id, expected[i].pci) == 0, "NPU %d %s", i, where->pci_bus_id);
    t_check(where->in_machine == 1, "NPU %d", i);
    t_check(where->numa_node == expected[i].node, "NPU %d node %d", i, where->numa_node);
    t_check(where->package == expected[i].package, "NPU %d package %d", i, where->package);
    t_check(strcmp(where->cpuset, expected[i].cpuset) == 0, "NPU %d CPUs %s", i, where->cpuset);
    t_check(strcmp(where->reason, "") == 0, "NPU %d '%s'", i, where->reason);
}

int main(void)
{
    struct asc_topo_device_facts devices[8] = {{0}};
    struct asc_topo_node_facts facts = {.num_devices = 8, .devices = devices};
    struct asc_topo *topo = NULL;
    int i;

    t_use_machine("a2-8npu.xml");
    for (i = 0; i < 8; ++i) {
        devices[i].device_id = i;
        devices[i].physical_id = i;
        snprintf(devices[i].pci_bus_id, sizeof(devices[i].pci_bus_id), "%s", expected[i].given);
    }

    t_check(asc_topo_create(&facts, &topo) == 0, "create");
    /* The caller's arrays are copied: what happens to them later must not matter. */
    memset(devices, 0xff, sizeof(devices));
    t_check(asc_topo_num_devices(topo) == 8, "%d", asc_topo_num_devices(topo));
    for (i = 0; i < 8; ++i) {
        check(asc_topo_locality(topo, i), i);
    }
    t_check(asc_topo_locality(topo, 8) == NULL, "index 8");
    t_check(asc_topo_locality(topo, -1) == NULL, "index -1");
    t_check(strstr(asc_topo_machine(), "a2-8npu.xml") != NULL, "%s", asc_topo_machine());
    t_check(!asc_topo_machine_is_live(), "a recorded machine is not the live one");
    asc_topo_destroy(topo);
    return T_PASS;
}
