/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LINK_PEER_ACCESS_H
#define LINK_PEER_ACCESS_H

#include <stdbool.h>

/** Whether two devices of this process can copy to each other directly; makes
 *  it so at the first question. A pair counts only with both directions
 *  enabled. False: go by way of the host (told once). */
bool link_peer_access(int a, int b);

#endif
