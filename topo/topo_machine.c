/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads hwloc's view of the machine, once, with nothing in it that we do not read. */
#include "topo/topo_machine.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct asc_topo_machine machine;
static pthread_once_t machine_once = PTHREAD_ONCE_INIT;

/*
 * Vendor and device ids of NPUs. Huawei's own ids and the OEM vendors' are those that
 * the open driver (hicann/driver ef377e950a32) binds to.
 */
int asc_topo_is_npu(unsigned vendor, unsigned device)
{
    static const unsigned huawei[] = {
        0xd801,                         /* 910 */
        0xd802,                         /* 910B, Atlas A2 */
        0xd803,                         /* 910_93, Atlas A3 */
        0xd500,                         /* 310P */
        0xd100, 0xd105,                 /* 310 class */
        0xd804, 0xd806, 0xd807, 0xd808, /* later parts */
    };
    static const unsigned oem_vendors[] = {0x20c6, 0x203f, 0x20e9};
    size_t i;

    if (vendor == 0x19e5) {
        for (i = 0; i < sizeof(huawei) / sizeof(huawei[0]); ++i) {
            if (device == huawei[i]) {
                return 1;
            }
        }
        return 0;
    }

    for (i = 0; i < sizeof(oem_vendors) / sizeof(oem_vendors[0]); ++i) {
        if (vendor == oem_vendors[i]) {
            return (device == 0xd802) || (device == 0xd500);
        }
    }
    return 0;
}

static int parse_hex(const char **text, int min_digits, int max_digits, char end, unsigned *value)
{
    int n;

    *value = 0;
    for (n = 0; isxdigit((unsigned char)**text); ++n, ++*text) {
        int c = tolower((unsigned char)**text);

        if (n == max_digits) {
            return -EINVAL;
        }
        *value = *value * 16 + (unsigned)(isdigit(c) ? c - '0' : c - 'a' + 10);
    }
    if ((n < min_digits) || (**text != end)) {
        return -EINVAL;
    }
    if (end != '\0') {
        ++*text;
    }
    return 0;
}

int asc_topo_parse_pci(const char *text, struct asc_topo_pci_addr *addr)
{
    unsigned domain, bus, dev, func;

    if (parse_hex(&text, 4, 8, ':', &domain) || parse_hex(&text, 2, 2, ':', &bus) ||
        parse_hex(&text, 2, 2, '.', &dev) || parse_hex(&text, 1, 1, '\0', &func) || (dev > 31) ||
        (func > 7)) {
        return -EINVAL;
    }

    addr->domain = domain;
    addr->bus = (uint8_t)bus;
    addr->dev = (uint8_t)dev;
    addr->func = (uint8_t)func;
    return 0;
}

static int compare_pci(const void *a, const void *b)
{
    const struct hwloc_pcidev_attr_s *pa = &(*(const hwloc_obj_t *)a)->attr->pcidev;
    const struct hwloc_pcidev_attr_s *pb = &(*(const hwloc_obj_t *)b)->attr->pcidev;

    if (pa->domain != pb->domain) {
        return pa->domain < pb->domain ? -1 : 1;
    }
    if (pa->bus != pb->bus) {
        return pa->bus < pb->bus ? -1 : 1;
    }
    if (pa->dev != pb->dev) {
        return pa->dev < pb->dev ? -1 : 1;
    }
    return (pa->func > pb->func) - (pa->func < pb->func);
}

static void scan_npus(void)
{
    hwloc_obj_t obj = NULL;
    int n = 0;

    machine.num_pci = hwloc_get_nbobjs_by_type(machine.hwloc, HWLOC_OBJ_PCI_DEVICE);
    if (machine.num_pci <= 0) {
        machine.num_pci = 0;
        return;
    }

    machine.npus = calloc((size_t)machine.num_pci, sizeof(*machine.npus));
    if (machine.npus == NULL) {
        return;
    }

    while ((obj = hwloc_get_next_pcidev(machine.hwloc, obj)) != NULL) {
        if (asc_topo_is_npu(obj->attr->pcidev.vendor_id, obj->attr->pcidev.device_id)) {
            machine.npus[n++] = obj;
        }
    }
    qsort(machine.npus, (size_t)n, sizeof(*machine.npus), compare_pci);
    machine.num_npus = n;
}

/* What makes a load slow, noisy or intrusive, and tells us nothing about an NPU. */
static void keep_only_needed(hwloc_topology_t topology)
{
    /* x86 moves the thread over all CPUs; gl talks to the X server; the others start
     * the runtimes of other vendors' accelerators. */
    static const char *const unneeded[] = {"x86",  "gl",   "opencl",   "cuda",
                                           "nvml", "rsmi", "levelzero"};
    size_t i;

    for (i = 0; i < sizeof(unneeded) / sizeof(unneeded[0]); ++i) {
        /* An unknown name is an error that means there is nothing to leave out. */
        (void)hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST,
                                            unneeded[i]);
    }

    hwloc_topology_set_all_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
    hwloc_topology_set_type_filter(topology, HWLOC_OBJ_PACKAGE, HWLOC_TYPE_FILTER_KEEP_ALL);
    /* A NUMA node and its PCI devices hang below whatever spans exactly its CPUs. In a
     * recorded machine these may be any of: */
    hwloc_topology_set_type_filter(topology, HWLOC_OBJ_GROUP, HWLOC_TYPE_FILTER_KEEP_STRUCTURE);
    hwloc_topology_set_type_filter(topology, HWLOC_OBJ_DIE, HWLOC_TYPE_FILTER_KEEP_STRUCTURE);
    hwloc_topology_set_type_filter(topology, HWLOC_OBJ_L3CACHE, HWLOC_TYPE_FILTER_KEEP_STRUCTURE);
    /* Not only 'important' classes: what an NPU calls itself varies with the part. */
    hwloc_topology_set_type_filter(topology, HWLOC_OBJ_PCI_DEVICE, HWLOC_TYPE_FILTER_KEEP_ALL);
#if HWLOC_API_VERSION >= 0x00020800
    (void)hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_NO_DISTANCES |
                                                 HWLOC_TOPOLOGY_FLAG_NO_MEMATTRS |
                                                 HWLOC_TOPOLOGY_FLAG_NO_CPUKINDS);
#endif
}

/* Reads the first bytes ourselves: hwloc's error does not tell 'absent' from 'no XML'. */
static int select_xml(hwloc_topology_t topology, const char *file)
{
    char byte;
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    int err = (fd < 0) || (read(fd, &byte, 1) < 0) ? errno : 0;

    if (fd >= 0) {
        close(fd);
    }
    if (err != 0) {
        snprintf(machine.text, sizeof(machine.text),
                 "ASCEND_TOPO_XML names '%.300s', which cannot be read (%s): give the path of a "
                 "file made by 'lstopo --of xml', or unset it",
                 file, strerror(err));
        return -1;
    }
    if (hwloc_topology_set_xml(topology, file) < 0) {
        snprintf(machine.text, sizeof(machine.text),
                 "ASCEND_TOPO_XML names '%.300s', which is no hwloc XML: make one with "
                 "'lstopo --of xml', or unset it",
                 file);
        return -1;
    }
    return 0;
}

static void describe(const char *ours)
{
    const char *theirs = getenv("HWLOC_XMLFILE");

    machine.live = hwloc_topology_is_thissystem(machine.hwloc);
    if (machine.live) {
        snprintf(machine.text, sizeof(machine.text), "this machine");
        return;
    }
    if (ours == NULL) {
        ours = (theirs != NULL) && (*theirs != '\0') ? theirs : "of hwloc's environment";
    }
    snprintf(machine.text, sizeof(machine.text), "recorded machine %.450s", ours);
}

static void load(void)
{
    const char *file = getenv("ASCEND_TOPO_XML");
    hwloc_topology_t topology;

    if ((file != NULL) && (*file == '\0')) {
        file = NULL;
    }
    if (hwloc_topology_init(&topology) < 0) {
        snprintf(machine.text, sizeof(machine.text), "hwloc could not start (%s)", strerror(errno));
        return;
    }

    keep_only_needed(topology);
    if ((file != NULL) && (select_xml(topology, file) < 0)) {
        hwloc_topology_destroy(topology);
        return;
    }
    if (hwloc_topology_load(topology) < 0) {
        snprintf(machine.text, sizeof(machine.text),
                 "hwloc could not load %s%.300s: check it with lstopo",
                 file != NULL ? "the recorded machine " : "this machine", file != NULL ? file : "");
        hwloc_topology_destroy(topology);
        return;
    }

    machine.hwloc = topology;
    describe(file);
    scan_npus();
}

const struct asc_topo_machine *asc_topo_machine_get(void)
{
    pthread_once(&machine_once, load);
    return &machine;
}

const char *asc_topo_machine(void)
{
    return asc_topo_machine_get()->text;
}

int asc_topo_machine_failed(void)
{
    return asc_topo_machine_get()->hwloc == NULL;
}

int asc_topo_machine_is_live(void)
{
    const struct asc_topo_machine *m = asc_topo_machine_get();

    return (m->hwloc != NULL) && m->live;
}
