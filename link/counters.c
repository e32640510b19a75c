/* SPDX-License-Identifier: BSD-3-Clause */
#include "link/counters.h"
#include "link/asc_link.h"

#include <string.h>

int64_t link_counter_values[LINK_COUNTER_LAST];

static const char *const link_counter_names[LINK_COUNTER_LAST] = {
#define LINK_COUNTER_NAME(_name, _what) [LINK_COUNTER_##_name] = #_name,
    LINK_COUNTERS(LINK_COUNTER_NAME)
#undef LINK_COUNTER_NAME
};

int64_t asc_link_counter(const char *name)
{
    for (unsigned i = 0; name != NULL && i < LINK_COUNTER_LAST; ++i) {
        if (strcmp(link_counter_names[i], name) == 0) {
            return __atomic_load_n(&link_counter_values[i], __ATOMIC_RELAXED);
        }
    }
    return -1;
}
