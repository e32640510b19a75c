/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LINK_IMPORT_OPEN_H
#define LINK_IMPORT_OPEN_H

#include "link/import.h"

/** Can this key be imported here at all? Reason set if not. */
asc_status_t link_import_check(const link_rkey_t *rkey, asc_link_peer_t *owner);

/** Imports; fills local, device and ctx_epoch. Reason set and mentioned once
 *  per pair and cause on failure. */
asc_status_t link_import_driver_open(asc_link_import_t *import);
void link_import_driver_close(const asc_link_import_t *import);

/** False when the device context that it was made in is gone. */
bool link_import_usable(const asc_link_import_t *import);

/** False once the owner's board says that the allocation is gone. */
bool link_import_current(const asc_link_import_t *import);

#endif
