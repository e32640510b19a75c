/* SPDX-License-Identifier: BSD-3-Clause */
#include "acl/asc_log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const asc_log_names[] = {"error", "warn", "info", "debug"};

#define ASC_LOG_LEVELS ((int)(sizeof(asc_log_names) / sizeof(asc_log_names[0])))

/* -1: not read yet. Read here and not in link/env.c because messages may come
 * before anything else runs; a wrong value is refused there. */
static int asc_log_limit = -1;

static int asc_log_read_limit(void)
{
    const char *value = getenv("ASCEND_LOG_LEVEL");
    int limit = ASC_LOG_WARN;

    for (int i = 0; value != NULL && i < ASC_LOG_LEVELS; ++i) {
        if (strcmp(value, asc_log_names[i]) == 0) {
            limit = i;
        }
    }
    __atomic_store_n(&asc_log_limit, limit, __ATOMIC_RELAXED);
    return limit;
}

bool asc_log_enabled(asc_log_level_t level)
{
    int limit = __atomic_load_n(&asc_log_limit, __ATOMIC_RELAXED);

    if (limit < 0) {
        limit = asc_log_read_limit();
    }
    return (int)level <= limit;
}

void asc_log(asc_log_level_t level, const char *format, ...)
{
    char line[1024];
    int used;
    va_list args;

    if (!asc_log_enabled(level) || (int)level >= ASC_LOG_LEVELS) {
        return;
    }
    used = snprintf(line, sizeof(line), "ascend: %s: ", asc_log_names[level]);
    va_start(args, format);
    used += vsnprintf(line + used, sizeof(line) - (size_t)used, format, args);
    va_end(args);
    if (used > (int)sizeof(line) - 2) {
        used = (int)sizeof(line) - 2;
    }
    line[used] = '\n';
    line[used + 1] = '\0';
    /* One write, so that lines of several ranks do not mix. */
    if (write(STDERR_FILENO, line, (size_t)used + 1) < 0) {
        return;
    }
}
