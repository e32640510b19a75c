/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * leaks.h - what the program did not give back itself (NPUSIM_LEAKS): what
 * aclrtResetDevice or aclFinalize had to end, and what is there at exit.
 */
#ifndef NPUSIM_LEAKS_H
#define NPUSIM_LEAKS_H

#include <stdbool.h>
#include <stdint.h>

#include "origin.h"

enum leak_kind {
    LEAK_ALLOC,
    LEAK_HOST,
    LEAK_REGISTERED,
    LEAK_IMPORT,
    LEAK_EXPORT,
    LEAK_STREAM,
    LEAK_EVENT,
    LEAK_NOTIFY,
    LEAK_CONTEXT,
    LEAK_KINDS
};

/* Notes one object; bytes is 0 where size means nothing. */
void leak_add(enum leak_kind kind, uint64_t bytes, const struct origin *by);

/* Notes all that exists on a device; all: contexts that the program made, too. */
void leaks_collect(int dev, bool all);

/* Notes pinned and registered host memory. */
void leaks_collect_host(void);

/* Prints what was noted, one line a kind, and forgets it. */
void leaks_print(void);

/* By file: each notes its live objects on the device. */
void context_leaks(int dev);
void stream_leaks(int dev, bool all);
void event_leaks(int dev);
void notify_leaks(int dev);
void export_leaks(int dev);

#endif
