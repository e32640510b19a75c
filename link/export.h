/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The export cache, as the free path, the notifies and quiesce see it.
 * No function holds a lock over a driver call.
 */
#ifndef LINK_EXPORT_H
#define LINK_EXPORT_H

#include "link/alloc_table.h"
#include "link/peer.h"

/** Ends all exports of that allocation. @a driver false: the memory is gone
 *  already, only forget them. */
void link_export_end(const link_alloc_t *alloc, bool driver);

/** Closes exports whose use is over once no importer has them open any more. */
void link_export_sweep(void);

/** Closes every export that no peer has imported. */
void link_export_close_unused(void);

#endif
