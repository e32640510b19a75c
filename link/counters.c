/* SPDX-License-Identifier: BSD-3-Clause */
#include "link/counters.h"
#include "link/asc_link.h"

#include <string.h>

int64_t link_counter_values[LINK_COUNTER_LAST];

static const struct {
    const char *name, *help;
} link_counter_texts[LINK_COUNTER_LAST] = {
#define LINK_COUNTER_TEXT(_name, _help) [LINK_COUNTER_##_name] = {#_name, _help},
    LINK_COUNTERS(LINK_COUNTER_TEXT)
#undef LINK_COUNTER_TEXT
};

int64_t asc_link_counter(const char *name)
{
    for (unsigned i = 0; name != NULL && i < LINK_COUNTER_LAST; ++i) {
        if (strcmp(link_counter_texts[i].name, name) == 0) {
            return __atomic_load_n(&link_counter_values[i], __ATOMIC_RELAXED);
        }
    }
    return -1;
}

const char *asc_link_counter_name(unsigned index)
{
    return index < LINK_COUNTER_LAST ? link_counter_texts[index].name : NULL;
}

const char *asc_link_counter_help(unsigned index)
{
    return index < LINK_COUNTER_LAST ? link_counter_texts[index].help : NULL;
}
