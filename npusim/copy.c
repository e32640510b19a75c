/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy.c - copies and fills: which combinations of memory are allowed, and
 * the engine that carries them out.
 */
#include "copy.h"

#include <string.h>

#include "fault.h"
#include "link.h"
#include "node.h"
#include "redzone.h"
#include "stream.h"

#define TASK_MAX ((size_t)4 << 30) /* one device-to-device task */

static const char *const direction_names[] = {"host to host", "host to device", "device to host",
                                              "device to device"};

/* Direct use by the engine: is the exporter of an import still there? */
static bool import_valid(const struct region *r)
{
    return atomic_load_explicit(&r->exp->serial, memory_order_acquire) == r->exp_serial;
}

aclError copy_check(struct region *r, const void *p, size_t len, int dev, const char **why)
{
    if (r == NULL) {
        *why = "address is not allocated";
        return window_hit(p) ? ACL_ERROR_RT_DEVICE_MEM_ERROR : ACL_SUCCESS;
    }
    if (!atomic_load_explicit(&r->live, memory_order_acquire)) {
        *why = "memory was freed or closed before the task ran";
        return ACL_ERROR_RT_DEVICE_MEM_ERROR;
    }
    if (!region_holds(r, p, len)) {
        *why = "range leaves its allocation";
        return ACL_ERROR_RT_DEVICE_MEM_ERROR;
    }
    if (region_on_device(r) && fault_lost(r->kind == REGION_IMPORT ? r->exp_dev : r->dev)) {
        *why = "its device is lost (NPUSIM_FAULT)";
        return ACL_ERROR_RT_LOST_HEARTBEAT;
    }
    if (r->kind != REGION_IMPORT) {
        *why = "access between the devices is not enabled";
        return r->kind != REGION_DEVICE || r->dev == dev || peer_usable(dev, r->dev, NULL)
                   ? ACL_SUCCESS
                   : ACL_ERROR_RT_LINK_ERROR;
    }
    if (!import_valid(r) || !node_alive(r->owner)) {
        *why = "exporter closed, freed or died";
        return ACL_ERROR_RT_SUSPECT_REMOTE_ERROR;
    }
    if (r->dev != dev || !peer_usable(dev, r->exp_dev, r->owner)) {
        *why = "import is for another device, or peer access is not enabled";
        return ACL_ERROR_RT_LINK_ERROR;
    }
    return ACL_SUCCESS;
}

char *copy_engine(const struct region *r, const void *p)
{
    return r != NULL ? region_engine(r, p) : (char *)p;
}

/* Runs a checked copy; an export that ended meanwhile is an error, too. */
static aclError copy_now(struct task *t, int dev, const char **why, const void **bad)
{
    struct region *d = t->u.copy.dst, *s = t->u.copy.src;
    size_t len = t->u.copy.len;
    *bad = t->u.copy.d;
    redzone_write(d, t->u.copy.d, len);
    aclError rc = copy_check(d, t->u.copy.d, len, dev, why);
    if (rc == ACL_SUCCESS) {
        *bad = t->u.copy.s;
        rc = copy_check(s, t->u.copy.s, len, dev, why);
    }
    if (rc != ACL_SUCCESS) {
        return rc;
    }
    memcpy(copy_engine(d, t->u.copy.d), copy_engine(s, t->u.copy.s), len);
    sim_count(SIM_C_COPY_H2H + t->u.copy.kind, 1);
    sim_count(SIM_C_BYTES_H2H + t->u.copy.kind, len);
    bool far_d = d != NULL && d->kind == REGION_IMPORT;
    bool far_s = s != NULL && s->kind == REGION_IMPORT;
    if (far_d || far_s) {
        sim_count(SIM_C_COPY_IMPORTED, 1);
        *bad = far_d ? t->u.copy.d : t->u.copy.s;
        *why = "exporter closed or freed during the copy";
        return (far_d && !import_valid(d)) || (far_s && !import_valid(s))
                   ? ACL_ERROR_RT_SUSPECT_REMOTE_ERROR
                   : ACL_SUCCESS;
    }
    return ACL_SUCCESS;
}

static void copy_drop(struct stream *s, struct task *t)
{
    (void)s;
    region_put(t->u.copy.dst);
    region_put(t->u.copy.src);
}

static enum task_result copy_run(struct stream *s, struct task *t)
{
    const char *why;
    const void *bad;
    aclError rc = copy_now(t, s->dev, &why, &bad);
    if (rc != ACL_SUCCESS) {
        stream_fault(s, rc, "%s copy of %zu bytes, %p: %s", direction_names[t->u.copy.kind],
                     t->u.copy.len, bad, why);
    }
    copy_drop(s, t);
    return TASK_DONE;
}

void copy_traffic(const struct task *t, struct traffic *load)
{
    *load = (struct traffic){link_place(t->u.copy.src), link_place(t->u.copy.dst), t->u.copy.len};
}

const struct task_ops copy_ops = {copy_run, copy_drop, copy_traffic};

/* The rules that hold before anything runs. Takes references into the task. */
static aclError prepare(struct task *t, void *dst, size_t dest_max, const void *src, size_t count,
                        aclrtMemcpyKind kind, bool async)
{
    if (dst == NULL || src == NULL || (int)kind < 0 || kind > ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE) {
        return sim_fail(ACL_ERROR_INVALID_PARAM, "dst %p, src %p or kind %d is not valid", dst, src,
                        (int)kind);
    }
    if (count > dest_max) {
        return sim_fail(ACL_ERROR_RT_PARAM_INVALID, "count %zu is above destMax %zu", count,
                        dest_max);
    }
    struct region *rd, *rs;
    region_get2(dst, &rd, src, &rs);
    bool dd = region_on_device(rd) || (rd == NULL && window_hit(dst));
    bool ds = region_on_device(rs) || (rs == NULL && window_hit(src));
    bool far =
        (rd != NULL && rd->kind == REGION_IMPORT) || (rs != NULL && rs->kind == REGION_IMPORT);
    int dir = dd * 1 + ds * 2;
    *t = (struct task){.type = TASK_COPY, .u.copy = {rd, rs, dst, src, count, dir, 0}};
    aclError rc = ACL_SUCCESS;
    if (far &&
        (!async || kind != ACL_MEMCPY_DEVICE_TO_DEVICE || dir != ACL_MEMCPY_DEVICE_TO_DEVICE)) {
        rc = sim_fail(ACL_ERROR_RT_PARAM_INVALID,
                      "%s copy of kind %d: imported memory takes asynchronous device to device "
                      "copies only",
                      direction_names[dir], (int)kind);
    } else if (dir == ACL_MEMCPY_DEVICE_TO_DEVICE && count > TASK_MAX) {
        rc = sim_fail(ACL_ERROR_RT_PARAM_INVALID, "count %zu is above 4 GiB", count);
    } else if (async && dir == ACL_MEMCPY_HOST_TO_HOST) {
        rc = sim_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "asynchronous host to host copy");
    }
    if (rc != ACL_SUCCESS) {
        copy_drop(NULL, t);
    }
    return rc;
}

static aclError copy_blocking(struct task *t, int dev)
{
    const char *why;
    const void *bad;
    struct traffic load;
    copy_traffic(t, &load);
    link_wait(&load);
    aclError rc = copy_now(t, dev, &why, &bad);
    copy_drop(NULL, t);
    if (rc != ACL_SUCCESS) {
        return sim_fail(rc, "%p: %s", bad, why);
    }
    return rc;
}

SIM_API aclError aclrtMemcpy(void *dst, size_t destMax, const void *src, size_t count,
                             aclrtMemcpyKind kind)
{
    struct task t;
    struct context *ctx;
    aclError rc = sim_enter(SIM_F_aclrtMemcpy);
    if (rc != ACL_SUCCESS || count == 0) {
        return rc;
    }
    if ((rc = context_need(&ctx)) != ACL_SUCCESS ||
        (rc = prepare(&t, dst, destMax, src, count, kind, false)) != ACL_SUCCESS) {
        return rc;
    }
    return copy_blocking(&t, ctx->dev);
}

static bool pageable(const struct task *t)
{
    return (t->u.copy.dst == NULL && !window_hit(t->u.copy.d)) ||
           (t->u.copy.src == NULL && !window_hit(t->u.copy.s));
}

aclError copy_async(void *dst, size_t dest_max, const void *src, size_t count, aclrtMemcpyKind kind,
                    struct stream *s)
{
    struct task t;
    aclError rc = prepare(&t, dst, dest_max, src, count, kind, true);
    if (rc != ACL_SUCCESS) {
        return rc;
    }
    if (pageable(&t)) {
        rc = stream_sync(s, -1);
        if (rc != ACL_SUCCESS) {
            copy_drop(s, &t);
            return rc;
        }
        return copy_blocking(&t, s->dev);
    }
    return stream_submit(s, &t);
}

SIM_API aclError aclrtMemcpyAsync(void *dst, size_t destMax, const void *src, size_t count,
                                  aclrtMemcpyKind kind, aclrtStream stream)
{
    struct stream *s;
    aclError rc = sim_enter(SIM_F_aclrtMemcpyAsync);
    if (rc != ACL_SUCCESS || (rc = stream_use(stream, &s)) != ACL_SUCCESS) {
        return rc;
    }
    return count == 0 || dst == src ? ACL_SUCCESS : copy_async(dst, destMax, src, count, kind, s);
}

SIM_API aclError aclrtMemcpyAsyncWithCondition(void *dst, size_t destMax, const void *src,
                                               size_t count, aclrtMemcpyKind kind,
                                               aclrtStream stream)
{
    struct stream *s;
    aclError rc = sim_enter(SIM_F_aclrtMemcpyAsyncWithCondition);
    if (rc != ACL_SUCCESS || (rc = stream_use(stream, &s)) != ACL_SUCCESS) {
        return rc;
    }
    return count == 0 || dst == src ? ACL_SUCCESS : copy_async(dst, destMax, src, count, kind, s);
}
