/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The command line of the training program.
 */
#ifndef TRAIN_OPTIONS_H
#define TRAIN_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

typedef struct options {
    int epochs;
    int batch; /* samples of a step, over all ranks together */
    float rate;
    int hidden;
    uint64_t seed;
    const char *data;
    const char *curve; /* file for the curve, or NULL */
    int help;
} options_t;

/** Text of --help. */
extern const char options_usage[];

/** @return 0, or -1 with a sentence that names the argument and what it may be
 *  in @a error. */
int options_parse(int argc, char **argv, options_t *opt, char *error, size_t len);

#endif
