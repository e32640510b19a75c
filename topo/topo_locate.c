/* SPDX-License-Identifier: BSD-3-Clause */
/* From a PCI address, handed in or guessed, to NUMA node and CPUs. */
#include "topo/topo_internal.h"
#include "topo/topo_machine.h"

#include <stdio.h>
#include <string.h>

#define REASON(_dev, ...) snprintf((_dev)->reason, sizeof((_dev)->reason), __VA_ARGS__)

static void set_address(struct asc_topo_device *dev, enum asc_topo_pci_source source,
                        const struct asc_topo_pci_addr *pci)
{
    dev->where.pci_source = source;
    dev->where.pci = *pci;
    snprintf(dev->where.pci_bus_id, sizeof(dev->where.pci_bus_id), "%04x:%02x:%02x.%x",
             (unsigned)pci->domain, pci->bus, pci->dev, pci->func);
}

static hwloc_obj_t find_given(const struct asc_topo_machine *m, struct asc_topo_device *dev)
{
    struct asc_topo_pci_addr pci;
    hwloc_obj_t obj;

    if (asc_topo_parse_pci(dev->facts.pci_bus_id, &pci) < 0) {
        REASON(dev,
               "PCI bus id '%s' of NPU %d is not of the form dddd:bb:dd.f: correct it where "
               "it was handed in",
               dev->facts.pci_bus_id, dev->facts.device_id);
        return NULL;
    }

    set_address(dev, ASC_TOPO_PCI_GIVEN, &pci);
    if (m->hwloc == NULL) {
        REASON(dev, "%s", m->text);
        return NULL;
    }

    obj = hwloc_get_pcidev_by_busid(m->hwloc, pci.domain, pci.bus, pci.dev, pci.func);
    if (obj != NULL) {
        return obj;
    }
    if (m->num_pci == 0) {
        REASON(dev,
               "hwloc sees no PCI device at all on %s: show /sys/bus/pci to the container, or "
               "record the machine with 'lstopo --whole-io --of xml'",
               m->text);
    } else {
        REASON(dev,
               "PCI device %s of NPU %d is not among the %d that hwloc sees on %s: check it "
               "with lspci -D, or choose another ASCEND_TOPO_XML",
               dev->where.pci_bus_id, dev->facts.device_id, m->num_pci, m->text);
    }
    return NULL;
}

/*
 * No released CANN tells a device's PCI address. NPUs in address order, indexed by
 * physical id, is the order the driver usually finds them in, but boards differ.
 */
static hwloc_obj_t find_guess(const struct asc_topo_machine *m, struct asc_topo_device *dev)
{
    int id = dev->facts.physical_id;
    struct asc_topo_pci_addr pci;
    hwloc_obj_t obj;

    if (m->hwloc == NULL) {
        REASON(dev, "%s", m->text);
        return NULL;
    }
    if (id < 0) {
        REASON(dev,
               "neither a PCI bus id nor a physical id of NPU %d is known: the runtime lacks "
               "aclrtDeviceGetPCIBusId",
               dev->facts.device_id);
        return NULL;
    }
    if (m->num_npus == 0) {
        REASON(dev,
               "the runtime gives no PCI bus id for NPU %d, and none of the %d PCI devices "
               "that hwloc sees on %s is an NPU",
               dev->facts.device_id, m->num_pci, m->text);
        return NULL;
    }
    if (id >= m->num_npus) {
        REASON(dev,
               "the runtime gives no PCI bus id for NPU %d, and its physical id %d is beyond "
               "the %d NPUs that hwloc sees on %s",
               dev->facts.device_id, id, m->num_npus, m->text);
        return NULL;
    }

    obj = m->npus[id];
    pci.domain = obj->attr->pcidev.domain;
    pci.bus = obj->attr->pcidev.bus;
    pci.dev = obj->attr->pcidev.dev;
    pci.func = obj->attr->pcidev.func;
    set_address(dev, ASC_TOPO_PCI_GUESS, &pci);
    REASON(dev,
           "guessed: the runtime gives no PCI bus id for NPU %d, so it is taken for number %d "
           "of the %d NPUs in PCI address order",
           dev->facts.device_id, id, m->num_npus);
    return obj;
}

static void append_reason(struct asc_topo_device *dev, const char *text)
{
    size_t used = strlen(dev->reason);

    snprintf(dev->reason + used, sizeof(dev->reason) - used, "%s%s", used != 0 ? "; " : "", text);
}

/* The one NUMA node of an object. With several on the same CPUs (some parts carry HBM
 * beside DRAM) the first is the ordinary memory. */
static hwloc_obj_t only_node(hwloc_topology_t topology, hwloc_obj_t near)
{
    hwloc_obj_t first = NULL, node = NULL;

    while ((node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node)) != NULL) {
        if (!hwloc_bitmap_isset(near->nodeset, node->os_index)) {
            continue;
        }
        if (first == NULL) {
            first = node;
        } else if (!hwloc_bitmap_isequal(first->cpuset, node->cpuset)) {
            return NULL;
        }
    }
    return first;
}

static void place(const struct asc_topo_machine *m, struct asc_topo_device *dev, hwloc_obj_t obj)
{
    hwloc_obj_t near = hwloc_get_non_io_ancestor_obj(m->hwloc, obj);
    hwloc_obj_t node, package;

    dev->where.in_machine = 1;
    if ((near == NULL) || (near->cpuset == NULL) || hwloc_bitmap_iszero(near->cpuset)) {
        append_reason(dev, "no CPU near the device may be used here: widen the process's cpuset");
        return;
    }

    node = only_node(m->hwloc, near);
    if ((near->parent == NULL) && (node == NULL)) {
        append_reason(dev, "the firmware says nothing about the NUMA node of its PCI slot "
                           "(numa_node is -1 in sysfs)");
        return;
    }

    package = near->type == HWLOC_OBJ_PACKAGE
                  ? near
                  : hwloc_get_ancestor_obj_by_type(m->hwloc, HWLOC_OBJ_PACKAGE, near);
    if (package != NULL) {
        dev->where.package = (int)package->os_index;
    } else if (hwloc_get_nbobjs_by_type(m->hwloc, HWLOC_OBJ_PACKAGE) == 1) {
        package = hwloc_get_obj_by_type(m->hwloc, HWLOC_OBJ_PACKAGE, 0);
        dev->where.package = (int)package->os_index;
    }

    if (node != NULL) {
        dev->where.numa_node = (int)node->os_index;
    } else {
        append_reason(dev, "its PCI slot belongs to several NUMA nodes");
    }

    if (hwloc_bitmap_list_asprintf(&dev->cpuset, near->cpuset) < 0) {
        dev->cpuset = NULL;
        append_reason(dev, "out of memory");
        return;
    }
    dev->cpus = near->cpuset;
    dev->where.cpuset = dev->cpuset;
}

void asc_topo_locate(struct asc_topo_device *dev)
{
    const struct asc_topo_machine *m = asc_topo_machine_get();
    hwloc_obj_t obj;

    obj = dev->facts.pci_bus_id[0] != '\0' ? find_given(m, dev) : find_guess(m, dev);
    if (obj != NULL) {
        place(m, dev, obj);
    }
}
