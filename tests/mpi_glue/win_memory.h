/* SPDX-License-Identifier: BSD-3-Clause */
/** Arrays of int in host or device memory, for windows and origins. */
#ifndef T_WIN_MEMORY_H
#define T_WIN_MEMORY_H

#include "tests/helpers/t_helpers.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

typedef struct t_memory {
    int *at;
    size_t n;
    bool device;
} t_memory_t;

static inline t_memory_t t_memory(size_t n, bool device)
{
    t_memory_t memory = {.n = n, .device = device};

    memory.at = device ? t_dev_alloc(n * sizeof(int)) : malloc(n * sizeof(int));
    return memory;
}

static inline void t_memory_free(t_memory_t *memory)
{
    if (memory->device) {
        t_dev_free(memory->at);
    } else {
        free(memory->at);
    }
}

static inline void t_memory_write(const t_memory_t *memory, const int *values)
{
    if (memory->device) {
        t_to_device(memory->at, values, memory->n * sizeof(int));
    } else {
        memcpy(memory->at, values, memory->n * sizeof(int));
    }
}

static inline void t_memory_read(const t_memory_t *memory, int *values)
{
    if (memory->device) {
        t_to_host(values, memory->at, memory->n * sizeof(int));
    } else {
        memcpy(values, memory->at, memory->n * sizeof(int));
    }
}

/** Element i becomes first + i * step. */
static inline void t_memory_fill(const t_memory_t *memory, int first, int step)
{
    int *values = malloc(memory->n * sizeof(int));

    for (size_t i = 0; i < memory->n; i++) {
        values[i] = first + (int)i * step;
    }
    t_memory_write(memory, values);
    free(values);
}

/** Elements [from, from + n) must be first + i * step, i from 0. */
static inline void t_memory_verify(const t_memory_t *memory, size_t from, size_t n, int first,
                                   int step, const char *what)
{
    int *values = malloc(memory->n * sizeof(int));

    t_memory_read(memory, values);
    for (size_t i = 0; i < n; i++) {
        t_check(first + (int)i * step == values[from + i], "%s: element %zu is %d, not %d", what,
                from + i, values[from + i], first + (int)i * step);
    }
    free(values);
}

/** The call must give an error of that class. */
#define T_WIN_FAILS(_call, _class) \
    do { \
        int t_class; \
        MPI_Error_class(_call, &t_class); \
        t_check((_class) == t_class, "%s gave class %d, not %d", #_call, t_class, (_class)); \
    } while (0)

#define T_WIN_WORKS(_call) t_check(MPI_SUCCESS == (_call), "%s", #_call)

#endif
