/* SPDX-License-Identifier: BSD-3-Clause */
#include "redzone.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "entry.h"
#include "npusim.h"
#include "region.h"

#define PATTERN 0xa7

/* guards what regions know of their last offender */
static pthread_mutex_t zone_lock = PTHREAD_MUTEX_INITIALIZER;

struct zone {
    ptrdiff_t from, to; /* offsets from the allocation's base */
    const char *where;
    struct origin *by;
};

static void zones_of(struct region *r, struct zone z[2])
{
    z[0] = (struct zone){-(ptrdiff_t)knobs.redzone, 0, "before", &r->hit_before};
    z[1] = (struct zone){(ptrdiff_t)r->asked, (ptrdiff_t)(r->size + knobs.redzone), "after",
                         &r->hit_after};
}

static bool has_zones(const struct region *r)
{
    return knobs.redzone != 0 && r->kind == REGION_DEVICE;
}

static unsigned char *zone_byte(const struct region *r, ptrdiff_t offset)
{
    return (unsigned char *)region_engine(r, (const void *)r->base) + offset;
}

void redzone_fill(struct region *r)
{
    struct zone z[2];
    zones_of(r, z);
    for (int i = 0; i < 2; i++) {
        memset(zone_byte(r, z[i].from), PATTERN, (size_t)(z[i].to - z[i].from));
    }
}

/* "red zone after 0x7f..., 100 bytes of device 0 (aclrtMalloc call 3)" */
static void head(const struct region *r, const struct zone *z, char *out, size_t len)
{
    snprintf(out, len, "npusim[%d]: red zone %s %p, %zu bytes of device %d (%s call %" PRIu64 "): ",
             (int)getpid(), z->where, (void *)r->base, r->asked, knobs_user(r->dev),
             sim_fn_name(r->origin.fn), r->origin.nth);
    sim_count(SIM_C_REDZONE, 1);
}

static void report(const struct region *r, const struct zone *z, ptrdiff_t first, ptrdiff_t last,
                   const char *found_by)
{
    char text[256], by[96] = "nothing that an engine of this process wrote";
    head(r, z, text, sizeof(text));
    if (z->by->nth != 0) {
        snprintf(by, sizeof(by), "last by %s call %" PRIu64, sim_fn_name(z->by->fn), z->by->nth);
    }
    fprintf(stderr, "%soffsets %td to %td were overwritten, %s; found by %s\n", text, first, last,
            by, found_by);
}

unsigned redzone_check(struct region *r, const char *found_by)
{
    struct zone z[2];
    unsigned hits = 0;
    if (!has_zones(r)) {
        return 0;
    }
    zones_of(r, z);
    pthread_mutex_lock(&zone_lock);
    for (int i = 0; i < 2; i++) {
        ptrdiff_t first = z[i].to, last = z[i].from;
        for (ptrdiff_t at = z[i].from; at < z[i].to; at++) {
            if (*zone_byte(r, at) != PATTERN) {
                first = at < first ? at : first;
                last = at;
            }
        }
        if (first <= last) {
            report(r, &z[i], first, last, found_by);
            memset(zone_byte(r, first), PATTERN, (size_t)(last - first) + 1);
            *z[i].by = (struct origin){0};
            hits++;
        }
    }
    pthread_mutex_unlock(&zone_lock);
    return hits;
}

struct sweep {
    const char *found_by;
    unsigned hits;
};

static void sweep_one(struct region *r, void *arg)
{
    struct sweep *s = arg;
    s->hits += redzone_check(r, s->found_by);
}

unsigned redzone_check_all(const char *found_by)
{
    struct sweep s = {found_by, 0};
    if (knobs.redzone != 0) {
        region_each(sweep_one, &s);
    }
    return s.hits;
}

SIM_API unsigned npusim_redzone_check(void)
{
    return redzone_check_all("npusim_redzone_check");
}

void redzone_note(struct region *r, const void *p, size_t len)
{
    struct zone z[2];
    struct region *near = r != NULL ? NULL : region_zone(p);
    struct origin by = sim_thread.by != NULL ? *sim_thread.by : origin_here();
    r = r != NULL ? r : near;
    if (r != NULL && has_zones(r) && len != 0) {
        ptrdiff_t from = (ptrdiff_t)((uintptr_t)p - r->base), to = from + (ptrdiff_t)len;
        zones_of(r, z);
        pthread_mutex_lock(&zone_lock);
        for (int i = 0; i < 2; i++) {
            char text[256];
            if (from >= z[i].to || to <= z[i].from) {
                continue;
            }
            if (from >= 0 && to <= (ptrdiff_t)r->size) {
                *z[i].by = by; /* the padding takes it: found when somebody looks */
                continue;
            }
            head(r, &z[i], text, sizeof(text));
            fprintf(stderr, "%s%s call %" PRIu64 " would write offsets %td to %td; refused\n", text,
                    sim_fn_name(by.fn), by.nth, from, to - 1);
        }
        pthread_mutex_unlock(&zone_lock);
    }
    region_put(near);
}
