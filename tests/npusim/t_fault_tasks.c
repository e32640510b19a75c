/* SPDX-License-Identifier: BSD-3-Clause */
/* NPUSIM_FAULT on what streams carry out: a copy that fails when it runs, a
 * stream that stalls while others go on, and records of a notify that are lost,
 * late or doubled, in one process and between two (K8, P15, P56). */
#include <stdio.h>
#include <time.h>

#include "t_sim.h"

static double now_ms(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

static void plan(const char *text)
{
    setenv("NPUSIM_FAULT", text, 1);
    t_device(0);
}

static int copy_fails(void *arg)
{
    (void)arg;
    plan("copy:2=507899,memset:2=507053,reduce:1=507901");
    char *a = t_dev_alloc(64), *b = t_dev_alloc(64);
    aclrtStream s = t_stream(), other = t_stream(), third = t_stream();
    t_dev_fill(a, 64, 1);
    t_dev_fill(b, 64, 2);
    t_d2d(b, a, 32, s);
    t_acl_ok(aclrtSynchronizeStream(s));
    t_d2d(b + 32, a + 32, 32, s); /* accepted; fails when it runs */
    t_acl_fails(aclrtSynchronizeStream(s), ACL_ERROR_RT_DRV_INTERNAL_ERROR);
    t_message_has("NPUSIM_FAULT");
    t_d2d(b + 32, a + 32, 32, s); /* the error stays, later work is dropped */
    t_acl_fails(aclrtSynchronizeStream(s), ACL_ERROR_RT_DRV_INTERNAL_ERROR);
    t_dev_verify(b, 32, 1, 0);
    t_dev_verify(b + 32, 32, 2, 32);
    t_d2d(b + 32, a + 32, 32, other); /* another stream is well */
    t_acl_ok(aclrtSynchronizeStream(other));
    t_dev_verify(b, 64, 1, 0);

    t_acl_ok(aclrtMemsetAsync(a, 64, 0, 64, other));
    t_acl_ok(aclrtSynchronizeStream(other));
    t_acl_ok(aclrtMemsetAsync(b, 64, 0, 64, other));
    t_acl_fails(aclrtSynchronizeStream(other), ACL_ERROR_RT_DEVICE_MEM_ERROR);
    t_acl_ok(aclrtReduceAsync(b, a, 64, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT, third, NULL));
    t_acl_fails(aclrtSynchronizeStream(third), 507901);
    t_dev_verify(b, 64, 1, 0);
    t_check(npusim_counter("fault.injected") == 3, "three tasks were failed");
    return 0;
}

static int stall(void *arg)
{
    (void)arg;
    plan("stream:2=stall/2s");
    char *a = t_dev_alloc(64), *b = t_dev_alloc(64), *c = t_dev_alloc(64);
    aclrtStream s = t_stream(), other = t_stream();
    aclrtStreamStatus st;
    t_dev_fill(a, 64, 1);
    t_dev_fill(b, 64, 2);
    t_d2d(c, a, 64, s); /* first task */
    t_acl_ok(aclrtSynchronizeStream(s));
    double begin = now_ms();
    t_d2d(b, a, 64, s);
    t_acl_ok(aclrtStreamQuery(s, &st)); /* its turn has come now, however tasks are run */
    t_acl_fails(aclrtSynchronizeStreamWithTimeout(s, 100), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    t_dev_verify(b, 64, 2, 0);
    t_d2d(c, b, 64, other);
    t_acl_ok(aclrtSynchronizeStream(other));
    t_acl_ok(aclrtStreamQuery(s, &st));
    t_check(st == ACL_STREAM_STATUS_NOT_READY, "the other stream was held up");
    t_dev_verify(c, 64, 2, 0);
    t_acl_ok(aclrtSynchronizeStream(s));
    t_check(now_ms() - begin >= 1999, "stalled for %f ms only", now_ms() - begin);
    t_dev_verify(b, 64, 1, 0);
    t_check(npusim_counter("fault.injected") == 1, "one stall");
    return 0;
}

/* one record, one wait on another stream with a limit of one second */
static aclError round_trip(aclrtNotify n, aclrtStream s, aclrtStream w)
{
    t_acl_ok(aclrtWaitAndResetNotify(n, w, 1));
    t_acl_ok(aclrtRecordNotify(n, s));
    t_acl_ok(aclrtSynchronizeStream(s));
    return aclrtSynchronizeStream(w);
}

static int lost(void *arg)
{
    aclrtNotify n;
    (void)arg;
    plan("notify:2=lost");
    aclrtStream s = t_stream(), w = t_stream();
    t_acl_ok(aclrtCreateNotify(&n, 0));
    t_acl_ok(round_trip(n, s, w));
    t_acl_fails(round_trip(n, s, w), ACL_ERROR_RT_TS_ERROR);
    t_check(npusim_counter("notify.record") == 1, "one record arrived");
    w = t_stream();
    t_acl_ok(round_trip(n, s, w));
    t_check(npusim_counter("fault.injected") == 1, "one record was lost");
    return 0;
}

static int late(void *arg)
{
    aclrtNotify n;
    (void)arg;
    plan("notify:1=late/300ms");
    aclrtStream s = t_stream(), w = t_stream();
    t_acl_ok(aclrtCreateNotify(&n, 0));
    double begin = now_ms();
    t_acl_ok(aclrtWaitAndResetNotify(n, w, 20));
    t_acl_ok(aclrtRecordNotify(n, s));
    t_acl_ok(aclrtSynchronizeStream(s)); /* the recording stream does not wait */
    t_check(now_ms() - begin < 290, "the stream went on after %f ms", now_ms() - begin);
    t_acl_ok(aclrtSynchronizeStream(w));
    t_check(now_ms() - begin >= 299, "late by %f ms only", now_ms() - begin);
    return 0;
}

static int doubled(void *arg)
{
    aclrtNotify n;
    (void)arg;
    plan("notify:1=double");
    aclrtStream s = t_stream(), w = t_stream();
    t_acl_ok(aclrtCreateNotify(&n, 0));
    t_acl_ok(round_trip(n, s, w));
    t_acl_ok(aclrtWaitAndResetNotify(n, w, 20)); /* without another record */
    t_acl_ok(aclrtSynchronizeStream(w));
    t_check(npusim_counter("notify.record") == 2, "the record arrived twice");
    t_acl_ok(aclrtWaitAndResetNotify(n, w, 1)); /* and not thrice */
    t_acl_fails(aclrtSynchronizeStream(w), ACL_ERROR_RT_TS_ERROR);
    return 0;
}

/* The importer's record is late: it arrives when its stream is done already. */
static int far_recorder(void *arg)
{
    struct t_duo *d = arg;
    aclrtNotify n;
    plan("notify:1=late/200ms");
    t_announce(d);
    t_await(&d->step, 1);
    t_acl_ok(aclrtNotifyImportByKey(&n, d->notify_key, 0));
    aclrtStream s = t_stream();
    t_acl_ok(aclrtRecordNotify(n, s));
    t_acl_ok(aclrtSynchronizeStream(s));
    t_acl_ok(aclrtDestroyStream(s));
    atomic_store(&d->reply, 1);
    t_await(&d->step, 2);
    return 0;
}

static void between_two(void)
{
    struct t_duo *d = t_shared(sizeof(*d));
    aclrtNotify n;
    pid_t child = t_child(far_recorder, d);
    unsetenv("NPUSIM_FAULT");
    t_device(0);
    int32_t pid = t_partner(d);
    aclrtStream w = t_stream();
    t_acl_ok(aclrtCreateNotify(&n, 0));
    t_acl_ok(aclrtNotifyGetExportKey(n, d->notify_key, T_KEY, 0));
    t_acl_ok(aclrtNotifySetImportPid(n, &pid, 1));
    t_acl_ok(aclrtWaitAndResetNotify(n, w, 20));
    double begin = now_ms();
    atomic_store(&d->step, 1);
    t_acl_ok(aclrtSynchronizeStream(w));
    t_check(now_ms() - begin >= 199, "late by %f ms only", now_ms() - begin);
    t_check(atomic_load(&d->reply) == 1, "the recorder's stream did not wait for it");
    atomic_store(&d->step, 2);
    t_wait_ok(child);
}

int main(void)
{
    t_deadline(100);
    t_wait_ok(t_child(copy_fails, NULL));
    t_wait_ok(t_child(stall, NULL));
    t_wait_ok(t_child(lost, NULL));
    t_wait_ok(t_child(late, NULL));
    t_wait_ok(t_child(doubled, NULL));
    between_two();
    return 0;
}
