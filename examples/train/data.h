/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The samples: 8x8 pictures of digits with their labels, in host memory.
 */
#ifndef TRAIN_DATA_H
#define TRAIN_DATA_H

#include <stddef.h>
#include <stdint.h>

#define DATA_PIXELS    64
#define DATA_CLASSES   10

/** Of all samples, one in this many is kept for the test. */
#define DATA_TEST_PART 5

typedef struct data_set {
    int count;
    float (*pixels)[DATA_PIXELS]; /* 0..1, one row per sample, owned */
    int *labels;                  /* 0..9, owned */
} data_set_t;

/**
 * Reads lines of 64 pixels (0..16) and a label (0..9), separated by commas.
 *
 * @return 0, or -1 with a sentence that names the file, the line and the
 *         remedy in @a error; @a set then needs no data_free().
 */
int data_read(const char *file, data_set_t *set, char *error, size_t len);

/** Room for @a count samples, contents undefined. @return 0, or -1 when there
 *  is no memory. */
int data_alloc(data_set_t *set, int count);

void data_free(data_set_t *set);

/** One step of a small generator (splitmix64); the same everywhere, which the
 *  C library's rand() is not. */
uint64_t data_random(uint64_t *state);

/** Puts 0..count-1 into @a order, shuffled by the generator. */
void data_permutation(int *order, int count, uint64_t *state);

/** Shuffles @a order itself. */
void data_shuffle(int *order, int count, uint64_t *state);

#endif
