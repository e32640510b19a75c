/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Counters of what happened in this process, read by asc_link_counter().
 * A new counter is one line in the list below.
 */
#ifndef LINK_COUNTERS_H
#define LINK_COUNTERS_H

#include <stdint.h>

#define LINK_COUNTERS(X) \
    X(alloc_seen, "device allocations seen") \
    X(alloc_stale, "allocations found to have been freed unseen") \
    X(free_seen, "frees of seen allocations") \
    X(free_unknown, "frees of allocations whose malloc was not seen") \
    X(free_parked, "frees put off because a peer used the memory") \
    X(free_swept, "put-off frees done later") \
    X(attr_query, "pointers the runtime was asked about") \
    X(copy_h2d, "copies host to device") \
    X(copy_d2h, "copies device to host") \
    X(copy_d2d, "copies device to device inside the process") \
    X(copy_h2h, "copies host to host") \
    X(copy_bounced, "copies between own devices by way of the host") \
    X(copy_again, "asynchronous copies that failed and were made again") \
    X(copy_failed, "copies the runtime refused or failed") \
    X(copy_bytes, "bytes copied inside the process") \
    X(pinned_bytes, "pinned host memory held, in use or cached") \
    X(export_new, "allocations exported") \
    X(export_hit, "exports answered from the cache") \
    X(export_once, "exports made for one use") \
    X(export_refused, "allocations that could not be exported") \
    X(import_new, "keys imported") \
    X(import_hit, "imports answered from the cache") \
    X(import_refused, "keys refused") \
    X(import_closed, "imports closed") \
    X(import_evicted, "imports closed to keep within the cache's limits") \
    X(get_ops, "reads of peers' memory") \
    X(get_bytes, "bytes read from peers' memory") \
    X(put_ops, "writes to peers' memory") \
    X(put_bytes, "bytes written to peers' memory") \
    X(get_bounced, "reads into another device than the import's") \
    X(relay_ops, "copies with peers that both sides took part in") \
    X(relay_bytes, "bytes copied so") \
    X(relay_served, "such copies that peers asked for") \
    X(direct_failed, "copies with peers that the runtime refused or failed") \
    X(rescued, "copies with peers that were relayed because the direct one failed") \
    X(notify_record, "notifies recorded for peers") \
    X(notify_skipped, "records left out because the last one was not consumed") \
    X(notify_consumed, "records of peers waited for") \
    X(notify_timeout, "notify waits that ran out")

typedef enum link_counter {
#define LINK_COUNTER_ID(_name, _what) LINK_COUNTER_##_name,
    LINK_COUNTERS(LINK_COUNTER_ID)
#undef LINK_COUNTER_ID
    LINK_COUNTER_LAST
} link_counter_t;

extern int64_t link_counter_values[LINK_COUNTER_LAST];

/** From now on the counters are written to the file that ASCEND_STATS names, if it
 *  names one, when the process ends by exit(). Once; never in a forked child. */
void link_counters_tell_at_exit(void);

/** Adds to a counter; any thread, no order. */
#define link_count(_name, _n) \
    ((void)__atomic_fetch_add(&link_counter_values[LINK_COUNTER_##_name], (int64_t)(_n), \
                              __ATOMIC_RELAXED))

#endif
