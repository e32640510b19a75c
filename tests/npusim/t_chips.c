/* SPDX-License-Identifier: BSD-3-Clause */
/* What only some chips have is refused on the others with 207000, as a driver
 * does, and what a device has of streams and notifies is as published for its
 * family and shared by all processes of the node. */
#include <signal.h>

#include "t_sim.h"

static int on_310b(void *arg)
{
    char key[T_KEY] = "";
    int32_t can;
    aclrtNotify n;
    (void)arg;
    setenv("NPUSIM_SOC", "Ascend310B1", 1);
    t_device(0);
    void *p = t_dev_alloc(64);
    t_acl_fails(aclrtIpcMemGetExportKey(p, 64, key, T_KEY, 1), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    t_message_has("Ascend310B1");
    t_acl_fails(aclrtIpcMemClose(key), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    t_acl_fails(aclrtDeviceCanAccessPeer(&can, 0, 1), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    t_acl_fails(aclrtDeviceEnablePeerAccess(1, 0), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    t_acl_ok(aclrtCreateNotify(&n, 0));
    t_acl_fails(aclrtNotifyGetExportKey(n, key, T_KEY, 0), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    t_acl_fails(aclrtNotifyImportByKey(&n, key, 0), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    return 0;
}

static int on_310p(void *arg)
{
    char key[T_KEY] = "";
    void *p;
    aclrtNotify n;
    (void)arg;
    setenv("NPUSIM_SOC", "Ascend310P3", 1);
    t_device(0);
    t_acl_fails(aclrtIpcMemGetExportKey(t_dev_alloc(64), 64, key, T_KEY, 1),
                ACL_ERROR_RT_DRV_INTERNAL_ERROR);
    t_message_has("P2P");
    t_acl_ok(aclrtMalloc(&p, 64, ACL_MEM_MALLOC_NORMAL_ONLY_P2P));
    t_acl_ok(aclrtIpcMemGetExportKey(p, 64, key, T_KEY, 1));
    t_acl_ok(aclrtMalloc(&p, 3 * T_MIB, ACL_MEM_MALLOC_HUGE_FIRST_P2P));
    t_acl_ok(aclrtIpcMemGetExportKey(p, 3 * T_MIB, key, T_KEY, 1));
    for (int i = 0; i < 1024; i++) {
        t_acl_ok(aclrtCreateNotify(&n, 0));
    }
    t_acl_fails(aclrtCreateNotify(&n, 0), ACL_ERROR_RT_NO_NOTIFY_RESOURCE);
    return 0;
}

static int on_910(void *arg)
{
    aclrtNotify n;
    aclrtUuid uuid;
    void *registered;
    static char page[4096];
    (void)arg;
    setenv("NPUSIM_SOC", "Ascend910A", 1);
    t_device(0);
    void *p = t_dev_alloc(64);
    t_acl_fails(aclrtValueWrite(p, 1, 0, NULL), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    t_acl_fails(aclrtDeviceGetUuid(0, &uuid), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    t_acl_fails(aclrtHostRegister(page, sizeof(page), ACL_HOST_REGISTER_MAPPED, &registered),
                ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    t_acl_ok(aclrtCreateNotify(&n, 0));
    t_acl_fails(aclrtNotifyBatchReset(&n, 1), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    return 0;
}

/* Takes streams until there are none and says how many it got. */
static int take_streams(struct t_duo *d)
{
    aclrtStream s;
    int got = 0;
    setenv("NPUSIM_SOC", "Ascend310B1", 1);
    t_device(0);
    while (got < atomic_load(&d->step) && aclrtCreateStream(&s) == ACL_SUCCESS) {
        got++;
    }
    return got;
}

static int holder(void *arg)
{
    struct t_duo *d = arg;
    t_check(take_streams(d) == 300, "300 of 512 streams");
    atomic_store(&d->reply, 1);
    pause();
    return 1;
}

static int taker(void *arg)
{
    struct t_duo *d = arg;
    int got = take_streams(d);
    t_check(got == atomic_load(&d->tgid), "%d streams were left", got);
    return 0;
}

static void streams_are_shared(struct t_duo *d)
{
    atomic_store(&d->step, 300);
    pid_t child = t_child(holder, d);
    t_await(&d->reply, 1);
    atomic_store(&d->step, 1000);
    /* each process has a default stream, too */
    atomic_store(&d->tgid, 512 - 301 - 1);
    t_wait_ok(t_child(taker, d));
    kill(child, SIGKILL);
    t_wait(child);
    atomic_store(&d->tgid, 512 - 1);
    t_wait_ok(t_child(taker, d));
}

int main(void)
{
    t_deadline(60);
    t_wait_ok(t_child(on_310b, NULL));
    t_wait_ok(t_child(on_310p, NULL));
    t_wait_ok(t_child(on_910, NULL));
    streams_are_shared(t_shared(sizeof(struct t_duo)));
    return 0;
}
