/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ASC_TOPO_MACHINE_H_
#define ASC_TOPO_MACHINE_H_

#include "topo/asc_topo.h"

#include <hwloc.h>

/*
 * The machine that hwloc looks at. Loaded once per process and then read only, which
 * is what hwloc asks of concurrent users; it stays until the process ends.
 */
struct asc_topo_machine {
    hwloc_topology_t hwloc; /* NULL if nothing could be loaded; text says why */
    int live;               /* it is the machine that we run on */
    int num_pci;            /* PCI devices of any kind */
    int num_npus;           /* PCI devices with an NPU's ids */
    hwloc_obj_t *npus;      /* those, in PCI address order */
    char text[512];         /* see asc_topo_machine() */
};

const struct asc_topo_machine *asc_topo_machine_get(void);

/* 1 if a PCI vendor and device id are those of an Ascend NPU. */
int asc_topo_is_npu(unsigned vendor, unsigned device);

/* strict "dddd:bb:dd.f" in hex; 0 or -EINVAL */
int asc_topo_parse_pci(const char *text, struct asc_topo_pci_addr *addr);

#endif
