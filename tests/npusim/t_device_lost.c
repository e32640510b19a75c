/* SPDX-License-Identifier: BSD-3-Clause */
/* NPUSIM_FAULT=device: from one call on a device is gone: calls, queued tasks
 * and copies to its memory fail with the heartbeat code and nobody hangs; other
 * devices, the runtime's own bookkeeping and aclFinalize work (K8, P15). */
#include <pthread.h>

#include "t_sim.h"

#define GONE ACL_ERROR_RT_LOST_HEARTBEAT

static int one_of_two(void *arg)
{
    aclrtNotify n;
    aclrtEvent ev;
    void *p;
    int32_t dev;
    (void)arg;
    setenv("NPUSIM_FAULT", "device/1:5=lost", 1);
    t_device(0);
    aclrtStream well = t_stream();
    char *mine = t_dev_alloc(64), *too = t_dev_alloc(64);
    t_acl_ok(aclrtDeviceEnablePeerAccess(1, 0));
    t_acl_ok(aclrtSetDevice(1));
    aclrtStream s = t_stream();                 /* 1: calls with device 1 current */
    char *far = t_dev_alloc(64);                /* 2 */
    t_acl_ok(aclrtCreateNotify(&n, 0));         /* 3 */
    t_acl_ok(aclrtWaitAndResetNotify(n, s, 0)); /* 4: would wait for ever */
    t_acl_ok(aclrtGetDevice(&dev));             /* not of the device */
    t_acl_fails(aclrtCreateEvent(&ev), GONE);   /* 5 */
    t_message_has("NPUSIM_FAULT");
    t_acl_fails(aclrtMalloc(&p, 8, ACL_MEM_MALLOC_HUGE_FIRST), GONE);
    t_acl_fails(aclrtSynchronizeStream(s), GONE);
    t_acl_fails(aclrtSetDevice(1), GONE);

    t_acl_ok(aclrtSetDevice(0));
    t_acl_fails(aclrtSynchronizeStream(s), GONE);
    t_acl_fails(aclrtDestroyNotify(n), GONE);
    t_acl_fails(aclrtResetDevice(1), GONE);
    t_d2d(too, mine, 64, well); /* the device that is left works */
    t_acl_ok(aclrtSynchronizeStream(well));
    t_d2d(mine, far, 64, well); /* but does not reach the one that is gone */
    t_acl_fails(aclrtSynchronizeStream(well), GONE);
    t_check(npusim_counter("fault.injected") >= 7, "each failure is counted");
    t_acl_ok(aclFinalize());
    return 0;
}

/* a thread that waits is told, too */
static void *waiter(void *arg)
{
    t_acl_ok(aclrtSetDevice(0));
    t_acl_fails(aclrtSynchronizeStream(arg), GONE);
    return NULL;
}

static int while_waiting(void *arg)
{
    pthread_t thread;
    aclrtNotify n;
    aclrtEvent ev;
    (void)arg;
    setenv("NPUSIM_FAULT", "device:6=lost", 1);
    t_device(0);
    aclrtStream s = t_stream();                                         /* 1 */
    t_acl_ok(aclrtCreateNotify(&n, 0));                                 /* 2 */
    t_acl_ok(aclrtWaitAndResetNotify(n, s, 0));                         /* 3 */
    t_acl_ok(aclrtCreateEvent(&ev));                                    /* 4 */
    t_check(pthread_create(&thread, NULL, waiter, s) == 0, "a thread"); /* 5 */
    while (npusim_counter("call.aclrtSynchronizeStream") == 0) {
        usleep(1000);
    }
    usleep(20000);
    t_acl_fails(aclrtRecordEvent(ev, s), GONE); /* 6 */
    t_check(pthread_join(thread, NULL) == 0, "the thread ended");
    return 0;
}

int main(void)
{
    t_deadline(60);
    t_wait_ok(t_child(one_of_two, NULL));
    t_wait_ok(t_child(while_waiting, NULL));
    return 0;
}
