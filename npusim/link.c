/* SPDX-License-Identifier: BSD-3-Clause */
#include "link.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "memory.h"
#include "sysmem.h"
#include "values.h"

#define MIN_RATE 1000
#define MAX_RATE 1000000000000000ull

static struct link {
    uint64_t rate; /* bytes per second; 0: no limit */
    uint64_t latency_ns;
    uint64_t busy_until; /* under the lock */
} links[SIM_MAX_DEVICES + 1][SIM_MAX_DEVICES + 1];
static bool any;
static pthread_mutex_t link_lock = PTHREAD_MUTEX_INITIALIZER;

static bool place(const char **at, int *out)
{
    uint64_t id;
    if (**at == 'h') {
        (*at)++;
        *out = LINK_HOST;
        return true;
    }
    if (!value_number(at, SIM_MAX_DEVICES - 1, &id)) {
        return false;
    }
    *out = (int)id;
    return true;
}

static bool pair(const char **at, int *a, int *b)
{
    if (!place(at, a) || **at != '-') {
        return false;
    }
    (*at)++;
    if (!place(at, b) || **at != '=' || (*a == LINK_HOST && *b == LINK_HOST)) {
        return false;
    }
    (*at)++;
    return true;
}

/* RATE, RATE/TIME or /TIME */
static bool speed(const char **at, struct link *l)
{
    *l = (struct link){0, 0, 0};
    if (**at != '/' && (!value_scaled(at, 1000, MAX_RATE, &l->rate) || l->rate < MIN_RATE)) {
        return false;
    }
    if (**at == '/') {
        (*at)++;
        return value_time(at, &l->latency_ns);
    }
    return true;
}

bool link_load(const char *text, char *why, size_t why_len)
{
    memset(links, 0, sizeof(links));
    any = false;
    for (const char *s = text; s != NULL && *text != '\0';) {
        struct link l;
        int a, b;
        int len = (int)strcspn(s, ",");
        const char *at = s;
        if (!pair(&at, &a, &b)) {
            snprintf(why, why_len,
                     "'%.*s' does not begin with a pair: write A-B=, A and B device ids below %d "
                     "or h for the host",
                     len, s, SIM_MAX_DEVICES);
            return false;
        }
        if (!speed(&at, &l) || at != s + len) {
            snprintf(why, why_len,
                     "'%.*s' has no speed: write RATE/TIME after the =, RATE in bytes per second "
                     "from 1K to 1000T, TIME with us, ms or s; either may be left out",
                     len, s);
            return false;
        }
        links[a][b] = links[b][a] = l;
        any = true;
        s = s[len] == ',' ? s + len + 1 : NULL;
    }
    return true;
}

bool link_any(void)
{
    return any;
}

int link_place(const struct region *r)
{
    if (!region_on_device(r)) {
        return LINK_HOST;
    }
    return r->kind == REGION_IMPORT ? r->exp_dev : r->dev;
}

uint64_t link_done(const struct traffic *t)
{
    struct link *l = &links[t->src][t->dst];
    if (l->rate == 0 && l->latency_ns == 0) {
        return 0;
    }
    uint64_t now = sysmem_now();
    pthread_mutex_lock(&link_lock);
    uint64_t from = l->busy_until > now ? l->busy_until : now;
    l->busy_until = from + (l->rate != 0 ? (uint64_t)((double)t->len * 1e9 / (double)l->rate) : 0);
    uint64_t done = l->busy_until + l->latency_ns;
    pthread_mutex_unlock(&link_lock);
    return done;
}

void link_wait(const struct traffic *t)
{
    uint64_t done = any ? link_done(t) : 0;
    if (done != 0) {
        sysmem_sleep_until(done);
    }
}
