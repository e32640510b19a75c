/* SPDX-License-Identifier: BSD-3-Clause */
/* The topology object: facts in, localities and links out. */
#include "topo/topo_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A pair is what both ends say. If they differ, the slower kind is the safe one; if
 * one end said nothing, the other's word counts. */
static enum asc_topo_link_kind pair_kind(const struct asc_topo_node_facts *facts, int a, int b)
{
    size_t n = (size_t)facts->num_devices;
    enum asc_topo_link_kind ab, ba;

    if (a == b) {
        return ASC_TOPO_LINK_SAME;
    }
    if (facts->link_bits == NULL) {
        return ASC_TOPO_LINK_UNKNOWN;
    }

    ab = asc_topo_kind_from_bits(facts->link_bits[(size_t)a * n + (size_t)b]);
    ba = asc_topo_kind_from_bits(facts->link_bits[(size_t)b * n + (size_t)a]);
    return ab > ba ? ab : ba;
}

static void copy_facts(struct asc_topo *topo, const struct asc_topo_node_facts *facts)
{
    struct asc_topo_device *dev;
    int i, j;

    for (i = 0; i < facts->num_devices; ++i) {
        dev = &topo->devices[i];
        dev->facts = facts->devices[i];
        dev->facts.pci_bus_id[sizeof(dev->facts.pci_bus_id) - 1] = '\0';
        dev->where.numa_node = -1;
        dev->where.package = -1;
        dev->where.cpuset = "";
        dev->where.reason = dev->reason;
        for (j = 0; j < facts->num_devices; ++j) {
            topo->kinds[(size_t)i * (size_t)facts->num_devices + (size_t)j] =
                pair_kind(facts, i, j);
        }
    }
}

int asc_topo_create(const struct asc_topo_node_facts *facts, struct asc_topo **topo_p)
{
    struct asc_topo *topo;
    size_t n;

    if ((facts == NULL) || (facts->num_devices < 0) || (facts->num_given < 0) ||
        ((facts->num_devices > 0) && (facts->devices == NULL)) ||
        ((facts->num_given > 0) && (facts->given == NULL))) {
        return -EINVAL;
    }

    topo = calloc(1, sizeof(*topo));
    if (topo == NULL) {
        return -ENOMEM;
    }

    n = (size_t)facts->num_devices;
    topo->num_devices = facts->num_devices;
    topo->soc = asc_topo_soc_from_name(facts->soc_name);
    topo->devices = calloc(n + 1, sizeof(*topo->devices));
    topo->kinds = calloc(n * n + 1, sizeof(*topo->kinds));
    topo->num_given = facts->num_given;
    topo->given = calloc((size_t)facts->num_given + 1, sizeof(*topo->given));
    if ((topo->devices == NULL) || (topo->kinds == NULL) || (topo->given == NULL) ||
        (pthread_mutex_init(&topo->lock, NULL) != 0)) {
        free(topo->devices);
        free(topo->kinds);
        free(topo->given);
        free(topo);
        return -ENOMEM;
    }

    copy_facts(topo, facts);
    if (facts->num_given > 0) {
        memcpy(topo->given, facts->given, (size_t)facts->num_given * sizeof(*topo->given));
    }
    *topo_p = topo;
    return 0;
}

void asc_topo_destroy(struct asc_topo *topo)
{
    int i;

    if (topo == NULL) {
        return;
    }
    for (i = 0; i < topo->num_devices; ++i) {
        free(topo->devices[i].cpuset);
    }
    pthread_mutex_destroy(&topo->lock);
    free(topo->devices);
    free(topo->kinds);
    free(topo->given);
    free(topo);
}

int asc_topo_num_devices(const struct asc_topo *topo)
{
    return topo->num_devices;
}

enum asc_topo_soc asc_topo_soc(const struct asc_topo *topo)
{
    return topo->soc;
}

static int valid(const struct asc_topo *topo, int dev)
{
    return (topo != NULL) && (dev >= 0) && (dev < topo->num_devices);
}

const struct asc_topo_device *asc_topo_located(struct asc_topo *topo, int dev)
{
    int i;

    if (!valid(topo, dev)) {
        return NULL;
    }

    pthread_mutex_lock(&topo->lock);
    for (i = 0; !topo->located && (i < topo->num_devices); ++i) {
        asc_topo_locate(&topo->devices[i]);
    }
    topo->located = 1;
    pthread_mutex_unlock(&topo->lock);
    return &topo->devices[dev];
}

const struct asc_topo_locality *asc_topo_locality(struct asc_topo *topo, int dev)
{
    const struct asc_topo_device *device = asc_topo_located(topo, dev);

    return device != NULL ? &device->where : NULL;
}

int asc_topo_physical_id(const struct asc_topo *topo, int dev)
{
    return valid(topo, dev) ? topo->devices[dev].facts.physical_id : -1;
}

int asc_topo_given_link(const struct asc_topo *topo, int dev, int physical_id,
                        struct asc_topo_link *link)
{
    if (!valid(topo, dev)) {
        return 0;
    }
    asc_topo_model_link(topo->soc, ASC_TOPO_LINK_UNKNOWN, link);
    return asc_topo_apply_given(topo, asc_topo_physical_id(topo, dev), physical_id, link);
}

int asc_topo_link(const struct asc_topo *topo, int dev_a, int dev_b, struct asc_topo_link *link)
{
    if (!valid(topo, dev_a) || !valid(topo, dev_b)) {
        return -EINVAL;
    }
    asc_topo_model_link(
        topo->soc, topo->kinds[(size_t)dev_a * (size_t)topo->num_devices + (size_t)dev_b], link);
    (void)asc_topo_apply_given(topo, asc_topo_physical_id(topo, dev_a),
                               asc_topo_physical_id(topo, dev_b), link);
    return 0;
}

int asc_topo_host_link(const struct asc_topo *topo, int dev, struct asc_topo_link *link)
{
    if (!valid(topo, dev)) {
        return -EINVAL;
    }
    asc_topo_model_host_link(topo->soc, link);
    (void)asc_topo_apply_given(topo, asc_topo_physical_id(topo, dev), ASC_TOPO_GIVEN_HOST, link);
    return 0;
}
