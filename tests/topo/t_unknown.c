/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protects: a device that cannot be placed is marked unknown and explained, with the
 * value that failed; nothing is invented for it.
 */
#include "tests/topo/t_topo.h"

static void check(const char *pci, int physical_id, enum asc_topo_pci_source source,
                  const char *word)
{
    struct asc_topo *topo = t_one(pci, physical_id);
    const struct asc_topo_locality *where = asc_topo_locality(topo, 0);

    t_check(where->pci_source == source, "'%s' %d: source %d", pci, physical_id, where->pci_source);
    t_check(where->in_machine == 0, "'%s' %d", pci, physical_id);
    t_check(where->numa_node == -1, "'%s' %d: node %d", pci, physical_id, where->numa_node);
    t_check(where->package == -1, "'%s' %d: package %d", pci, physical_id, where->package);
    t_check(strcmp(where->cpuset, "") == 0, "'%s' %d: CPUs %s", pci, physical_id, where->cpuset);
    t_check(strstr(where->reason, word) != NULL, "'%s' %d: '%s' lacks '%s'", pci, physical_id,
            where->reason, word);
    asc_topo_destroy(topo);
}

int main(void)
{
    t_use_machine("a2-8npu.xml");
    check("0000:aa:00.0", 0, ASC_TOPO_PCI_GIVEN, "0000:aa:00.0");
    check("0001:c1:00.0", 0, ASC_TOPO_PCI_GIVEN, "0001:c1:00.0");
    check("c1:00.0", 0, ASC_TOPO_PCI_NONE, "'c1:00.0'");
    check("0000:c1:00.0 ", 0, ASC_TOPO_PCI_NONE, "dddd:bb:dd.f");
    check("0000:c1:20.0", 0, ASC_TOPO_PCI_NONE, "0000:c1:20.0");
    check("0000:c1:00.8", 0, ASC_TOPO_PCI_NONE, "0000:c1:00.8");
    check("0000:0c1:00.0", 0, ASC_TOPO_PCI_NONE, "0000:0c1:00.0");
    check("100000000:c1:00.0", 0, ASC_TOPO_PCI_NONE, "100000000:c1:00.0");
    check("nonsense", 0, ASC_TOPO_PCI_NONE, "nonsense");
    check("", -1, ASC_TOPO_PCI_NONE, "NPU 5");
    check("", 8, ASC_TOPO_PCI_NONE, "physical id 8");
    return T_PASS;
}
