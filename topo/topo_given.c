/* SPDX-License-Identifier: BSD-3-Clause */
/* Links whose worth the user knows better than the model. */
#include "topo/topo_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A device id, or h for the host. */
static int parse_end(const char **at, int *id)
{
    char *end;
    long value;

    if (**at == 'h') {
        ++*at;
        *id = ASC_TOPO_GIVEN_HOST;
        return 1;
    }
    if ((**at < '0') || (**at > '9')) {
        return 0;
    }
    value = strtol(*at, &end, 10);
    *at = end;
    *id = (int)value;
    return (value >= 0) && (value <= 4095);
}

static int parse_pair(const char **at, struct asc_topo_given *given)
{
    if (!parse_end(at, &given->a) || (*(*at)++ != '-') || !parse_end(at, &given->b)) {
        return 0;
    }
    return (*(*at)++ == '=') &&
           ((given->a != ASC_TOPO_GIVEN_HOST) || (given->b != ASC_TOPO_GIVEN_HOST));
}

/* A number above 0 without sign or exponent, so that 'e' and 'x' mean nothing. */
static int parse_number(const char **at, double *value)
{
    size_t len = strspn(*at, "0123456789.");
    char digits[32], *end;

    if ((len == 0) || (len >= sizeof(digits))) {
        return 0;
    }
    memcpy(digits, *at, len);
    digits[len] = '\0';
    *value = strtod(digits, &end);
    *at += len;
    return (*end == '\0') && (*value > 0);
}

static int parse_rate(const char **at, double *rate)
{
    static const char units[] = "KMGT";
    const char *unit;
    double worth = 1e3;
    int power;

    if (!parse_number(at, rate)) {
        return 0;
    }
    unit = (**at != '\0') ? strchr(units, **at) : NULL;
    if (unit != NULL) {
        for (power = 0; power < unit - units; ++power) {
            worth *= 1e3;
        }
        *rate *= worth;
        ++*at;
    }
    return (*rate >= 1e3) && (*rate <= 1e15);
}

static int parse_time(const char **at, double *time)
{
    static const struct {
        const char *name;
        double worth;
    } units[] = {{"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
    size_t i;

    if (!parse_number(at, time)) {
        return 0;
    }
    for (i = 0; i < sizeof(units) / sizeof(units[0]); ++i) {
        if (strncmp(*at, units[i].name, strlen(units[i].name)) == 0) {
            *at += strlen(units[i].name);
            *time *= units[i].worth;
            return *time <= 1;
        }
    }
    return 0;
}

static int parse_one(const char *text, size_t len, struct asc_topo_given *given)
{
    const char *at = text;

    given->bandwidth = 0;
    given->latency = -1;
    if (!parse_pair(&at, given) || ((*at != '/') && !parse_rate(&at, &given->bandwidth))) {
        return 0;
    }
    if (*at == '/') {
        ++at;
        if (!parse_time(&at, &given->latency)) {
            return 0;
        }
    }
    return at == text + len;
}

int asc_topo_parse_links(const char *text, struct asc_topo_given *given, int room, char *reason,
                         size_t reason_size)
{
    struct asc_topo_given one;
    int count = 0;
    size_t len;

    while (*text != '\0') {
        len = strcspn(text, ",");
        if (!parse_one(text, len, &one)) {
            snprintf(reason, reason_size,
                     "'%.*s' is no link: write A-B=RATE/TIME, A and B being physical device ids "
                     "or h for the host, RATE bytes per second from 1K to 1000T, TIME up to 1s "
                     "with us, ms or s; RATE or /TIME may be left out",
                     (int)(len < 64 ? len : 64), text);
            return -EINVAL;
        }
        if (count < room) {
            given[count] = one;
        }
        ++count;
        text += len;
        text += (*text == ',');
    }
    return count;
}

static int is_pair(const struct asc_topo_given *given, int a, int b)
{
    return ((given->a == a) && (given->b == b)) || ((given->a == b) && (given->b == a));
}

int asc_topo_apply_given(const struct asc_topo *topo, int a, int b, struct asc_topo_link *link)
{
    const struct asc_topo_given *given;
    int i, found = 0;

    for (i = 0; i < topo->num_given; ++i) {
        given = &topo->given[i];
        if (!is_pair(given, a, b)) {
            continue;
        }
        found = 1;
        if (given->bandwidth > 0) {
            link->get_bandwidth = link->put_bandwidth = given->bandwidth;
        }
        if (given->latency >= 0) {
            link->latency = given->latency;
        }
    }
    return found;
}
