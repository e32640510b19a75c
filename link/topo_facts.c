/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hands the runtime's facts about devices to topo/, which knows no ACL.
 */
#include "acl/asc_acl.h"
#include "link/asc_link.h"
#include "link/env.h"
#include "link/topo_facts.h"
#include "topo/asc_topo.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define LINK_TOPO_BYTES 1048576.0 /* message by which ways are compared */
#define LINK_TOPO_RATIO 2         /* the way by the host takes both processors and host memory */

static pthread_mutex_t link_topo_lock = PTHREAD_MUTEX_INITIALIZER;
static struct asc_topo *link_topo;

static void link_topo_device(const asc_acl_t *acl, int dev, struct asc_topo_device_facts *facts)
{
    int32_t physical = dev;

    facts->device_id = dev;
    /* The argument is called a logic id, but takes the user's one where
     * ASCEND_RT_VISIBLE_DEVICES remaps them. */
    if (acl->aclrtGetPhyDevIdByLogicDevId == NULL ||
        acl->aclrtGetPhyDevIdByLogicDevId(dev, &physical) != ACL_SUCCESS) {
        physical = dev;
    }
    facts->physical_id = physical;
    if (acl->aclrtDeviceGetPCIBusId == NULL ||
        acl->aclrtDeviceGetPCIBusId(dev, facts->pci_bus_id, sizeof(facts->pci_bus_id)) !=
            ACL_SUCCESS) {
        facts->pci_bus_id[0] = '\0';
    }
}

static void link_topo_pairs(const asc_acl_t *acl, uint32_t count, uint64_t *bits)
{
    for (uint32_t a = 0; acl->aclrtGetDevicesTopo != NULL && a < count; ++a) {
        for (uint32_t b = 0; b < count; ++b) {
            uint64_t value = 0;

            if (a != b && acl->aclrtGetDevicesTopo(a, b, &value) == ACL_SUCCESS) {
                bits[a * count + b] = value;
            }
        }
    }
}

static void link_topo_given(struct asc_topo_node_facts *facts, struct asc_topo_given **given)
{
    const char *text = link_env()->topo_links;
    int count = asc_topo_parse_links(text, NULL, 0, NULL, 0);

    *given = calloc((size_t)count + 1, sizeof(**given));
    if (*given != NULL) {
        facts->num_given = asc_topo_parse_links(text, *given, count, NULL, 0);
        facts->given = *given;
    }
}

static struct asc_topo *link_topo_make(const asc_acl_t *acl)
{
    struct asc_topo_device_facts *devices;
    struct asc_topo_node_facts facts = {0};
    struct asc_topo_given *given = NULL;
    struct asc_topo *topo = NULL;
    uint64_t *bits;
    uint32_t count = 0;

    if (acl->aclrtGetDeviceCount(&count) != ACL_SUCCESS || count == 0) {
        return NULL;
    }
    devices = calloc(count, sizeof(*devices));
    bits = calloc((size_t)count * count, sizeof(*bits));
    if (devices != NULL && bits != NULL) {
        for (uint32_t dev = 0; dev < count; ++dev) {
            link_topo_device(acl, (int)dev, &devices[dev]);
        }
        link_topo_pairs(acl, count, bits);
        facts.soc_name = acl->aclrtGetSocName != NULL ? acl->aclrtGetSocName() : NULL;
        facts.num_devices = (int)count;
        facts.devices = devices;
        facts.link_bits = bits;
        link_topo_given(&facts, &given);
        if (asc_topo_create(&facts, &topo) != 0) {
            topo = NULL;
        }
    }
    free(devices);
    free(bits);
    free(given);
    asc_acl_forget_error(); /* what a device cannot tell is no error */
    return topo;
}

struct asc_topo *asc_link_topo(void)
{
    const asc_acl_t *acl = asc_acl_get();
    struct asc_topo *topo = __atomic_load_n(&link_topo, __ATOMIC_ACQUIRE);
    struct asc_topo *made;

    if (topo != NULL || acl == NULL) {
        return topo;
    }
    /* Made without the lock: driver calls are slow, and a second one is only
     * thrown away. */
    made = link_topo_make(acl);
    pthread_mutex_lock(&link_topo_lock);
    if (link_topo == NULL) {
        __atomic_store_n(&link_topo, made, __ATOMIC_RELEASE);
        made = NULL;
    }
    topo = link_topo;
    pthread_mutex_unlock(&link_topo_lock);
    asc_topo_destroy(made);
    return topo;
}

int link_topo_physical(int device)
{
    struct asc_topo *topo = link_env()->topo_links[0] != '\0' ? asc_link_topo() : NULL;

    return topo != NULL ? asc_topo_physical_id(topo, device) : -1;
}

/* Both sides copy at once: the slower of the two host links decides. */
static double link_topo_by_host(struct asc_topo *topo, int device, int physical)
{
    struct asc_topo_link here, there;

    (void)asc_topo_host_link(topo, device, &here);
    there = here;
    for (int i = 0; i < asc_topo_num_devices(topo); ++i) {
        if (asc_topo_physical_id(topo, i) == physical) {
            (void)asc_topo_host_link(topo, i, &there);
        }
    }
    return here.latency + there.latency +
           LINK_TOPO_BYTES / (here.put_bandwidth < there.get_bandwidth ? here.put_bandwidth
                                                                       : there.get_bandwidth);
}

bool link_topo_prefers_host(int device, int physical, double *direct, double *staged)
{
    struct asc_topo *topo = link_env()->topo_links[0] != '\0' ? asc_link_topo() : NULL;
    struct asc_topo_link link;

    if (topo == NULL || physical < 0 || !asc_topo_given_link(topo, device, physical, &link)) {
        return false;
    }
    *direct = link.latency + LINK_TOPO_BYTES / link.get_bandwidth;
    *staged = link_topo_by_host(topo, device, physical);
    return *direct > LINK_TOPO_RATIO * *staged;
}

asc_status_t asc_link_device_pci(int device, char *buf, size_t len)
{
    struct asc_topo *topo = asc_link_topo();
    const struct asc_topo_locality *where;

    if (len > 0) {
        buf[0] = '\0';
    }
    if (topo == NULL || device < 0 || device >= asc_topo_num_devices(topo)) {
        return ASC_ERR_NOT_FOUND;
    }
    where = asc_topo_locality(topo, device);
    if (where == NULL || where->pci_source == ASC_TOPO_PCI_NONE ||
        strlen(where->pci_bus_id) >= len) {
        return ASC_ERR_NOT_FOUND;
    }
    strcpy(buf, where->pci_bus_id);
    return ASC_OK;
}
