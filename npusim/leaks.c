/* SPDX-License-Identifier: BSD-3-Clause */
#include "leaks.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "counters.h"
#include "region.h"

static struct {
    uint64_t count, bytes;
    struct origin first;
} leaks[LEAK_KINDS];
static pthread_mutex_t leak_lock = PTHREAD_MUTEX_INITIALIZER;

static const char *const kind_names[LEAK_KINDS][2] = {
    [LEAK_ALLOC] = {"device allocation", "device allocations"},
    [LEAK_HOST] = {"host allocation", "host allocations"},
    [LEAK_REGISTERED] = {"registered host range", "registered host ranges"},
    [LEAK_IMPORT] = {"imported allocation", "imported allocations"},
    [LEAK_EXPORT] = {"export", "exports"},
    [LEAK_STREAM] = {"stream", "streams"},
    [LEAK_EVENT] = {"event", "events"},
    [LEAK_NOTIFY] = {"notify", "notifies"},
    [LEAK_CONTEXT] = {"context", "contexts"},
};

void leak_add(enum leak_kind kind, uint64_t bytes, const struct origin *by)
{
    pthread_mutex_lock(&leak_lock);
    if (leaks[kind].count++ == 0 || by->at < leaks[kind].first.at) {
        leaks[kind].first = *by;
    }
    leaks[kind].bytes += bytes;
    pthread_mutex_unlock(&leak_lock);
}

static void region_leak(struct region *r, void *dev)
{
    static const enum leak_kind kinds[] = {
        [REGION_DEVICE] = LEAK_ALLOC,
        [REGION_IMPORT] = LEAK_IMPORT,
        [REGION_PINNED] = LEAK_HOST,
        [REGION_REGISTERED] = LEAK_REGISTERED,
    };
    bool host = dev == NULL;
    if (host ? !region_on_device(r) : region_on_device(r) && r->dev == *(const int *)dev) {
        leak_add(kinds[r->kind], r->asked != 0 ? r->asked : r->size, &r->origin);
    }
}

void leaks_collect(int dev, bool all)
{
    if (all) {
        context_leaks(dev);
    }
    stream_leaks(dev, all);
    event_leaks(dev);
    notify_leaks(dev);
    export_leaks(dev);
    region_each(region_leak, &dev);
}

void leaks_collect_host(void)
{
    region_each(region_leak, NULL);
}

void leaks_print(void)
{
    for (int i = 0; i < LEAK_KINDS; i++) {
        uint64_t n = leaks[i].count;
        if (n == 0) {
            continue;
        }
        char bytes[48] = "";
        if (leaks[i].bytes != 0) {
            snprintf(bytes, sizeof(bytes), ", %" PRIu64 " bytes", leaks[i].bytes);
        }
        fprintf(stderr, "npusim[%d]: leak: %" PRIu64 " %s%s, first by %s call %" PRIu64 "\n",
                (int)getpid(), n, kind_names[i][n != 1], bytes, sim_fn_name(leaks[i].first.fn),
                leaks[i].first.nth);
    }
    memset(leaks, 0, sizeof(leaks));
}
