/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * One-line messages of acl/, topo/, link/ on standard error:
 * "ascend: error: ...". Level by ASCEND_LOG_LEVEL (error, warn, info, debug;
 * default warn). Lower case, "name value", exact cause first, remedy last.
 */
#ifndef ASC_LOG_H
#define ASC_LOG_H

#include <stdbool.h>

#pragma GCC visibility push(default)

typedef enum asc_log_level {
    ASC_LOG_ERROR,
    ASC_LOG_WARN,
    ASC_LOG_INFO,
    ASC_LOG_DEBUG
} asc_log_level_t;

bool asc_log_enabled(asc_log_level_t level);

void asc_log(asc_log_level_t level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Logs at most once for each value of the static flag at the call site. */
#define asc_log_once(_level, ...) \
    do { \
        static bool asc_log_done_; \
        if (!__atomic_exchange_n(&asc_log_done_, true, __ATOMIC_RELAXED)) { \
            asc_log(_level, __VA_ARGS__); \
        } \
    } while (0)

#pragma GCC visibility pop

#endif
