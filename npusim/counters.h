/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * counters.h - event counts of this process. One relaxed atomic each: exact,
 * and cheap enough for the shortest calls.
 */
#ifndef NPUSIM_COUNTERS_H
#define NPUSIM_COUNTERS_H

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

#include "api_list.h"

/* Everything is hidden but what carries this. */
#define SIM_API __attribute__((visibility("default")))

enum sim_fn {
#define SIM_FN(_name) SIM_F_##_name,
    SIM_API_LIST(SIM_FN)
#undef SIM_FN
    SIM_FN_COUNT
};

/* One a line; the four copy kinds follow each other in the order of aclrtMemcpyKind. */
/* clang-format off */
#define SIM_COUNTER_LIST(_c) \
    _c(COPY_H2H, "copy.h2h") \
    _c(COPY_H2D, "copy.h2d") \
    _c(COPY_D2H, "copy.d2h") \
    _c(COPY_D2D, "copy.d2d") \
    _c(BYTES_H2H, "copy.bytes.h2h") \
    _c(BYTES_H2D, "copy.bytes.h2d") \
    _c(BYTES_D2H, "copy.bytes.d2h") \
    _c(BYTES_D2D, "copy.bytes.d2d") \
    _c(COPY_IMPORTED, "copy.imported") \
    _c(COPY_2D, "copy.2d") \
    _c(COPY_BATCH, "copy.batch") \
    _c(COPY_ROWS, "copy.rows") \
    _c(REDUCE, "reduce") \
    _c(NOTIFY_RECORD, "notify.record") \
    _c(NOTIFY_RECORD_ON_SET, "notify.record_on_set") \
    _c(NOTIFY_WAIT_DONE, "notify.wait_done") \
    _c(MEM_EXPORT, "ipc.mem.export") \
    _c(MEM_IMPORT, "ipc.mem.import") \
    _c(MEM_CLOSE, "ipc.mem.close") \
    _c(NOTIFY_EXPORT, "ipc.notify.export") \
    _c(NOTIFY_IMPORT, "ipc.notify.import") \
    _c(WORKER_TASKS, "worker.tasks") \
    _c(ATTR_QUERY, "attr_query") \
    _c(REDZONE, "redzone.hit") \
    _c(FAULT, "fault.injected") \
    _c(LIVE_ALLOC, "live.alloc") \
    _c(LIVE_BYTES, "live.bytes") \
    _c(LIVE_HOST, "live.host") \
    _c(LIVE_IMPORT, "live.import") \
    _c(LIVE_EXPORT, "live.export") \
    _c(LIVE_STREAM, "live.stream") \
    _c(LIVE_EVENT, "live.event") \
    _c(LIVE_NOTIFY, "live.notify") \
    _c(LIVE_CONTEXT, "live.context")
/* clang-format on */

enum sim_counter {
    SIM_C_START = SIM_FN_COUNT - 1,
#define SIM_COUNTER(_id, _name) SIM_C_##_id,
    SIM_COUNTER_LIST(SIM_COUNTER)
#undef SIM_COUNTER
    SIM_COUNTERS
};

extern _Atomic uint64_t sim_counts[SIM_COUNTERS];

static inline void sim_count(int id, uint64_t n)
{
    atomic_fetch_add_explicit(&sim_counts[id], n, memory_order_relaxed);
}

static inline void sim_uncount(int id, uint64_t n)
{
    atomic_fetch_sub_explicit(&sim_counts[id], n, memory_order_relaxed);
}

/* Name of a function of the ABI. */
const char *sim_fn_name(int fn);

/* Number of the function called so, or -1. */
int sim_fn_find(const char *name, size_t len);

/* Writes all counters that are not zero as one JSON object. */
void sim_counters_print(FILE *out);

#endif
