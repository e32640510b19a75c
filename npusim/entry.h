/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * entry.h - what every ABI function does first: count the call, ask the fault
 * plan, refuse when the process is not initialised. And how a function fails:
 * sim_fail() keeps the reason for aclGetRecentErrMsg().
 */
#ifndef NPUSIM_ENTRY_H
#define NPUSIM_ENTRY_H

#include <stdbool.h>

#include "acl/ascend_abi.h"
#include "counters.h"
#include "origin.h"

struct context;

#define SIM_ERROR_TEXT 2048

/* What belongs to one thread of the program. */
struct sim_thread {
    struct context *ctx; /* current context; valid if the serial matches */
    uint64_t ctx_serial;
    int call;                     /* the ABI function it is in, for messages */
    uint64_t nth;                 /* which call of it */
    const struct origin *by;      /* submitter of the task it carries out, or NULL */
    int depth;                    /* nesting of stream progress, see stream.c */
    char pending[SIM_ERROR_TEXT]; /* failures since the last read */
    char handed[SIM_ERROR_TEXT];  /* what the last read returned */
};
extern _Thread_local struct sim_thread sim_thread;

enum sim_gate_bits {
    SIM_GATE_CLOSED = 1, /* aclInit not done, or done by a forked parent */
    SIM_GATE_FAULTS = 2  /* a fault plan exists */
};
extern _Atomic unsigned sim_gate;

aclError sim_enter_slow(enum sim_fn fn, bool needs_init);

static inline void sim_thread_enter(enum sim_fn fn)
{
    sim_thread.nth = atomic_fetch_add_explicit(&sim_counts[fn], 1, memory_order_relaxed) + 1;
    sim_thread.call = fn;
}

/* For functions that work only after aclInit(). */
static inline aclError sim_enter(enum sim_fn fn)
{
    sim_thread_enter(fn);
    if (__builtin_expect(atomic_load_explicit(&sim_gate, memory_order_acquire) != 0, 0)) {
        return sim_enter_slow(fn, true);
    }
    return ACL_SUCCESS;
}

/* For the few that work always. */
static inline aclError sim_enter_any(enum sim_fn fn)
{
    sim_thread_enter(fn);
    if (__builtin_expect(atomic_load_explicit(&sim_gate, memory_order_acquire) != 0, 0)) {
        return sim_enter_slow(fn, false);
    }
    return ACL_SUCCESS;
}

/* Records "function: text (code)" for the calling thread. */
void sim_record(aclError code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The same, with the code as its value: a macro, so that who reads the caller
 * (compiler, static analysis) knows that it is an error. */
#define sim_fail(_code, ...) (sim_record((_code), __VA_ARGS__), (_code))

/* For functions that only the chips of these families (SOC_BIT) have. */
aclError sim_chip(unsigned families);

/* The texts since the last call, newest first, or NULL. */
const char *sim_error_take(void);

#endif
