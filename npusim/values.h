/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * values.h - numbers, times and rates in the text of variables. Each function
 * reads from *at and moves it behind what it took; false leaves it alone.
 */
#ifndef NPUSIM_VALUES_H
#define NPUSIM_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#define VALUE_HOUR_NS 3600000000000ull

/* A decimal number without sign, at most max. */
bool value_number(const char **at, uint64_t max, uint64_t *out);

/* A number, perhaps with a fraction, times one in units "KMGT" (powers of
 * base, optional), rounded down; at most max. */
bool value_scaled(const char **at, uint64_t base, uint64_t max, uint64_t *out);

/* A time with its unit (us, ms or s) in nanoseconds; at most an hour. */
bool value_time(const char **at, uint64_t *ns);

#endif
