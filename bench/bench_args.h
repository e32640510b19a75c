/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The command line that the benchmarks share.
 */
#ifndef BENCH_ARGS_H
#define BENCH_ARGS_H

#include <stddef.h>

typedef struct bench_args {
    const char *test; /* value of -t or -o */
    char place[2];    /* -b: 'D' or 'H' for rank 0 and rank 1; -d: both the same */
    size_t min;       /* bytes, min <= max <= INT_MAX */
    size_t max;
    int iterations; /* 0: by size */
    int warmup;     /* -1: by iterations */
    int window;     /* 0: by size */
    size_t block;   /* --vector: bytes of a row, 0 without it */
    size_t stride;  /* and from one row to the next, at least block */
    int check;
    int json;
    int help;
} bench_args_t;

/** Which arguments a program takes and what they mean to it. */
typedef struct bench_program {
    const char *name;
    const char *letters; /* of the options it knows, out of "tobdmiwWv"; -c, --json and --help go
                            without saying */
    const char *const *tests; /* names that -t or -o may have, NULL at the end */
    const char *usage;
    bench_args_t defaults;
} bench_program_t;

/** @return 0, or -1 with a sentence that names the argument and what it may be
 *  in @a error. */
int bench_args_parse(int argc, char **argv, const bench_program_t *program, bench_args_t *args,
                     char *error, size_t len);

/** The size after @a size in a series from min by doubling that ends with max
 *  itself; 0 when there is none. */
size_t bench_args_next(const bench_args_t *args, size_t size);

#endif
