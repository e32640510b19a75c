/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fault_parse.c - the text of a fault plan, WHAT:WHEN=EFFECT[@RANK] separated
 * by commas. A rule that is not understood would silently test nothing, so
 * every error names the part and what may stand there.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fault.h"
#include "knobs.h"
#include "values.h"

struct parse {
    char rule[160]; /* the rule being read, cut at its separators */
    char *what, *when, *effect, *rank;
    char *why;
    size_t why_len;
};

/* Always false, so that it can be returned. */
__attribute__((format(printf, 2, 3))) static bool bad(struct parse *p, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(p->why, p->why_len, fmt, ap);
    va_end(ap);
    return false;
}

static bool split(struct parse *p, const char *s, size_t len)
{
    if (len == 0 || len >= sizeof(p->rule)) {
        return bad(p, "a rule is empty or longer than %zu characters", sizeof(p->rule) - 1);
    }
    memcpy(p->rule, s, len);
    p->rule[len] = '\0';
    char *colon = strchr(p->rule, ':');
    char *equal = colon != NULL ? strchr(colon, '=') : NULL;
    if (equal == NULL) {
        return bad(p, "rule '%s' is not of the form WHAT:WHEN=EFFECT[@RANK]", p->rule);
    }
    char *at = strchr(equal, '@');
    p->what = p->rule;
    p->when = colon + 1;
    p->effect = equal + 1;
    p->rank = at != NULL ? at + 1 : NULL;
    *colon = *equal = '\0';
    if (at != NULL) {
        *at = '\0';
    }
    return true;
}

static bool read_what(struct parse *p, struct fault_rule *r)
{
    static const char *const names[] = {"stream", "copy", "reduce", "memset", "notify", "device"};
    uint64_t dev;
    r->dev = -1;
    r->target = sim_fn_find(p->what, strlen(p->what));
    for (int i = 0; r->target < 0 && i < (int)(sizeof(names) / sizeof(names[0])); i++) {
        r->target = strcmp(p->what, names[i]) == 0 ? FAULT_ON_STREAM + i : -1;
    }
    if (strncmp(p->what, "device/", 7) == 0) {
        const char *id = p->what + 7;
        if (!value_number(&id, SIM_MAX_DEVICES - 1, &dev) || *id != '\0') {
            return bad(p, "'%s' does not name a device: write device/ID, ID below %d", p->what,
                       SIM_MAX_DEVICES);
        }
        r->target = FAULT_ON_DEVICE;
        r->dev = (int)dev;
    }
    return r->target >= 0 ||
           bad(p,
               "'%s' is no function of the runtime; or write stream, copy, reduce, memset, notify, "
               "device or device/ID",
               p->what);
}

static bool read_when(struct parse *p, struct fault_rule *r)
{
    const char *s = p->when;
    char *end;
    r->nth = 0;
    r->onward = false;
    if (strcmp(s, "*") == 0) {
        r->nth = 1;
        r->onward = true;
        return true;
    }
    size_t len = strspn(s, "0123456789.");
    if (len > 0 && strcmp(s + len, "%") == 0) {
        double percent = strtod(s, &end);
        r->chance = percent / 100;
        return (end == s + len && percent > 0 && percent <= 100) ||
               bad(p, "'%s' is no chance: write a number above 0 and up to 100 before %%", s);
    }
    if (value_number(&s, UINT64_MAX, &r->nth) && r->nth > 0) {
        r->onward = *s == '+';
        s += r->onward;
        if (*s == '\0') {
            return true;
        }
    }
    return bad(p, "'%s' does not say when: write N (the Nth, from 1), N+ (and all later), * or P%%",
               p->when);
}

static bool read_effect(struct parse *p, struct fault_rule *r)
{
    static const struct {
        const char *name;
        enum fault_effect effect;
        bool timed;
    } table[] = {{"stall/", FAULT_STALL, true},
                 {"late/", FAULT_LATE, true},
                 {"lost", FAULT_LOST, false},
                 {"double", FAULT_DOUBLE, false}};
    const char *s = p->effect;
    uint64_t code;
    if (value_number(&s, INT32_MAX, &code) && code > 0 && *s == '\0') {
        r->effect = FAULT_CODE;
        r->code = (aclError)code;
        return true;
    }
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        size_t len = strlen(table[i].name);
        s = p->effect + len;
        if (strncmp(p->effect, table[i].name, len) == 0 &&
            (!table[i].timed || value_time(&s, &r->ns)) && *s == '\0') {
            r->effect = table[i].effect;
            return true;
        }
    }
    return bad(p,
               "'%s' is no effect: write a code above 0, stall/TIME, lost, late/TIME or double; "
               "TIME is at most an hour with us, ms or s behind it",
               p->effect);
}

/* Not everything can happen to everything. */
static bool fits(struct parse *p, struct fault_rule *r)
{
    static const struct {
        unsigned effects;
        const char *text;
    } allowed[] = {
        [FAULT_ON_STREAM - SIM_FN_COUNT] = {1u << FAULT_CODE | 1u << FAULT_STALL,
                                            "a code or stall/TIME"},
        [FAULT_ON_COPY -
            SIM_FN_COUNT] = {1u << FAULT_CODE | 1u << FAULT_STALL, "a code or stall/TIME"},
        [FAULT_ON_REDUCE -
            SIM_FN_COUNT] = {1u << FAULT_CODE | 1u << FAULT_STALL, "a code or stall/TIME"},
        [FAULT_ON_MEMSET -
            SIM_FN_COUNT] = {1u << FAULT_CODE | 1u << FAULT_STALL, "a code or stall/TIME"},
        [FAULT_ON_NOTIFY - SIM_FN_COUNT] = {1u << FAULT_CODE | 1u << FAULT_STALL |
                                                1u << FAULT_LOST | 1u << FAULT_LATE |
                                                1u << FAULT_DOUBLE,
                                            "a code, stall/TIME, lost, late/TIME or double"},
        [FAULT_ON_DEVICE - SIM_FN_COUNT] = {1u << FAULT_LOST, "lost"},
    };
    unsigned effects = 1u << FAULT_CODE | 1u << FAULT_STALL;
    const char *text = "a code or stall/TIME";
    if (r->target >= SIM_FN_COUNT) {
        effects = allowed[r->target - SIM_FN_COUNT].effects;
        text = allowed[r->target - SIM_FN_COUNT].text;
    }
    if ((effects >> r->effect & 1) == 0) {
        return bad(p, "'%s' cannot happen to '%s', which takes %s", p->effect, p->what, text);
    }
    r->onward = r->onward || r->target == FAULT_ON_DEVICE; /* what is lost stays lost */
    return r->target != FAULT_ON_DEVICE || r->nth != 0 ||
           bad(p, "'%s' for '%s': a device is lost from a call on, write N or *", p->when, p->what);
}

static bool read_rank(struct parse *p, bool *mine)
{
    const char *have = getenv("OMPI_COMM_WORLD_RANK"), *s = p->rank;
    uint64_t rank;
    *mine = true;
    if (s == NULL) {
        return true;
    }
    if (!value_number(&s, INT32_MAX, &rank) || *s != '\0') {
        return bad(p, "'@%s' is no rank: write @ and a number from 0", p->rank);
    }
    *mine = have != NULL && strtoull(have, NULL, 10) == rank;
    return true;
}

static bool read_rule(struct parse *p, const char *s, size_t len)
{
    struct fault_rule *r = &fault_rules[fault_count];
    bool mine;
    if (fault_count == FAULT_MAX) {
        return bad(p, "more than %d rules", FAULT_MAX);
    }
    if (!split(p, s, len) || !read_what(p, r) || !read_when(p, r) || !read_effect(p, r) ||
        !fits(p, r) || !read_rank(p, &mine)) {
        return false;
    }
    atomic_store(&r->seen, 0);
    fault_count += mine;
    return true;
}

bool fault_load(const char *text, char *why, size_t why_len)
{
    struct parse p = {.why = why, .why_len = why_len};
    fault_count = 0;
    for (const char *s = text; s != NULL && *text != '\0';) {
        size_t len = strcspn(s, ",");
        if (!read_rule(&p, s, len)) {
            fault_count = 0;
            return false;
        }
        s = s[len] == ',' ? s + len + 1 : NULL;
    }
    return true;
}
