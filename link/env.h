/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The ASCEND_* variables, parsed once. The table with names, defaults and help
 * is asc_link_env_table().
 */
#ifndef LINK_ENV_H
#define LINK_ENV_H

#include "acl/asc_status.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct link_env {
    bool ipc;       /**< ASCEND_IPC */
    bool ipc_cache; /**< ASCEND_IPC_CACHE */
    unsigned ipc_cache_max_regions;
    size_t ipc_cache_max_size; /**< bytes; SIZE_MAX: no limit */
    bool whitelist;            /**< ASCEND_WHITELIST */
    bool trust_frees;          /**< ASCEND_TRUST_FREES */
    bool importers_first;      /**< ASCEND_FREE_ORDER */
    unsigned notify_max;       /**< per process */
    unsigned notify_timeout_s; /**< never 0: every wait is finite */
    const char *stats;         /**< file name, or "" */
    const char *topo_links;    /**< checked; "": none */
} link_env_t;

/** The values; defaults where the environment has none or a wrong one. */
const link_env_t *link_env(void);

/** ASC_OK, or ASC_ERR_INVALID with variable, value and what is allowed in
 *  @a why. */
asc_status_t link_env_check(char *why, size_t len);

#endif
