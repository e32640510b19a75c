/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fault.h - the fault plan: what goes wrong when. The text form is in
 * docs/npusim.md; fault_parse.c reads it, fault.c decides by it. Every choice
 * depends on NPUSIM_SEED, the MPI rank, the rule's place in the plan and the
 * number of the call or task alone, so a run can be repeated.
 */
#ifndef NPUSIM_FAULT_H
#define NPUSIM_FAULT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "acl/ascend_abi.h"
#include "counters.h"

#define FAULT_MAX 64

/* What a rule counts: calls of a function (enum sim_fn), or one of these. */
enum fault_target {
    FAULT_ON_STREAM = SIM_FN_COUNT, /* tasks of any kind */
    FAULT_ON_COPY,
    FAULT_ON_REDUCE,
    FAULT_ON_MEMSET,
    FAULT_ON_NOTIFY, /* records */
    FAULT_ON_DEVICE  /* calls made while it is current */
};

enum fault_effect {
    FAULT_NONE,
    FAULT_CODE,   /* fails with the code */
    FAULT_STALL,  /* nothing happens on the stream, or in the call, for ns */
    FAULT_LOST,   /* of a record: never arrives; of a device: gone */
    FAULT_LATE,   /* the record arrives ns later, the stream goes on */
    FAULT_DOUBLE, /* the record arrives again once it was consumed */
    FAULT_EFFECTS
};

struct fault_rule {
    int target;
    int dev;      /* FAULT_ON_DEVICE: physical id, -1: any */
    bool onward;  /* the nth and all later */
    uint64_t nth; /* from 1; 0: by chance */
    double chance;
    enum fault_effect effect;
    aclError code;
    uint64_t ns;
    _Atomic uint64_t seen;
};

extern struct fault_rule fault_rules[FAULT_MAX];
extern int fault_count;

/* Replaces the plan; NULL: by none. On a bad text returns false with what is
 * wrong and what would be right in why, and there is no plan. */
bool fault_load(const char *text, char *why, size_t why_len);

/* Does the plan hold anything for this process? */
bool fault_any(void);

/* Does it hold anything that tasks must ask for? */
bool fault_any_task(void);

/* Counts one call of fn, and stalls it; the code it is to fail with, or ACL_SUCCESS. dev:
 * physical device of the thread's context or -1. */
aclError fault_check(int fn, int dev);

/* Counts one task that a stream begins; what happens to it. */
struct fault {
    enum fault_effect effect;
    aclError code;
    uint64_t ns;
};
struct fault fault_task(enum fault_target target);

/* Has this process lost the device? */
bool fault_lost_by_plan(int dev);

static inline bool fault_lost(int dev)
{
    return __builtin_expect(fault_count != 0, 0) && fault_lost_by_plan(dev);
}

#endif
