/* SPDX-License-Identifier: BSD-3-Clause */
#include "data.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_ROOM 1024

int data_alloc(data_set_t *set, int count)
{
    set->count = count;
    set->pixels = calloc((size_t)count, sizeof(*set->pixels));
    set->labels = calloc((size_t)count, sizeof(*set->labels));
    if (set->pixels == NULL || set->labels == NULL) {
        data_free(set);
        return -1;
    }
    return 0;
}

void data_free(data_set_t *set)
{
    free(set->pixels);
    free(set->labels);
    memset(set, 0, sizeof(*set));
}

static int data_grow(data_set_t *set, int room)
{
    float(*pixels)[DATA_PIXELS];
    int *labels;

    pixels = realloc(set->pixels, (size_t)room * sizeof(*pixels));
    if (pixels == NULL) {
        return -1;
    }
    set->pixels = pixels;
    labels = realloc(set->labels, (size_t)room * sizeof(*labels));
    if (labels == NULL) {
        return -1;
    }
    set->labels = labels;
    return 0;
}

/* One number of a line, or -1 if there is none or it is out of range. */
static int data_number(const char **at, int limit, char end)
{
    char *stop;
    long value;

    value = strtol(*at, &stop, 10);
    if (stop == *at || value < 0 || value > limit || *stop != end) {
        return -1;
    }
    *at = stop + (end != '\0');
    return (int)value;
}

static int data_line(char *line, float *pixels, int *label)
{
    const char *at = line;
    int value;

    line[strcspn(line, "\r\n")] = '\0';
    for (int i = 0; i < DATA_PIXELS; i++) {
        value = data_number(&at, 16, ',');
        if (value < 0) {
            return -1;
        }
        pixels[i] = (float)value / 16.0f;
    }
    *label = data_number(&at, DATA_CLASSES - 1, '\0');
    return *label < 0 ? -1 : 0;
}

static int data_read_lines(FILE *in, const char *file, data_set_t *set, char *error, size_t len)
{
    char line[LINE_ROOM];
    int room = 0;

    while (fgets(line, sizeof(line), in) != NULL) {
        if (set->count == room) {
            room += 2048;
            if (data_grow(set, room) != 0) {
                snprintf(error, len, "no memory for the samples of '%s'", file);
                return -1;
            }
        }
        if (data_line(line, set->pixels[set->count], &set->labels[set->count]) != 0) {
            snprintf(error, len,
                     "'%s', line %d: expected %d pixels from 0 to 16 and a label from 0 to %d, "
                     "separated by commas, got '%.40s'",
                     file, set->count + 1, DATA_PIXELS, DATA_CLASSES - 1, line);
            return -1;
        }
        set->count++;
    }
    if (ferror(in)) {
        snprintf(error, len, "cannot read '%s': %s", file, strerror(errno));
        return -1;
    }
    if (set->count < 10 * DATA_TEST_PART) {
        snprintf(error, len, "'%s' has %d samples, at least %d are needed", file, set->count,
                 10 * DATA_TEST_PART);
        return -1;
    }
    return 0;
}

int data_read(const char *file, data_set_t *set, char *error, size_t len)
{
    FILE *in;
    int ret;

    memset(set, 0, sizeof(*set));
    in = fopen(file, "r");
    if (in == NULL) {
        snprintf(error, len,
                 "cannot open the data file '%s': %s; name the digits.csv of examples/train/data "
                 "with --data FILE",
                 file, strerror(errno));
        return -1;
    }
    ret = data_read_lines(in, file, set, error, len);
    fclose(in);
    if (ret != 0) {
        data_free(set);
    }
    return ret;
}

uint64_t data_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

void data_shuffle(int *order, int count, uint64_t *state)
{
    for (int i = count - 1; i > 0; i--) {
        int j = (int)(data_random(state) % (uint64_t)(i + 1));
        int keep = order[i];

        order[i] = order[j];
        order[j] = keep;
    }
}

void data_permutation(int *order, int count, uint64_t *state)
{
    for (int i = 0; i < count; i++) {
        order[i] = i;
    }
    data_shuffle(order, count, state);
}
