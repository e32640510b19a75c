/* SPDX-License-Identifier: BSD-3-Clause */
#include "context.h"

#include "fault.h"
#include "leaks.h"
#include "memory.h"
#include "stream.h"

static struct handle_table contexts = HANDLE_TABLE(struct context, 1024);

/* guards the device table and the making and ending of contexts */
static pthread_mutex_t device_lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    uint32_t refs; /* aclrtSetDevice calls not undone */
    struct context *primary;
} devices[SIM_MAX_DEVICES];
static uint64_t serial;

struct context *context_current(void)
{
    struct context *ctx = sim_thread.ctx;
    return ctx != NULL && handle_live(ctx) && ctx->serial == sim_thread.ctx_serial ? ctx : NULL;
}

aclError context_need(struct context **ctx)
{
    *ctx = context_current();
    if (*ctx == NULL) {
        return sim_fail(ACL_ERROR_RT_CONTEXT_NULL,
                        "this thread has no current context: call aclrtSetDevice first");
    }
    return ACL_SUCCESS;
}

aclError device_phys(int64_t user, int *phys)
{
    *phys = knobs_phys(user);
    if (*phys < 0) {
        return sim_fail(ACL_ERROR_RT_INVALID_DEVICEID, "device id %lld is not below %u",
                        (long long)user, knobs.visible_count);
    }
    return ACL_SUCCESS;
}

aclError device_there(int dev)
{
    if (__builtin_expect(fault_lost(dev), 0)) {
        sim_count(SIM_C_FAULT, 1);
        return sim_fail(ACL_ERROR_RT_LOST_HEARTBEAT, "device %d is lost (NPUSIM_FAULT)",
                        knobs_user(dev));
    }
    return ACL_SUCCESS;
}

static void make_current(struct context *ctx)
{
    sim_thread.ctx = ctx;
    sim_thread.ctx_serial = ctx->serial;
}

static struct context *context_new(int dev, bool primary)
{
    struct context *ctx = handle_new(&contexts, sizeof(*ctx));
    if (ctx == NULL) {
        return NULL;
    }
    ctx->dev = dev;
    ctx->primary = primary;
    ctx->serial = ++serial;
    ctx->def = stream_new(ctx, 0);
    if (ctx->def == NULL) {
        handle_free(&contexts, ctx);
        return NULL;
    }
    sim_count(SIM_C_LIVE_CONTEXT, 1);
    handle_publish(ctx);
    return ctx;
}

static void context_end(struct context *ctx)
{
    if (handle_kill(ctx)) {
        sim_uncount(SIM_C_LIVE_CONTEXT, 1);
        stream_end_all(ctx);
        handle_free(&contexts, ctx);
    }
}

void context_leaks(int dev)
{
    struct context *ctx;
    for (uint32_t i = 0; (ctx = handle_at(&contexts, i)) != NULL; i++) {
        if (handle_live(ctx) && ctx->dev == dev && !ctx->primary) {
            leak_add(LEAK_CONTEXT, 0, &ctx->head.origin);
        }
    }
}

/* Under the lock: the end of a device in this process. */
static void device_end(int dev, bool all)
{
    struct context *ctx;
    if (knobs.leaks) {
        leaks_collect(dev, all);
    }
    for (uint32_t i = 0; (ctx = handle_at(&contexts, i)) != NULL; i++) {
        if (handle_live(ctx) && ctx->dev == dev && (all || ctx->primary)) {
            context_end(ctx);
        }
    }
    devices[dev].refs = 0;
    devices[dev].primary = NULL;
    event_end_device(dev);
    notify_end_device(dev);
    memory_free_device(dev);
}

void context_end_all(void)
{
    pthread_mutex_lock(&device_lock);
    for (int i = 0; i < SIM_MAX_DEVICES; i++) {
        device_end(i, true);
    }
    pthread_mutex_unlock(&device_lock);
}

SIM_API aclError aclrtSetDevice(int32_t deviceId)
{
    int dev;
    aclError rc = sim_enter(SIM_F_aclrtSetDevice);
    if (rc != ACL_SUCCESS || (rc = device_phys(deviceId, &dev)) != ACL_SUCCESS ||
        (rc = device_there(dev)) != ACL_SUCCESS) {
        return rc;
    }
    pthread_mutex_lock(&device_lock);
    if (devices[dev].primary == NULL) {
        devices[dev].primary = context_new(dev, true);
    }
    if (devices[dev].primary != NULL) {
        devices[dev].refs++;
        make_current(devices[dev].primary);
    } else {
        rc = sim_fail(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, "no room for another context");
    }
    pthread_mutex_unlock(&device_lock);
    return rc;
}

static aclError reset_device(int32_t user, bool force)
{
    int dev;
    aclError rc = device_phys(user, &dev);
    if (rc != ACL_SUCCESS || (rc = device_there(dev)) != ACL_SUCCESS) {
        return rc;
    }
    pthread_mutex_lock(&device_lock);
    if (devices[dev].refs == 0 && !force) {
        rc = sim_fail(ACL_ERROR_RT_CONTEXT_NULL, "device %d was not set by this process", user);
    } else if (force || --devices[dev].refs == 0) {
        device_end(dev, force);
    }
    pthread_mutex_unlock(&device_lock);
    return rc;
}

SIM_API aclError aclrtResetDevice(int32_t deviceId)
{
    aclError rc = sim_enter(SIM_F_aclrtResetDevice);
    return rc != ACL_SUCCESS ? rc : reset_device(deviceId, false);
}

SIM_API aclError aclrtResetDeviceForce(int32_t deviceId)
{
    aclError rc = sim_enter(SIM_F_aclrtResetDeviceForce);
    return rc != ACL_SUCCESS ? rc : reset_device(deviceId, true);
}

SIM_API aclError aclrtGetDevice(int32_t *deviceId)
{
    struct context *ctx;
    aclError rc = sim_enter(SIM_F_aclrtGetDevice);
    if (rc != ACL_SUCCESS) {
        return rc;
    }
    if (deviceId == NULL) {
        return sim_fail(ACL_ERROR_INVALID_PARAM, "deviceId is NULL");
    }
    if ((rc = context_need(&ctx)) == ACL_SUCCESS) {
        *deviceId = knobs_user(ctx->dev);
    }
    return rc;
}

SIM_API aclError aclrtCreateContext(aclrtContext *context, int32_t deviceId)
{
    int dev;
    aclError rc = sim_enter(SIM_F_aclrtCreateContext);
    if (rc != ACL_SUCCESS) {
        return rc;
    }
    if (context == NULL) {
        return sim_fail(ACL_ERROR_INVALID_PARAM, "context is NULL");
    }
    if ((rc = device_phys(deviceId, &dev)) != ACL_SUCCESS ||
        (rc = device_there(dev)) != ACL_SUCCESS) {
        return rc;
    }
    pthread_mutex_lock(&device_lock);
    struct context *ctx = context_new(dev, false);
    pthread_mutex_unlock(&device_lock);
    if (ctx == NULL) {
        return sim_fail(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, "no room for another context");
    }
    make_current(ctx);
    *context = ctx;
    return ACL_SUCCESS;
}

SIM_API aclError aclrtDestroyContext(aclrtContext context)
{
    aclError rc = sim_enter(SIM_F_aclrtDestroyContext);
    if (rc != ACL_SUCCESS) {
        return rc;
    }
    pthread_mutex_lock(&device_lock);
    struct context *ctx = handle_get(&contexts, context);
    if (ctx == NULL || ctx->primary) {
        rc = sim_fail(context == NULL ? ACL_ERROR_INVALID_PARAM : ACL_ERROR_RT_PARAM_INVALID,
                      "%p is not a context made by aclrtCreateContext", context);
    } else {
        context_end(ctx);
    }
    pthread_mutex_unlock(&device_lock);
    return rc;
}

SIM_API aclError aclrtSetCurrentContext(aclrtContext context)
{
    aclError rc = sim_enter(SIM_F_aclrtSetCurrentContext);
    if (rc != ACL_SUCCESS) {
        return rc;
    }
    struct context *ctx = handle_get(&contexts, context);
    if (ctx == NULL) {
        return sim_fail(context == NULL ? ACL_ERROR_INVALID_PARAM : ACL_ERROR_RT_CONTEXT_NULL,
                        "%p is not a live context", context);
    }
    make_current(ctx);
    return ACL_SUCCESS;
}

SIM_API aclError aclrtGetCurrentContext(aclrtContext *context)
{
    struct context *ctx;
    aclError rc = sim_enter(SIM_F_aclrtGetCurrentContext);
    if (rc != ACL_SUCCESS) {
        return rc;
    }
    if (context == NULL) {
        return sim_fail(ACL_ERROR_INVALID_PARAM, "context is NULL");
    }
    if ((rc = context_need(&ctx)) == ACL_SUCCESS) {
        *context = ctx;
    }
    return rc;
}

SIM_API aclError aclrtGetPrimaryCtxState(int32_t deviceId, uint32_t *flags, int32_t *active)
{
    int dev;
    aclError rc = sim_enter(SIM_F_aclrtGetPrimaryCtxState);
    if (rc != ACL_SUCCESS) {
        return rc;
    }
    if (active == NULL) {
        return sim_fail(ACL_ERROR_INVALID_PARAM, "active is NULL");
    }
    if ((rc = device_phys(deviceId, &dev)) == ACL_SUCCESS) {
        pthread_mutex_lock(&device_lock);
        *active = devices[dev].primary != NULL;
        pthread_mutex_unlock(&device_lock);
        if (flags != NULL) {
            *flags = 0;
        }
    }
    return rc;
}

static aclError sync_device(int32_t timeout)
{
    struct context *ctx;
    aclError rc = context_need(&ctx);
    return rc != ACL_SUCCESS ? rc : stream_sync_device(ctx->dev, timeout);
}

SIM_API aclError aclrtSynchronizeDevice(void)
{
    aclError rc = sim_enter(SIM_F_aclrtSynchronizeDevice);
    return rc != ACL_SUCCESS ? rc : sync_device(-1);
}

SIM_API aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout)
{
    aclError rc = sim_enter(SIM_F_aclrtSynchronizeDeviceWithTimeout);
    if (rc == ACL_SUCCESS && timeout < -1) {
        return sim_fail(ACL_ERROR_RT_PARAM_INVALID, "timeout %d is below -1", timeout);
    }
    return rc != ACL_SUCCESS ? rc : sync_device(timeout);
}
