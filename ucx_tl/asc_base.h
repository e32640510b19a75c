/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * What the two memory domains share: when they offer themselves, how they name
 * devices and errors, and the one way out where UCX cannot report an error.
 */
#ifndef UCT_ASC_BASE_H
#define UCT_ASC_BASE_H

#include "asc_compat.h"

#include "link/asc_link.h"

/* UCX's list of memory types is closed. This entry exists in all versions, is
 * treated as device memory throughout, and has the fewest special cases. */
#define UCT_ASC_MEM_TYPE UCS_MEMORY_TYPE_ROCM

#define UCT_ASC_DEV_NAME "ascend"

extern uct_component_t uct_asc_copy_component;
extern uct_component_t uct_asc_ipc_component;
extern uct_tl_t uct_asc_copy_tl;
extern uct_tl_t uct_asc_ipc_tl;

/** UCX's word for @a status. ASC_INPROGRESS is UCS_INPROGRESS. */
ucs_status_t uct_asc_status(asc_status_t status);

/**
 * Component method of both: one resource, or none where no runtime is usable
 * or a real rocm component already owns the borrowed memory type. Why not is
 * told at debug level, or as a warning where a user's setting is the cause.
 */
ucs_status_t uct_asc_query_md_resources(uct_component_t *component,
                                        uct_md_resource_desc_t **resources_p,
                                        unsigned *num_resources_p);

/** One transport device of @a type, tied to the process's home NPU if known. */
ucs_status_t uct_asc_query_devices(uct_md_h md, uct_device_type_t type,
                                   uct_tl_device_resource_t **devices_p, unsigned *num_devices_p);

/** UCX's system device of NPU @a device (user id), or UNKNOWN. The first
 *  question about a device is slow, later ones are one load. */
ucs_sys_device_t uct_asc_sys_device(int device);

/**
 * Ends the process with one message that names @a address, @a length and the
 * cause. For memory that is not (or no longer) usable where UCX has no way to
 * report it: its pack, unpack and detection take no error, so going on would
 * mean wrong data or a peer that waits for ever.
 *
 * @param what the operation that met it, e.g. "send or receive buffer".
 */
void uct_asc_bad_memory(const void *address, size_t length,
                        const char *what) UCS_F_NORETURN UCS_F_NOINLINE;

/** Same for a copy that the runtime refused twice, its reason being @a status
 *  and what link/ has logged. */
void uct_asc_copy_lost(const void *dst, const void *src, size_t length,
                       asc_status_t status) UCS_F_NORETURN UCS_F_NOINLINE;

/** Checks UCX_TLS, which UCX judges too late and without naming what to add;
 *  warns once in a process. */
void uct_asc_check_tls(void);

/** Puts allocation hooks in place and passes their events to UCX. Idempotent. */
void uct_asc_install_hooks(void);

/**
 * To be called while UCX registers device memory: where UCX would keep the
 * registration for later messages, but nobody tells us when the memory is
 * freed, it is to end with its first use.
 */
void uct_asc_limit_registration(void *address, size_t length);

/** Turns UCX's memory type cache off unless the user turned it on. */
void uct_asc_tune_memtype_cache(void);

/** True where a component of AMD's offers memory domains: @a name tells which. */
int uct_asc_find_rocm(const char **name);

#endif
