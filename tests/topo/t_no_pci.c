/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protects: a machine in which hwloc sees no PCI device at all (a container, a VM, a
 * synthetic one) leaves locality unknown with a reason, for a given PCI bus id and for
 * a guess. hwloc's own variables choose the machine here, as its users expect.
 */
#include "tests/topo/t_topo.h"

int main(void)
{
    struct asc_topo *given, *guess;
    const struct asc_topo_locality *where;

    unsetenv("ASCEND_TOPO_XML");
    unsetenv("HWLOC_XMLFILE");
    setenv("HWLOC_SYNTHETIC", "package:2 numa:2 pu:4", 1);

    given = t_one("0000:c1:00.0", 0);
    where = asc_topo_locality(given, 0);
    t_check(!where->in_machine && (where->numa_node == -1), "node %d", where->numa_node);
    t_check(strstr(where->reason, "no PCI device") != NULL, "'%s'", where->reason);
    t_check(strcmp(where->pci_bus_id, "0000:c1:00.0") == 0, "'%s'", where->pci_bus_id);

    guess = t_one("", 0);
    where = asc_topo_locality(guess, 0);
    t_check(where->pci_source == ASC_TOPO_PCI_NONE, "source %d", where->pci_source);
    t_check(strstr(where->reason, "NPU 5") != NULL, "'%s'", where->reason);
    t_check(!asc_topo_machine_is_live(), "%s", asc_topo_machine());

    asc_topo_destroy(given);
    asc_topo_destroy(guess);
    return T_PASS;
}
