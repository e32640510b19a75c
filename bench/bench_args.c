/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench_args.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct args_error {
    char *text;
    size_t len;
} args_error_t;

static int args_test(const bench_program_t *program, char letter, const char *value,
                     const char **result, args_error_t err)
{
    size_t used;

    for (int i = 0; program->tests[i] != NULL; i++) {
        if (strcmp(value, program->tests[i]) == 0) {
            *result = program->tests[i];
            return 0;
        }
    }
    snprintf(err.text, err.len, "-%c '%s': expected one of", letter, value);
    for (int i = 0; program->tests[i] != NULL; i++) {
        used = strlen(err.text);
        snprintf(err.text + used, err.len - used, " %s", program->tests[i]);
    }
    return -1;
}

static int args_size(const char **at, size_t *size)
{
    static const char suffix[] = "KMG";
    unsigned long long value;
    const char *found;
    char *end;

    if (!isdigit((unsigned char)**at)) {
        return -1;
    }
    errno = 0;
    value = strtoull(*at, &end, 10);
    if (errno != 0 || value > INT_MAX) {
        return -1;
    }
    found = *end != '\0' ? strchr(suffix, toupper((unsigned char)*end)) : NULL;
    if (found != NULL) {
        value <<= 10 * (found - suffix + 1);
        end++;
    }
    if (value > INT_MAX) {
        return -1;
    }
    *size = (size_t)value;
    *at = end;
    return 0;
}

static int args_range(const char *value, bench_args_t *args, args_error_t err)
{
    const char *at = value;

    if (args_size(&at, &args->min) == 0 && *at == ':') {
        at++;
        if (args_size(&at, &args->max) == 0 && *at == '\0' && args->min <= args->max) {
            return 0;
        }
    }
    snprintf(err.text, err.len,
             "-m '%s': expected MIN:MAX in bytes, MIN at most MAX, both at most %d, with K, M or "
             "G for powers of 1024, e.g. 1:4M",
             value, INT_MAX);
    return -1;
}

static int args_vector(const char *value, bench_args_t *args, args_error_t err)
{
    const char *at = value;

    if (args_size(&at, &args->block) == 0 && *at == ':' && args->block > 0) {
        at++;
        if (args_size(&at, &args->stride) == 0 && *at == '\0' && args->block <= args->stride) {
            return 0;
        }
    }
    snprintf(err.text, err.len,
             "--vector '%s': expected BLOCK:STRIDE in bytes, BLOCK at least 1 and at most STRIDE, "
             "e.g. 8:4K",
             value);
    return -1;
}

static int args_count(char letter, const char *value, int low, int *result, args_error_t err)
{
    char *end;
    long number;

    errno = 0;
    number = strtol(value, &end, 10);
    if (*value == '\0' || *end != '\0' || errno != 0 || number < low || number > 10000000) {
        snprintf(err.text, err.len, "-%c '%s': expected a whole number from %d to 10000000", letter,
                 value, low);
        return -1;
    }
    *result = (int)number;
    return 0;
}

/* "DH", "D H" or, as two arguments, D H. Returns how many arguments it took,
 * or -1. */
static int args_places(const char *value, const char *next, char place[2], args_error_t err)
{
    char text[8];
    int taken = 1;
    int letters = 0;

    snprintf(text, sizeof(text), "%s", value);
    if (strlen(text) == 1 && next != NULL && strlen(next) == 1) {
        text[1] = next[0];
        text[2] = '\0';
        taken = 2;
    }
    for (int i = 0; text[i] != '\0'; i++) {
        char letter = (char)toupper((unsigned char)text[i]);

        if (letter == ' ') {
            continue;
        }
        if ((letter != 'D' && letter != 'H') || letters == 2) {
            letters = 0;
            break;
        }
        place[letters++] = letter;
    }
    if (letters != 2) {
        snprintf(err.text, err.len,
                 "-b '%s%s%s': expected D (NPU memory) or H (host memory) for each of the two "
                 "ranks, e.g. D H",
                 value, taken == 2 ? " " : "", taken == 2 ? next : "");
        return -1;
    }
    return taken;
}

static int args_memory(const char *value, char place[2], args_error_t err)
{
    if (strcmp(value, "npu") == 0) {
        place[0] = place[1] = 'D';
    } else if (strcmp(value, "host") == 0) {
        place[0] = place[1] = 'H';
    } else {
        snprintf(err.text, err.len, "-d '%s': expected npu or host", value);
        return -1;
    }
    return 1;
}

/* Returns how many further arguments the option took, or -1. */
static int args_option(const bench_program_t *program, char letter, const char *value,
                       const char *next, bench_args_t *args, args_error_t err)
{
    int ret;

    switch (letter) {
    case 't':
    case 'o':
        ret = args_test(program, letter, value, &args->test, err);
        break;
    case 'b':
        return args_places(value, next, args->place, err);
    case 'd':
        return args_memory(value, args->place, err);
    case 'm':
        ret = args_range(value, args, err);
        break;
    case 'v':
        ret = args_vector(value, args, err);
        break;
    case 'i':
        ret = args_count(letter, value, 1, &args->iterations, err);
        break;
    case 'w':
        ret = args_count(letter, value, 0, &args->warmup, err);
        break;
    default:
        ret = args_count(letter, value, 1, &args->window, err);
        break;
    }
    return ret == 0 ? 1 : -1;
}

static int args_flag(const char *arg, bench_args_t *args)
{
    if (strcmp(arg, "-c") == 0) {
        args->check = 1;
    } else if (strcmp(arg, "--json") == 0) {
        args->json = 1;
    } else if (strcmp(arg, "--help") == 0 || strcmp(arg, "-h") == 0) {
        args->help = 1;
    } else {
        return 0;
    }
    return 1;
}

int bench_args_parse(int argc, char **argv, const bench_program_t *program, bench_args_t *args,
                     char *error, size_t len)
{
    args_error_t err = {error, len};
    int i = 1;

    *args = program->defaults;
    while (i < argc) {
        const char *arg = argv[i++];
        int taken;

        if (args_flag(arg, args)) {
            continue;
        }
        if (strcmp(arg, "--vector") == 0) {
            arg = "-v";
        }
        if (arg[0] != '-' || strlen(arg) != 2 || strchr(program->letters, arg[1]) == NULL) {
            snprintf(error, len, "unknown argument '%s'; --help lists what there is", arg);
            return -1;
        }
        if (i == argc) {
            snprintf(error, len, "%s: its value is missing", argv[i - 1]);
            return -1;
        }
        taken = args_option(program, arg[1], argv[i], i + 1 < argc ? argv[i + 1] : NULL, args, err);
        if (taken < 0) {
            return -1;
        }
        i += taken;
    }
    return 0;
}

size_t bench_args_next(const bench_args_t *args, size_t size)
{
    size_t next = size == 0 ? 1 : 2 * size;

    if (size >= args->max) {
        return 0;
    }
    return next < args->max ? next : args->max;
}
