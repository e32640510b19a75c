/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fill.c - memset, and writes of and waits for single words in device memory.
 */
#include <string.h>

#include "copy.h"
#include "redzone.h"
#include "stream.h"

static aclError fill_now(struct task *t, int dev, const char **why)
{
    redzone_write(t->u.fill.dst, t->u.fill.d, t->u.fill.len);
    aclError rc = copy_check(t->u.fill.dst, t->u.fill.d, t->u.fill.len, dev, why);
    if (rc == ACL_SUCCESS) {
        memset(copy_engine(t->u.fill.dst, t->u.fill.d), t->u.fill.byte, t->u.fill.len);
    }
    return rc;
}

static void fill_drop(struct stream *s, struct task *t)
{
    (void)s;
    region_put(t->u.fill.dst);
}

static enum task_result fill_run(struct stream *s, struct task *t)
{
    const char *why;
    aclError rc = fill_now(t, s->dev, &why);
    if (rc != ACL_SUCCESS) {
        stream_fault(s, rc, "memset of %zu bytes at %p: %s", t->u.fill.len, t->u.fill.d, why);
    }
    fill_drop(s, t);
    return TASK_DONE;
}

const struct task_ops fill_ops = {fill_run, fill_drop, NULL};

static aclError prepare(struct task *t, void *p, size_t max, int32_t value, size_t count)
{
    if (p == NULL) {
        return sim_fail(ACL_ERROR_INVALID_PARAM, "devPtr is NULL");
    }
    if (count > max) {
        return sim_fail(ACL_ERROR_RT_PARAM_INVALID, "count %zu is above maxCount %zu", count, max);
    }
    struct region *r = region_get(p);
    if (r != NULL && r->kind == REGION_IMPORT) {
        region_put(r);
        return sim_fail(ACL_ERROR_RT_PARAM_INVALID, "imported memory takes copies only");
    }
    *t = (struct task){.type = TASK_FILL, .u.fill = {r, p, count, value}};
    return ACL_SUCCESS;
}

SIM_API aclError aclrtMemset(void *devPtr, size_t maxCount, int32_t value, size_t count)
{
    struct task t;
    struct context *ctx;
    const char *why;
    aclError rc = sim_enter(SIM_F_aclrtMemset);
    if (rc != ACL_SUCCESS || (rc = context_need(&ctx)) != ACL_SUCCESS ||
        (rc = prepare(&t, devPtr, maxCount, value, count)) != ACL_SUCCESS) {
        return rc;
    }
    rc = fill_now(&t, ctx->dev, &why);
    fill_drop(NULL, &t);
    return rc == ACL_SUCCESS ? rc : sim_fail(rc, "%p: %s", devPtr, why);
}

SIM_API aclError aclrtMemsetAsync(void *devPtr, size_t maxCount, int32_t value, size_t count,
                                  aclrtStream stream)
{
    struct task t;
    struct stream *s;
    aclError rc = sim_enter(SIM_F_aclrtMemsetAsync);
    if (rc != ACL_SUCCESS || (rc = stream_use(stream, &s)) != ACL_SUCCESS ||
        (rc = prepare(&t, devPtr, maxCount, value, count)) != ACL_SUCCESS) {
        return rc;
    }
    return stream_submit(s, &t);
}

/* ---- single words ---- */

static void value_drop(struct stream *s, struct task *t)
{
    (void)s;
    region_put(t->u.value.r);
}

static enum task_result value_write_run(struct stream *s, struct task *t)
{
    struct region *r = t->u.value.r;
    if (atomic_load(&r->live)) {
        redzone_write(r, (char *)t->u.value.at - r->alias, sizeof(uint64_t));
        __atomic_store_n(t->u.value.at, t->u.value.value, __ATOMIC_RELEASE);
    } else {
        stream_fault(s, ACL_ERROR_RT_DEVICE_MEM_ERROR, "value write to freed memory");
    }
    value_drop(s, t);
    return TASK_DONE;
}

const struct task_ops value_write_ops = {value_write_run, value_drop, NULL};

static bool value_there(const struct task *t)
{
    uint64_t have = __atomic_load_n(t->u.value.at, __ATOMIC_ACQUIRE), want = t->u.value.value;
    switch (t->u.value.flag) {
    case ACL_VALUE_WAIT_GEQ:
        return (int64_t)(have - want) >= 0;
    case ACL_VALUE_WAIT_EQ:
        return have == want;
    case ACL_VALUE_WAIT_AND:
        return (have & want) != 0;
    default:
        return ~(have | want) != 0;
    }
}

static enum task_result value_wait_run(struct stream *s, struct task *t)
{
    if (!atomic_load(&t->u.value.r->live)) {
        stream_fault(s, ACL_ERROR_RT_DEVICE_MEM_ERROR, "value wait on freed memory");
    } else if (!value_there(t)) {
        atomic_store(&stream_poll_needed, true);
        return TASK_BLOCKED;
    }
    value_drop(s, t);
    return TASK_DONE;
}

const struct task_ops value_wait_ops = {value_wait_run, value_drop, NULL};

static aclError value_submit(enum task_type type, void *p, uint64_t value, uint32_t flag,
                             aclrtStream stream)
{
    struct stream *s;
    uint32_t max = type == TASK_VALUE_WAIT ? ACL_VALUE_WAIT_NOR : 0;
    if (p == NULL || (uintptr_t)p % 8 != 0 || flag > max) {
        return sim_fail(ACL_ERROR_RT_PARAM_INVALID, "address %p or flag %u is not valid", p, flag);
    }
    aclError rc = stream_use(stream, &s);
    if (rc != ACL_SUCCESS || (rc = sim_chip(SOC_NEWER)) != ACL_SUCCESS) {
        return rc;
    }
    struct region *r = region_get(p);
    if (r == NULL || r->kind != REGION_DEVICE || !region_holds(r, p, 8)) {
        region_put(r);
        return sim_fail(ACL_ERROR_RT_PARAM_INVALID, "%p is not device memory of this process", p);
    }
    struct task t = {.type = type,
                     .u.value = {r, (uint64_t *)(void *)region_engine(r, p), value, flag}};
    return stream_submit(s, &t);
}

SIM_API aclError aclrtValueWrite(void *devAddr, uint64_t value, uint32_t flag, aclrtStream stream)
{
    aclError rc = sim_enter(SIM_F_aclrtValueWrite);
    return rc != ACL_SUCCESS ? rc : value_submit(TASK_VALUE_WRITE, devAddr, value, flag, stream);
}

SIM_API aclError aclrtValueWait(void *devAddr, uint64_t value, uint32_t flag, aclrtStream stream)
{
    aclError rc = sim_enter(SIM_F_aclrtValueWait);
    return rc != ACL_SUCCESS ? rc : value_submit(TASK_VALUE_WAIT, devAddr, value, flag, stream);
}
