/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ASC_TOPO_INTERNAL_H_
#define ASC_TOPO_INTERNAL_H_

#include "topo/asc_topo.h"

#include <hwloc.h>
#include <pthread.h>

struct asc_topo_device {
    struct asc_topo_device_facts facts;
    struct asc_topo_locality where;
    hwloc_const_cpuset_t cpus; /* the machine's own object's set; NULL if unknown */
    char *cpuset;              /* what where.cpuset points to, or NULL */
    char reason[1024];         /* what where.reason points to */
};

struct asc_topo {
    enum asc_topo_soc soc;
    int num_devices;
    struct asc_topo_device *devices;
    enum asc_topo_link_kind *kinds; /* num_devices x num_devices */
    int num_given;
    struct asc_topo_given *given;
    pthread_mutex_t lock; /* over located, and the devices until it is set */
    int located;
};

/* The device with its locality found, or NULL if dev is out of range. */
const struct asc_topo_device *asc_topo_located(struct asc_topo *topo, int dev);

/* Replaces what was given of the link between two physical ids, of which b may be
 * ASC_TOPO_GIVEN_HOST. 1 if anything was. */
int asc_topo_apply_given(const struct asc_topo *topo, int a, int b, struct asc_topo_link *link);

/* Finds the locality of one device. Called once per device. */
void asc_topo_locate(struct asc_topo_device *dev);

#endif
