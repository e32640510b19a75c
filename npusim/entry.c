/* SPDX-License-Identifier: BSD-3-Clause */
#include "entry.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "context.h"
#include "fault.h"
#include "knobs.h"

_Thread_local struct sim_thread sim_thread = {.call = -1};
_Atomic unsigned sim_gate = SIM_GATE_CLOSED;

aclError sim_enter_slow(enum sim_fn fn, bool needs_init)
{
    unsigned gate = atomic_load_explicit(&sim_gate, memory_order_acquire);
    if ((gate & SIM_GATE_CLOSED) && needs_init) {
        return sim_fail(ACL_ERROR_UNINITIALIZE, "aclInit has not been called in this process");
    }
    if (gate & SIM_GATE_FAULTS) {
        struct context *ctx = context_current();
        aclError code = fault_check(fn, ctx != NULL ? ctx->dev : -1);
        if (code != ACL_SUCCESS) {
            sim_count(SIM_C_FAULT, 1);
            return sim_fail(code, code == ACL_ERROR_RT_LOST_HEARTBEAT
                                      ? "the device is lost (NPUSIM_FAULT)"
                                      : "failed by NPUSIM_FAULT");
        }
    }
    return ACL_SUCCESS;
}

struct origin origin_here(void)
{
    static _Atomic uint64_t serial;
    return (struct origin){sim_thread.call, sim_thread.nth, atomic_fetch_add(&serial, 1)};
}

void sim_record(aclError code, const char *fmt, ...)
{
    char text[512];
    struct sim_thread *t = &sim_thread;
    int n = snprintf(text, sizeof(text), "%s: ", sim_fn_name(t->call));
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text + n, sizeof(text) - (size_t)n, fmt, ap);
    va_end(ap);

    size_t len = strlen(text);
    len += (size_t)snprintf(text + len, sizeof(text) - len, " (%d)\n", code);
    if (len >= sizeof(text)) {
        len = sizeof(text) - 1;
    }
    size_t old = strlen(t->pending);
    if (old + len >= sizeof(t->pending)) {
        old = sizeof(t->pending) - 1 - len;
    }
    memmove(t->pending + len, t->pending, old);
    memcpy(t->pending, text, len);
    t->pending[len + old] = '\0';
}

aclError sim_chip(unsigned families)
{
    return (families & SOC_BIT(knobs.family)) != 0
               ? ACL_SUCCESS
               : sim_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "%s does not have this function",
                          knobs.soc);
}

const char *sim_error_take(void)
{
    struct sim_thread *t = &sim_thread;
    if (t->pending[0] == '\0') {
        return NULL;
    }
    memcpy(t->handed, t->pending, sizeof(t->handed));
    t->pending[0] = '\0';
    return t->handed;
}

SIM_API const char *aclGetRecentErrMsg(void)
{
    sim_count(SIM_F_aclGetRecentErrMsg, 1);
    return sim_error_take();
}
