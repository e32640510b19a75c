/* SPDX-License-Identifier: BSD-3-Clause */
/** What topo/ makes of the runtime's facts, for link/ itself. */
#ifndef LINK_TOPO_FACTS_H
#define LINK_TOPO_FACTS_H

#include <stdbool.h>

/** Physical id of a device, where links between them are given; else -1. */
int link_topo_physical(int device);

/**
 * Does a copy between @a device and the device with that physical id, of another
 * process, take more than twice as long as one by way of the host that both take
 * part in? Only for links that ASCEND_TOPO_LINKS gives: the model's figures do not
 * justify it.
 * @param direct, staged get the time of a MiB in seconds when it is.
 */
bool link_topo_prefers_host(int device, int physical, double *direct, double *staged);

#endif
