/* SPDX-License-Identifier: BSD-3-Clause */
/* NPUSIM_LINK: copies between a pair take at least the time of its link, in one
 * process and between two, synchronous or not; copies of a direction share it,
 * waiting for one costs little CPU time, other pairs are not slowed down. */
#include <stdio.h>
#include <time.h>

#include "t_sim.h"

#define LEN    (4 * T_MIB) /* 100 MB/s: 42 ms */
#define LEN_MS 41.9

static double ms(clockid_t clock)
{
    struct timespec ts;
    clock_gettime(clock, &ts);
    return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

static double now_ms(void)
{
    return ms(CLOCK_MONOTONIC);
}

static void both(void)
{
    for (int other = 1; other < 3; other++) {
        t_device(other);
        t_acl_ok(aclrtDeviceEnablePeerAccess(0, 0));
        t_device(0);
        t_acl_ok(aclrtDeviceEnablePeerAccess(other, 0));
    }
}

static int one_process(void *arg)
{
    aclrtStreamStatus st;
    (void)arg;
    setenv("NPUSIM_LINK", "0-1=100M/20ms,0-2=/2s,h-3=1G/30ms", 1);
    both();
    char *a = t_dev_alloc(LEN), *c = t_dev_alloc(LEN);
    aclrtStream s = t_stream(), other = t_stream();
    t_acl_ok(aclrtSetDevice(1));
    char *b = t_dev_alloc(LEN);
    t_acl_ok(aclrtSetDevice(0));
    t_dev_fill(a, LEN, 1);
    t_dev_fill(b, LEN, 2);

    double begin = now_ms();
    t_d2d(b, a, LEN, s);
    t_acl_ok(aclrtSynchronizeStream(s));
    t_check(now_ms() - begin >= LEN_MS + 20, "a to b took %f ms", now_ms() - begin);
    t_dev_verify(b, LEN, 1, 0);

    /* two at once share the bandwidth, not the latency; the way back is free */
    begin = now_ms();
    t_d2d(b, a, LEN, s);
    t_d2d(b, a, LEN, other);
    t_acl_ok(aclrtStreamQuery(other, &st));
    t_acl_ok(aclrtSynchronizeStream(s));
    t_acl_ok(aclrtSynchronizeStream(other));
    t_check(now_ms() - begin >= 2 * LEN_MS + 20, "both took %f ms", now_ms() - begin);

    begin = now_ms();
    t_acl_ok(aclrtMemcpy(a, LEN, b, LEN, ACL_MEMCPY_DEVICE_TO_DEVICE));
    t_check(now_ms() - begin >= LEN_MS + 20, "synchronously %f ms", now_ms() - begin);

    /* inside a device nothing is slowed down */
    t_acl_ok(aclrtSetDevice(2));
    b = t_dev_alloc(LEN);
    t_acl_ok(aclrtSetDevice(0));
    t_d2d(b, a, LEN, s);
    t_acl_ok(aclrtStreamQuery(s, &st));
    t_d2d(c, a, LEN, other);
    t_acl_ok(aclrtSynchronizeStream(other));
    t_acl_ok(aclrtStreamQuery(s, &st));
    t_check(st == ACL_STREAM_STATUS_NOT_READY, "the slow copy is still under way");
    t_acl_ok(aclrtSynchronizeStream(s));
    return 0;
}

static int host_link(void *arg)
{
    void *host = malloc(LEN);
    (void)arg;
    setenv("NPUSIM_LINK", "h-3=0.1G/30ms,h-2=100M", 1);
    t_device(3);
    void *dev = t_dev_alloc(LEN), *pinned = t_pinned(LEN);
    aclrtStream s = t_stream();
    memset(host, 1, LEN);
    memset(pinned, 2, LEN);
    double begin = now_ms(), cpu = ms(CLOCK_PROCESS_CPUTIME_ID);
    for (int i = 0; i < 3; i++) {
        t_acl_ok(aclrtMemcpyAsync(dev, LEN, pinned, LEN, ACL_MEMCPY_HOST_TO_DEVICE, s));
        t_acl_ok(aclrtSynchronizeStream(s));
        t_acl_ok(aclrtMemcpy(host, LEN, dev, LEN, ACL_MEMCPY_DEVICE_TO_HOST));
    }
    double took = now_ms() - begin;
    cpu = ms(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    t_check(took >= 6 * (LEN_MS + 30), "six copies took %f ms", took);
    t_check(cpu < took / 2, "%f ms of CPU time in %f ms", cpu, took);
    t_check(((char *)host)[LEN - 1] == 2, "the data went round");

    /* a pitched copy is as slow as its bytes, not as its span */
    begin = now_ms();
    t_acl_ok(aclrtMemcpy2dAsync(dev, LEN / 64, pinned, LEN / 64, LEN / 128, 64,
                                ACL_MEMCPY_HOST_TO_DEVICE, s));
    t_acl_ok(aclrtSynchronizeStream(s));
    t_check(now_ms() - begin >= LEN_MS / 2 + 30, "pitched in %f ms", now_ms() - begin);
    free(host);
    return 0;
}

static int exporter(void *arg)
{
    struct t_duo *d = arg;
    t_device(1);
    char *p = t_dev_alloc(LEN);
    t_dev_fill(p, LEN, 5);
    t_export_to(p, LEN, d->key, t_partner(d));
    atomic_store(&d->step, 1);
    t_await(&d->reply, 1);
    return 0;
}

static void imported(void)
{
    struct t_duo *d = t_shared(sizeof(*d));
    void *far;
    pid_t child = t_child(exporter, d);
    setenv("NPUSIM_LINK", "1-0=100M/20ms", 1);
    t_device(0);
    char *mine = t_dev_alloc(LEN);
    aclrtStream s = t_stream();
    t_announce(d);
    t_await(&d->step, 1);
    t_acl_ok(aclrtIpcMemImportByKey(&far, d->key, ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS));
    double begin = now_ms();
    t_d2d(mine, far, LEN, s);
    t_acl_ok(aclrtSynchronizeStream(s));
    t_check(now_ms() - begin >= LEN_MS + 20, "from the other process in %f ms", now_ms() - begin);
    t_dev_verify(mine, LEN, 5, 0);
    atomic_store(&d->reply, 1);
    t_wait_ok(child);
}

static int is_refused(void *arg)
{
    setenv("NPUSIM_LINK", arg, 1);
    t_check(freopen("/dev/null", "w", stderr) != NULL, "stderr is quiet");
    aclError rc = aclInit(NULL);
    const char *m = aclGetRecentErrMsg();
    return rc != ACL_ERROR_INVALID_PARAM || m == NULL || strstr(m, "write") == NULL;
}

int main(void)
{
    static const char *const bad[] = {"0-1",      "0-1=",       "0-64=1G",    "0=1G",
                                      "0-1=25",   "0-1=25G/10", "0-1=25X",    "h-h=1G",
                                      "0-1=1G/",  "0-1=1G,",    "0-1=-1G",    "0-1=1.2.3G",
                                      "0-1=1e9G", "0-1=1G/2h",  "0-1=1G/1sX", "0-1=2000T"};
    t_deadline(100);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        t_check(t_wait(t_child(is_refused, (void *)bad[i])) == 0, "%s is refused", bad[i]);
    }
    t_wait_ok(t_child(one_process, NULL));
    t_wait_ok(t_child(host_link, NULL));
    imported();
    return 0;
}
