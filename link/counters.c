/* SPDX-License-Identifier: BSD-3-Clause */
#include "link/counters.h"
#include "acl/asc_log.h"
#include "link/asc_link.h"
#include "link/env.h"
#include "link/init.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int64_t link_counter_values[LINK_COUNTER_LAST];

static const struct {
    const char *name, *what;
} link_counter_texts[LINK_COUNTER_LAST] = {
#define LINK_COUNTER_TEXT(_name, _what) [LINK_COUNTER_##_name] = {#_name, _what},
    LINK_COUNTERS(LINK_COUNTER_TEXT)
#undef LINK_COUNTER_TEXT
};

static int64_t link_counter_read(unsigned i)
{
    return __atomic_load_n(&link_counter_values[i], __ATOMIC_RELAXED);
}

int64_t asc_link_counter(const char *name)
{
    for (unsigned i = 0; name != NULL && i < LINK_COUNTER_LAST; ++i) {
        if (strcmp(link_counter_texts[i].name, name) == 0) {
            return link_counter_read(i);
        }
    }
    return -1;
}

/* ---- ASCEND_STATS ------------------------------------------------------- */

static char link_counters_path[1024];

static void link_counters_tell(void)
{
    FILE *file = link_forked() ? NULL : fopen(link_counters_path, "w");

    if (file == NULL) {
        if (!link_forked()) {
            asc_log(ASC_LOG_WARN, "the file %s that ASCEND_STATS names cannot be written: %s",
                    link_counters_path, strerror(errno));
        }
        return;
    }
    for (unsigned i = 0; i < LINK_COUNTER_LAST; ++i) {
        fprintf(file, "%-16s %12lld  %s\n", link_counter_texts[i].name,
                (long long)link_counter_read(i), link_counter_texts[i].what);
    }
    fclose(file);
}

static void link_counters_begin(void)
{
    const char *pattern = link_env()->stats, *mark = strstr(pattern, "%p");

    if (pattern[0] == '\0') {
        return;
    }
    if (mark == NULL) {
        snprintf(link_counters_path, sizeof(link_counters_path), "%s", pattern);
    } else {
        snprintf(link_counters_path, sizeof(link_counters_path), "%.*s%d%s", (int)(mark - pattern),
                 pattern, (int)getpid(), mark + 2);
    }
    (void)atexit(link_counters_tell);
}

void link_counters_tell_at_exit(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, link_counters_begin);
}
