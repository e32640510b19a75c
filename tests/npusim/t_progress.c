/* SPDX-License-Identifier: BSD-3-Clause */
/* Streams move although the program makes no call: what waits for another
 * process's record is done soon after it, and host functions run on a thread
 * of the runtime with signals blocked. */
#include <pthread.h>
#include <signal.h>

#include "t_sim.h"

static pthread_t main_thread;
static atomic_int called;

static void host_func(void *arg)
{
    sigset_t set;
    pthread_sigmask(SIG_SETMASK, NULL, &set);
    t_check(!pthread_equal(pthread_self(), main_thread), "not on the caller's thread");
    t_check(sigismember(&set, SIGTERM) == 1, "signals are for the program's threads");
    atomic_store((atomic_int *)arg, 7);
}

static int recorder(void *arg)
{
    struct t_duo *d = arg;
    aclrtNotify n;
    t_device(0);
    t_announce(d);
    t_await(&d->step, 1);
    t_acl_ok(aclrtNotifyImportByKey(&n, d->notify_key, 0));
    aclrtStream s = t_stream();
    usleep(100000); /* the other side's worker sleeps by now */
    t_acl_ok(aclrtRecordNotify(n, s));
    t_acl_ok(aclrtSynchronizeStream(s));
    t_await(&d->step, 2);
    return 0;
}

int main(void)
{
    struct t_duo *d = t_shared(sizeof(*d));
    aclrtNotify n;
    t_deadline(60);
    main_thread = pthread_self();
    pid_t child = t_child(recorder, d);
    t_device(0);
    int32_t pid = t_partner(d);
    aclrtStream s = t_stream();
    atomic_int *word = t_pinned(64), *from = t_pinned(64);
    *word = 0;
    *from = 5;
    void *dev = t_dev_alloc(64);
    t_acl_ok(aclrtCreateNotify(&n, 0));
    t_acl_ok(aclrtNotifyGetExportKey(n, d->notify_key, T_KEY, 0));
    t_acl_ok(aclrtNotifySetImportPid(n, &pid, 1));
    t_acl_ok(aclrtMemcpyAsync(dev, 64, from, 64, ACL_MEMCPY_HOST_TO_DEVICE, s));
    t_acl_ok(aclrtWaitAndResetNotify(n, s, 20));
    t_acl_ok(aclrtMemcpyAsync(word, 64, dev, 64, ACL_MEMCPY_DEVICE_TO_HOST, s));
    t_acl_ok(aclrtLaunchHostFunc(s, host_func, &called));
    atomic_store(&d->step, 1);
    t_await(&called, 7);
    t_check(atomic_load(word) == 5, "the copy before the function gave %d", atomic_load(word));
    atomic_store(&d->step, 2);
    t_wait_ok(child);
    t_acl_ok(aclrtSynchronizeStream(s));

    /* words in device memory, written and waited for by streams */
    aclrtStream other = t_stream();
    uint64_t value = 0;
    t_acl_ok(aclrtMemset(dev, 64, 0, 64));
    t_acl_ok(aclrtValueWait(dev, 9, ACL_VALUE_WAIT_EQ, s));
    t_acl_ok(aclrtValueWrite((char *)dev + 8, 3, 0, s));
    t_acl_ok(aclrtValueWrite(dev, 9, 0, other));
    t_acl_ok(aclrtSynchronizeStream(s));
    t_to_host(&value, (char *)dev + 8, 8);
    t_check(value == 3, "the write after the wait gave %llu", (unsigned long long)value);
    t_acl_fails(aclrtValueWrite((char *)dev + 4, 3, 0, s), ACL_ERROR_RT_PARAM_INVALID);
    return 0;
}
