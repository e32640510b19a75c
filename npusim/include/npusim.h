/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * npusim.h - what the software NPU offers beyond the ABI: counters. Look the
 * functions up with dlsym() to stay independent of the simulator.
 */
#ifndef NPUSIM_H
#define NPUSIM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What npusim_counter() answers to a name that it does not know. */
#define NPUSIM_NO_COUNTER UINT64_MAX

/*
 * Value of a counter of this process. Names:
 *   call.<function>      entries into an ABI function, failed ones included
 *   copy.h2d copy.d2h copy.d2d copy.h2h     copies carried out
 *   copy.bytes.h2d ... copy.bytes.h2h       their bytes
 *   copy.imported        D2D copies with an imported side
 *   reduce               aclrtReduceAsync tasks carried out
 *   notify.record        records that reached a notify
 *   notify.record_on_set those among them that found the bit still set
 *   notify.wait_done     waits that consumed a bit
 *   ipc.mem.export ipc.mem.import ipc.mem.close     successful calls
 *   ipc.notify.export ipc.notify.import
 *   attr_query           aclrtPointerGetAttributes and MemGetAddressRange
 *   worker.tasks         tasks that a thread of the runtime carried out, not a call
 *   redzone.hit          red zones found overwritten, and writes into them refused
 *   fault.injected       calls, tasks and records that the fault plan changed
 *   live.alloc live.bytes live.host live.import live.export live.stream
 *   live.event live.notify live.context     what exists now
 * Thread safe; costs a search by name.
 */
uint64_t npusim_counter(const char *name);

/* Sets all counters but live.* to zero. */
void npusim_counter_reset(void);

/* With NPUSIM_REDZONE: looks at the red zones of all allocations now and reports
 * on standard error those that were written to. Returns how many. */
unsigned npusim_redzone_check(void);

#ifdef __cplusplus
}
#endif

#endif
