/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LINK_LISTENERS_H
#define LINK_LISTENERS_H

#include "link/asc_link.h"

/** Tells all listeners, in the order in which they were added. */
void link_listeners_call(asc_link_mem_event_t event, void *base, size_t size);

#endif
