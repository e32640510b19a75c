/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * context.h - devices and contexts. A context belongs to a device (physical
 * id here), owns streams, and is current per thread.
 */
#ifndef NPUSIM_CONTEXT_H
#define NPUSIM_CONTEXT_H

#include "entry.h"
#include "handle.h"
#include "knobs.h"

struct stream;

struct context {
    struct handle_head head;
    uint64_t serial; /* tells a reused slot from the context that was there */
    int dev;         /* physical */
    bool primary;
    struct stream *def;
};

/* The calling thread's context, or NULL. */
struct context *context_current(void);

/* The same, or ACL_ERROR_RT_CONTEXT_NULL with its text. */
aclError context_need(struct context **ctx);

/* Physical id of a user id, or ACL_ERROR_RT_INVALID_DEVICEID with its text. */
aclError device_phys(int64_t user, int *phys);

/* ACL_SUCCESS, or the error of a device that the fault plan took away. */
aclError device_there(int dev);

/* May this process's engines on device a touch memory of device b that the
 * process behind "owner" allocated (NULL: this process)? */
struct node;
bool peer_usable(int a, int b, const struct node *owner);

/* Enables both directions; false where the hardware has no such path. */
bool peer_enable_both(int a, int b);

/* Undoes all of it; for aclFinalize. */
void peer_forget_all(void);

/* Ends all contexts; for aclFinalize. */
void context_end_all(void);

#endif
