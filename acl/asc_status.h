/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ASC_STATUS_H
#define ASC_STATUS_H

/**
 * Result of every call of acl/ and link/ that can fail (topo/ gives errno
 * values, it knows neither).
 * Zero is success, ASC_INPROGRESS means "ask again", negative values are
 * errors. Whoever first decides an error logs it (asc_log.h); callers pass
 * the value on.
 */
typedef enum asc_status {
    ASC_OK = 0,
    ASC_INPROGRESS = 1,
    ASC_ERR_NO_RUNTIME = -1,  /**< no usable libascendcl in this process */
    ASC_ERR_INVALID = -2,     /**< an argument of the caller */
    ASC_ERR_NO_MEMORY = -3,   /**< host or device memory exhausted */
    ASC_ERR_UNREACHABLE = -4, /**< this pair or buffer needs another path */
    ASC_ERR_STALE = -5,       /**< a key or pointer of freed memory */
    ASC_ERR_ACL = -6,         /**< the runtime refused or a task failed */
    ASC_ERR_TIMEOUT = -7,     /**< a bounded wait ran out */
    ASC_ERR_NOT_FOUND = -8,   /**< no such name, peer or allocation */
    ASC_ERR_BUSY = -9,        /**< a budget is used up; ask again later */
    ASC_ERR_UNSUPPORTED = -10 /**< this runtime or build lacks the feature */
} asc_status_t;

/** Short lower-case English text for @a status; never NULL, never freed. */
__attribute__((visibility("default"))) const char *asc_status_text(asc_status_t status);

#endif
