/* SPDX-License-Identifier: BSD-3-Clause */
#include "counters.h"

#include <inttypes.h>
#include <string.h>

#include "npusim.h"

_Atomic uint64_t sim_counts[SIM_COUNTERS];

static const char *const counter_names[SIM_COUNTERS] = {
#define SIM_FN(_name) #_name,
    SIM_API_LIST(SIM_FN)
#undef SIM_FN
#define SIM_COUNTER(_id, _name) _name,
        SIM_COUNTER_LIST(SIM_COUNTER)
#undef SIM_COUNTER
};

const char *sim_fn_name(int fn)
{
    return fn >= 0 && fn < SIM_FN_COUNT ? counter_names[fn] : "npusim";
}

int sim_fn_find(const char *name, size_t len)
{
    for (int i = 0; i < SIM_FN_COUNT; i++) {
        if (strlen(counter_names[i]) == len && memcmp(counter_names[i], name, len) == 0) {
            return i;
        }
    }
    return -1;
}

static int counter_find(const char *name)
{
    if (strncmp(name, "call.", 5) == 0) {
        return sim_fn_find(name + 5, strlen(name + 5));
    }
    for (int i = SIM_FN_COUNT; i < SIM_COUNTERS; i++) {
        if (strcmp(counter_names[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

SIM_API uint64_t npusim_counter(const char *name)
{
    int i = name != NULL ? counter_find(name) : -1;
    if (i < 0) {
        return NPUSIM_NO_COUNTER;
    }
    return atomic_load_explicit(&sim_counts[i], memory_order_relaxed);
}

SIM_API void npusim_counter_reset(void)
{
    for (int i = 0; i < SIM_C_LIVE_ALLOC; i++) {
        atomic_store_explicit(&sim_counts[i], 0, memory_order_relaxed);
    }
}

void sim_counters_print(FILE *out)
{
    const char *sep = "";
    fputs("{", out);
    for (int i = 0; i < SIM_COUNTERS; i++) {
        uint64_t v = atomic_load_explicit(&sim_counts[i], memory_order_relaxed);
        if (v != 0 || i >= SIM_C_LIVE_ALLOC) {
            fprintf(out, "%s\n  \"%s%s\": %" PRIu64, sep, i < SIM_FN_COUNT ? "call." : "",
                    counter_names[i], v);
            sep = ",";
        }
    }
    fputs("\n}\n", out);
}
