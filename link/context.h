/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Borrowing a device's primary context in whatever thread we are called in
 * (P31: a thread that never set a device must work), and giving the thread
 * its own context back.
 *
 * A thread that had no context cannot be given none back on every runtime: the
 * interface knows no "unset". aclrtSetCurrentContext(NULL) is tried; where it
 * is refused the thread keeps our context, which no correct program notices.
 */
#ifndef LINK_CONTEXT_H
#define LINK_CONTEXT_H

#include "acl/asc_acl.h"
#include "acl/asc_status.h"

#include <stdbool.h>
#include <stdint.h>

#define LINK_MAX_DEVICES 64

typedef struct link_ctx {
    aclrtContext saved;
    bool switched;
} link_ctx_t;

/**
 * Makes the primary context of @a device current. Pairs with link_ctx_leave()
 * on ASC_OK only; may nest.
 * @return ASC_ERR_INVALID: no such device; ASC_ERR_NO_RUNTIME: none, or it was
 *         finalised; ASC_ERR_ACL: refused (logged).
 */
asc_status_t link_ctx_enter(int device, link_ctx_t *guard);
void link_ctx_leave(link_ctx_t *guard);

/** False once the application has finalised the runtime or reset the device
 *  for good: what lived there is gone, and asking would revive the device. */
bool link_ctx_usable(int device);

/** Changes whenever the device's context was torn down (reset, finalize):
 *  streams, events and notifies of an earlier epoch are dead handles. */
uint32_t link_ctx_epoch(int device);

/** Told by the hooks: a thread has chosen @a device (its context is current);
 *  a device (-1: all) is about to be reset, or was. */
void link_ctx_device_set(int device);
void link_ctx_device_reset(int device);

#endif
