/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef T_TOPO_H_
#define T_TOPO_H_

#include "asc_config.h"

/* What the topology tests share: the choice of a made-up machine. */
#include "tests/helpers/t_helpers.h"
#include "topo/asc_topo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Path of a made-up machine in the build tree. */
static inline const char *t_machine_path(const char *file)
{
    static char path[4096];
    const char *top = getenv("ASC_TOP_BUILDDIR");

    snprintf(path, sizeof(path), "%s/topo/machines/%s", top != NULL ? top : "..", file);
    return path;
}

static inline void t_use_machine(const char *file)
{
    setenv("ASCEND_TOPO_XML", t_machine_path(file), 1);
}

/* One device; pci may be "". */
static inline struct asc_topo *t_one(const char *pci, int physical_id)
{
    struct asc_topo_device_facts device = {.device_id = 5, .physical_id = physical_id};
    struct asc_topo_node_facts facts = {.num_devices = 1, .devices = &device};
    struct asc_topo *topo = NULL;

    snprintf(device.pci_bus_id, sizeof(device.pci_bus_id), "%.23s", pci);
    t_check(asc_topo_create(&facts, &topo) == 0, "pci '%s'", pci);
    return topo;
}

#endif
