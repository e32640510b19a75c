/* SPDX-License-Identifier: BSD-3-Clause */
#include "fault.h"

#include <stdlib.h>
#include <time.h>

#include "knobs.h"

struct fault_rule fault_rules[FAULT_MAX];
int fault_count;

/* What a process may still call when a device is lost: the runtime's own
 * bookkeeping, and what chooses another device by its argument. */
static bool needs_no_device(int fn)
{
    switch (fn) {
    case SIM_F_aclInit:
    case SIM_F_aclFinalize:
    case SIM_F_aclFinalizeReference:
    case SIM_F_aclGetRecentErrMsg:
    case SIM_F_aclrtGetVersion:
    case SIM_F_aclsysGetVersionStr:
    case SIM_F_aclsysGetVersionNum:
    case SIM_F_aclrtSetDevice:
    case SIM_F_aclrtResetDevice:
    case SIM_F_aclrtResetDeviceForce:
    case SIM_F_aclrtCreateContext:
    case SIM_F_aclrtGetDevice:
    case SIM_F_aclrtGetDeviceCount:
    case SIM_F_aclrtGetRunMode:
    case SIM_F_aclrtGetSocName:
    case SIM_F_aclrtSetCurrentContext:
    case SIM_F_aclrtGetCurrentContext:
        return true;
    default:
        return false;
    }
}

static uint64_t rank_lane(void)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    return rank != NULL ? strtoull(rank, NULL, 10) + 1 : 0;
}

/* Does rule i act on the n-th of what it counts? */
static bool acts(int i, uint64_t n)
{
    const struct fault_rule *r = &fault_rules[i];
    if (r->nth != 0) {
        return r->onward ? n >= r->nth : n == r->nth;
    }
    uint64_t lane = ((uint64_t)i + 1) << 32 | rank_lane();
    return (double)(knobs_random(lane, n) >> 11) * 0x1p-53 < r->chance;
}

bool fault_any(void)
{
    return fault_count > 0;
}

bool fault_any_task(void)
{
    for (int i = 0; i < fault_count; i++) {
        if (fault_rules[i].target >= SIM_FN_COUNT) {
            return true;
        }
    }
    return false;
}

static bool of_device(const struct fault_rule *r, int dev)
{
    return r->target == FAULT_ON_DEVICE && dev >= 0 && (r->dev < 0 || r->dev == dev);
}

bool fault_lost_by_plan(int dev)
{
    for (int i = 0; i < fault_count; i++) {
        struct fault_rule *r = &fault_rules[i];
        if (of_device(r, dev) && atomic_load(&r->seen) >= r->nth) {
            return true;
        }
    }
    return false;
}

aclError fault_check(int fn, int dev)
{
    aclError code = ACL_SUCCESS;
    uint64_t ns = 0;
    bool on_device = dev >= 0 && !needs_no_device(fn);
    for (int i = 0; i < fault_count; i++) {
        struct fault_rule *r = &fault_rules[i];
        if (r->target != fn && !(on_device && of_device(r, dev))) {
            continue;
        }
        uint64_t n = atomic_fetch_add(&r->seen, 1) + 1;
        if (code == ACL_SUCCESS && ns == 0 && acts(i, n)) {
            ns = r->effect == FAULT_STALL ? r->ns : 0;
            code = r->effect == FAULT_LOST ? ACL_ERROR_RT_LOST_HEARTBEAT : r->code;
        }
    }
    if (ns > 0) {
        struct timespec pause = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
        nanosleep(&pause, NULL);
    }
    return code;
}

struct fault fault_task(enum fault_target target)
{
    struct fault f = {FAULT_NONE, ACL_SUCCESS, 0};
    for (int i = 0; i < fault_count; i++) {
        struct fault_rule *r = &fault_rules[i];
        if (r->target != (int)target && r->target != FAULT_ON_STREAM) {
            continue;
        }
        uint64_t n = atomic_fetch_add(&r->seen, 1) + 1;
        if (f.effect == FAULT_NONE && acts(i, n)) {
            f = (struct fault){r->effect, r->code, r->ns};
        }
    }
    return f;
}
