/* SPDX-License-Identifier: BSD-3-Clause */
/* Contexts belong to threads: a new thread has none, streams are used with
 * their own context only, a reset device takes its context from all threads
 * (P31, P33). */
#include <pthread.h>

#include "t_sim.h"

static void *new_thread(void *arg)
{
    int32_t dev;
    void *p;
    char x[8];
    t_acl_fails(aclrtGetDevice(&dev), ACL_ERROR_RT_CONTEXT_NULL);
    t_acl_fails(aclrtMalloc(&p, 8, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_CONTEXT_NULL);
    t_acl_fails(aclrtMemcpy(x, 8, x, 8, ACL_MEMCPY_HOST_TO_HOST), ACL_ERROR_RT_CONTEXT_NULL);
    t_acl_fails(aclrtCreateStream(&p), ACL_ERROR_RT_CONTEXT_NULL);
    t_acl_ok(aclrtSynchronizeStream(arg)); /* switches by itself */
    t_acl_ok(aclrtSetDevice(0));
    t_acl_ok(aclrtGetDevice(&dev));
    t_check(dev == 0, "device %d", dev);
    t_acl_ok(aclrtResetDevice(0));
    t_acl_ok(aclrtGetDevice(&dev)); /* two references were taken */
    return NULL;
}

static atomic_int stale_step;
static aclrtContext stale;

/* Keeps a context current that somebody else ends and whose handle comes back
 * for another device. */
static void *stale_thread(void *arg)
{
    int32_t dev;
    (void)arg;
    t_acl_ok(aclrtCreateContext(&stale, 1));
    atomic_store(&stale_step, 1);
    t_await(&stale_step, 2);
    t_acl_fails(aclrtGetDevice(&dev), ACL_ERROR_RT_CONTEXT_NULL);
    return NULL;
}

static void handle_comes_back(void)
{
    aclrtContext ctx = NULL;
    pthread_t thread;
    pthread_create(&thread, NULL, stale_thread, NULL);
    t_await(&stale_step, 1);
    t_acl_ok(aclrtDestroyContext(stale));
    for (int i = 0; i < 2000 && ctx != stale; i++) {
        t_acl_ok(aclrtCreateContext(&ctx, 2));
        if (ctx != stale) {
            t_acl_ok(aclrtDestroyContext(ctx));
        }
    }
    t_check(ctx == stale, "the handle was not used again");
    atomic_store(&stale_step, 2);
    pthread_join(thread, NULL);
    t_acl_ok(aclrtDestroyContext(ctx));
}

int main(void)
{
    aclrtContext primary, own, now;
    aclrtEvent ev;
    int32_t dev, active;
    uint32_t flags;
    pthread_t thread;
    t_deadline(60);
    t_device(0);
    aclrtStream s = t_stream();
    pthread_create(&thread, NULL, new_thread, s);
    pthread_join(thread, NULL);

    t_acl_fails(aclrtSetDevice(8), ACL_ERROR_RT_INVALID_DEVICEID);
    t_acl_fails(aclrtSetDevice(-1), ACL_ERROR_RT_INVALID_DEVICEID);
    t_acl_ok(aclrtGetCurrentContext(&primary));
    t_acl_ok(aclrtCreateContext(&own, 1));
    t_acl_ok(aclrtGetDevice(&dev));
    t_check(dev == 1, "a created context is current, device %d", dev);
    t_acl_ok(aclrtCreateEvent(&ev));
    t_acl_fails(aclrtRecordEvent(ev, s), ACL_ERROR_RT_STREAM_CONTEXT);
    t_acl_fails(aclrtMemsetAsync(s, 1, 0, 1, s), ACL_ERROR_RT_STREAM_CONTEXT);
    t_acl_ok(aclrtRecordEvent(ev, NULL));
    t_acl_ok(aclrtGetPrimaryCtxState(0, &flags, &active));
    t_check(active == 1, "device 0 is active");
    t_acl_ok(aclrtGetPrimaryCtxState(1, &flags, &active));
    t_check(active == 0, "an own context does not activate device 1");

    t_acl_ok(aclrtSetCurrentContext(primary));
    t_acl_ok(aclrtGetDevice(&dev));
    t_check(dev == 0, "device %d", dev);
    t_acl_fails(aclrtRecordEvent(ev, s), ACL_ERROR_RT_PARAM_INVALID); /* event of device 1 */
    t_acl_fails(aclrtDestroyContext(primary), ACL_ERROR_RT_PARAM_INVALID);
    t_acl_ok(aclrtDestroyContext(own));
    t_acl_fails(aclrtSetCurrentContext(own), ACL_ERROR_RT_CONTEXT_NULL);

    t_dev_alloc(100);
    t_acl_ok(aclrtResetDevice(0));
    t_acl_fails(aclrtGetCurrentContext(&now), ACL_ERROR_RT_CONTEXT_NULL);
    t_acl_fails(aclrtSynchronizeStream(s), ACL_ERROR_RT_INVALID_HANDLE);
    t_check(npusim_counter("live.alloc") == 0, "the reset freed the device's memory");
    t_acl_ok(aclrtSetDevice(0));
    t_acl_ok(aclrtSetDevice(0));
    t_acl_ok(aclrtResetDeviceForce(0));
    t_acl_fails(aclrtGetDevice(&dev), ACL_ERROR_RT_CONTEXT_NULL);
    t_acl_fails(aclrtResetDevice(0), ACL_ERROR_RT_CONTEXT_NULL);
    handle_comes_back();
    return 0;
}
