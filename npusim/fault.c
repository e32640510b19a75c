/* SPDX-License-Identifier: BSD-3-Clause */
#include "fault.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "counters.h"

#define FAULT_MAX 64

static struct fault_rule {
    int fn;
    uint64_t nth; /* 0: every call */
    aclError code;
    _Atomic uint64_t seen;
} rules[FAULT_MAX];
static int rule_count;

static bool rank_matches(long rank)
{
    const char *mine = getenv("OMPI_COMM_WORLD_RANK");
    return mine != NULL && strtol(mine, NULL, 10) == rank;
}

/* one rule, [s, s + len) */
static bool rule_parse(const char *s, size_t len)
{
    char buf[160];
    if (len == 0 || len >= sizeof(buf) || rule_count == FAULT_MAX) {
        return false;
    }
    memcpy(buf, s, len);
    buf[len] = '\0';

    char *colon = strchr(buf, ':');
    char *equal = colon != NULL ? strchr(colon, '=') : NULL;
    if (equal == NULL) {
        return false;
    }
    char *end;
    struct fault_rule *r = &rules[rule_count];
    r->fn = sim_fn_find(buf, (size_t)(colon - buf));
    if (r->fn < 0) {
        return false;
    }
    if (strncmp(colon + 1, "*=", 2) == 0) {
        r->nth = 0;
    } else {
        r->nth = strtoull(colon + 1, &end, 10);
        if (end != equal || r->nth == 0) {
            return false;
        }
    }
    r->code = (aclError)strtol(equal + 1, &end, 10);
    if (end == equal + 1 || r->code <= 0) {
        return false;
    }
    bool mine = true;
    if (*end == '@') {
        char *rank = end + 1;
        long want = strtol(rank, &end, 10);
        mine = rank_matches(want);
        if (end == rank) {
            return false;
        }
    }
    if (*end != '\0') {
        return false;
    }
    atomic_store(&r->seen, 0);
    rule_count += mine;
    return true;
}

bool fault_load(const char *text)
{
    rule_count = 0;
    for (const char *s = text; s != NULL && *s != '\0';) {
        size_t len = strcspn(s, ",");
        if (!rule_parse(s, len)) {
            rule_count = 0;
            return false;
        }
        s += len;
        s += *s == ',';
    }
    return true;
}

bool fault_any(void)
{
    return rule_count > 0;
}

aclError fault_check(int fn)
{
    aclError code = ACL_SUCCESS;
    for (int i = 0; i < rule_count; i++) {
        if (rules[i].fn != fn) {
            continue;
        }
        uint64_t n = atomic_fetch_add(&rules[i].seen, 1) + 1;
        if (code == ACL_SUCCESS && (rules[i].nth == 0 || rules[i].nth == n)) {
            code = rules[i].code;
        }
    }
    return code;
}
