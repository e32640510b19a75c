/* SPDX-License-Identifier: BSD-3-Clause */
/* Two devices in one process: copies need access enabled in both directions,
 * pairs without a path (NPUSIM_PEER) refuse it, imports too (K7, P49). */
#include "t_sim.h"

static int matrix(void *arg)
{
    int32_t can;
    (void)arg;
    setenv("NPUSIM_PEER", "110/101/011", 1);
    setenv("NPUSIM_DEVICES", "3", 1);
    t_device(0);
    t_acl_ok(aclrtDeviceCanAccessPeer(&can, 0, 1));
    t_check(can == 1, "0-1 has a path");
    t_acl_ok(aclrtDeviceCanAccessPeer(&can, 0, 2));
    t_check(can == 0, "0-2 has none");
    return 0;
}

static int no_path(void *arg)
{
    struct t_duo *d = arg;
    void *p;
    setenv("NPUSIM_PEER", "0-3,1-2", 1);
    t_device(3);
    t_announce(d);
    t_await(&d->step, 1);
    t_acl_fails(aclrtIpcMemImportByKey(&p, d->key, 1), ACL_ERROR_RT_DRV_INTERNAL_ERROR);
    t_acl_ok(aclrtIpcMemImportByKey(&p, d->key, 0));
    aclrtStream s = t_stream();
    t_d2d(t_dev_alloc(64), p, 64, s);
    t_acl_fails(aclrtSynchronizeStream(s), ACL_ERROR_RT_LINK_ERROR);
    return 0;
}

int main(void)
{
    struct t_duo *d = t_shared(sizeof(*d));
    int32_t can, status;
    uint64_t topo;
    t_deadline(60);
    t_wait_ok(t_child(matrix, NULL));
    setenv("NPUSIM_PEER", "0-3,1-2", 1);
    pid_t child = t_child(no_path, d);
    t_device(0);
    t_acl_ok(aclrtDeviceCanAccessPeer(&can, 0, 1));
    t_check(can == 1, "0-1");
    t_acl_ok(aclrtDeviceCanAccessPeer(&can, 3, 0));
    t_check(can == 0, "3-0");
    t_acl_fails(aclrtDeviceCanAccessPeer(&can, 1, 1), ACL_ERROR_INVALID_PARAM);
    t_acl_fails(aclrtDeviceEnablePeerAccess(1, 1), ACL_ERROR_FEATURE_UNSUPPORTED);
    t_acl_fails(aclrtDeviceEnablePeerAccess(3, 0), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    t_acl_fails(aclrtDeviceEnablePeerAccess(0, 0), ACL_ERROR_INVALID_PARAM);
    t_acl_ok(aclrtGetDevicesTopo(0, 1, &topo));
    t_check(topo == ACL_RT_DEVS_TOPOLOGY_HCCS, "0-1 is linked by 0x%llx", (unsigned long long)topo);

    char *a = t_dev_alloc(4096);
    t_dev_fill(a, 4096, 1);
    t_acl_ok(aclrtSetDevice(1));
    char *b = t_dev_alloc(4096);
    t_acl_ok(aclrtSetDevice(0));
    aclrtStream s = t_stream();
    t_d2d(b, a, 4096, s);
    t_acl_fails(aclrtSynchronizeStream(s), ACL_ERROR_RT_LINK_ERROR);
    t_acl_ok(aclrtDestroyStream(s));

    s = t_stream();
    t_acl_ok(aclrtDeviceEnablePeerAccess(1, 0));
    t_acl_ok(aclrtDevicePeerAccessStatus(0, 1, &status));
    t_check(status == 0, "one direction is not enough");
    t_acl_fails(aclrtMemcpy(b, 64, a, 64, ACL_MEMCPY_DEVICE_TO_DEVICE), ACL_ERROR_RT_LINK_ERROR);
    t_acl_ok(aclrtSetDevice(1));
    t_acl_ok(aclrtDeviceEnablePeerAccess(0, 0));
    t_acl_ok(aclrtSetDevice(0));
    t_acl_ok(aclrtDevicePeerAccessStatus(0, 1, &status));
    t_check(status == 1, "both directions are");
    t_d2d(b, a, 4096, s);
    t_acl_ok(aclrtSynchronizeStream(s));
    t_acl_ok(aclrtSetDevice(1));
    t_dev_verify(b, 4096, 1, 0);
    t_acl_ok(aclrtSetDevice(0));
    t_acl_ok(aclrtDeviceDisablePeerAccess(1));
    t_acl_fails(aclrtDeviceDisablePeerAccess(1), ACL_ERROR_RT_PARAM_INVALID);
    t_d2d(b, a, 4096, s);
    t_acl_fails(aclrtSynchronizeStream(s), ACL_ERROR_RT_LINK_ERROR);

    t_export_to(a, 4096, d->key, t_partner(d));
    atomic_store(&d->step, 1);
    t_wait_ok(child);
    return 0;
}
