/* SPDX-License-Identifier: BSD-3-Clause */
#include "values.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool value_number(const char **at, uint64_t max, uint64_t *out)
{
    char *end;
    if (!isdigit((unsigned char)**at)) {
        return false;
    }
    errno = 0;
    uint64_t v = strtoull(*at, &end, 10);
    if (errno != 0 || v > max) {
        return false;
    }
    *out = v;
    *at = end;
    return true;
}

/* Digits with at most one point: no sign, exponent, hexadecimal or infinity. */
static bool fraction(const char **at, double *out)
{
    char buf[32];
    size_t len = strspn(*at, "0123456789."), digits = strcspn(*at, ".");
    if (!isdigit((unsigned char)**at) || len >= sizeof(buf)) {
        return false;
    }
    memcpy(buf, *at, len);
    buf[len] = '\0';
    if (digits < len && strchr(buf + digits + 1, '.') != NULL) {
        return false;
    }
    *out = strtod(buf, NULL);
    *at += len;
    return true;
}

bool value_scaled(const char **at, uint64_t base, uint64_t max, uint64_t *out)
{
    static const char units[] = "KMGT";
    const char *s = *at;
    double v;
    if (!fraction(&s, &v)) {
        return false;
    }
    const char *u = *s != '\0' ? strchr(units, toupper((unsigned char)*s)) : NULL;
    for (const char *k = units; u != NULL && k <= u; k++) {
        v *= (double)base;
    }
    if (v > (double)max) {
        return false;
    }
    *out = (uint64_t)v;
    *at = s + (u != NULL);
    return true;
}

bool value_time(const char **at, uint64_t *ns)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    const char *s = *at;
    double v;
    if (!fraction(&s, &v)) {
        return false;
    }
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        size_t len = strlen(units[i].name);
        if (strncmp(s, units[i].name, len) == 0) {
            if (v * units[i].ns > (double)VALUE_HOUR_NS) {
                return false;
            }
            *ns = (uint64_t)(v * units[i].ns);
            *at = s + len;
            return true;
        }
    }
    return false;
}
