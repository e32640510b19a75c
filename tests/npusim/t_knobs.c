/* SPDX-License-Identifier: BSD-3-Clause */
/* Every NPUSIM_ variable: a value that makes no sense, or a name that does not
 * exist, fails aclInit with a message that names it; good values act. */
#include <stdio.h>

#include "t_sim.h"

static int bad(void *arg)
{
    char text[128], *value;
    snprintf(text, sizeof(text), "%s", (char *)arg);
    value = strchr(text, '=');
    *value++ = '\0';
    setenv(text, value, 1);
    t_check(freopen("/dev/null", "w", stderr) != NULL, "stderr is quiet");
    aclError rc = aclInit(NULL);
    const char *m = aclGetRecentErrMsg();
    return rc != ACL_ERROR_INVALID_PARAM || m == NULL || strstr(m, value) == NULL;
}

static int devices(void *arg)
{
    uint32_t count;
    int32_t phys;
    char id[16];
    (void)arg;
    setenv("NPUSIM_DEVICES", "4", 1);
    setenv("ASCEND_RT_VISIBLE_DEVICES", "3,1", 1);
    setenv("NPUSIM_PCI", "0000:c1:00.0,0000:C2:00.0,0000:01:00.0,0001:02:00.0", 1);
    t_device(1);
    t_acl_ok(aclrtGetDeviceCount(&count));
    t_check(count == 2, "%u devices", count);
    t_acl_fails(aclrtSetDevice(2), ACL_ERROR_RT_INVALID_DEVICEID);
    t_acl_ok(aclrtGetPhyDevIdByLogicDevId(0, &phys));
    t_check(phys == 3, "user 0 is device %d", phys);
    t_acl_ok(aclrtGetUserDevIdByLogicDevId(1, &phys));
    t_check(phys == 1, "device 1 is user %d", phys);
    t_acl_ok(aclrtDeviceGetPCIBusId(1, id, sizeof(id)));
    t_check(strcmp(id, "0000:c2:00.0") == 0, "user 1 is at %s", id);
    t_acl_fails(aclrtDeviceGetPCIBusId(1, id, 12), ACL_ERROR_INVALID_PARAM);
    t_acl_ok(aclrtDeviceGetByPCIBusId("0001:02:00.0", &phys));
    t_check(phys == 0, "0001:02:00.0 is user %d", phys);
    t_acl_fails(aclrtDeviceGetByPCIBusId("0000:01:00.0", &phys), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    return 0;
}

static int no_device(void *arg)
{
    uint32_t count = 9;
    (void)arg;
    setenv("NPUSIM_DEVICES", "0", 1);
    t_acl_ok(aclInit(NULL));
    t_acl_ok(aclrtGetDeviceCount(&count));
    t_check(count == 0, "%u devices", count);
    t_acl_fails(aclrtSetDevice(0), ACL_ERROR_RT_INVALID_DEVICEID);
    return 0;
}

static int one_import(void *arg)
{
    char key[T_KEY] = "";
    void *p;
    (void)arg;
    setenv("NPUSIM_ONE_IMPORT", "y", 1);
    t_device(0);
    t_acl_ok(aclrtIpcMemGetExportKey(t_dev_alloc(64), 64, key, T_KEY, 1));
    t_acl_ok(aclrtIpcMemImportByKey(&p, key, 0));
    t_acl_fails(aclrtIpcMemImportByKey(&p, key, 0), ACL_ERROR_RT_DRV_INTERNAL_ERROR);
    t_acl_ok(aclrtIpcMemClose(key));
    t_acl_ok(aclrtIpcMemImportByKey(&p, key, 0));
    return 0;
}

/* small blocks share a page of 2 MiB: all but the first are refused (P22) */
static int suballoc(void *arg)
{
    char key[T_KEY] = "";
    (void)arg;
    setenv("NPUSIM_SUBALLOC", "y", 1);
    t_device(0);
    char *a = t_dev_alloc(100), *b = t_dev_alloc(100), *c = t_dev_alloc(2 * T_MIB);
    t_check(b - a == 512, "blocks are %td apart", b - a);
    t_acl_fails(aclrtIpcMemGetExportKey(b, 100, key, T_KEY, 0), ACL_ERROR_RT_DRV_INTERNAL_ERROR);
    t_acl_ok(aclrtIpcMemGetExportKey(c, 2 * T_MIB, key, T_KEY, 0));
    t_dev_fill(a, 100, 1);
    t_dev_fill(b, 100, 2);
    t_dev_free(a);
    t_dev_verify(b, 100, 2, 0);
    return 0;
}

static int no_pci(void *arg)
{
    char id[16];
    (void)arg;
    t_device(0);
    t_acl_fails(aclrtDeviceGetPCIBusId(0, id, sizeof(id)), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    return 0;
}

int main(void)
{
    static const char *const wrong[] = {
        "NPUSIM_DEVICES=many",
        "NPUSIM_DEVICES=65",
        "NPUSIM_HBM=1M",
        "NPUSIM_HBM=16X",
        "NPUSIM_HBM=16777217T",
        "NPUSIM_SOC=Ascend77",
        "NPUSIM_ASYNC=sometimes",
        "NPUSIM_SEED=x",
        "NPUSIM_VA_RECYCLE=perhaps",
        "NPUSIM_SUBALLOC=2",
        "NPUSIM_POISON=ja",
        "NPUSIM_ONE_IMPORT=-",
        "NPUSIM_PITCHED_D2D=2d",
        "NPUSIM_MAX_NOTIFY=9000",
        "NPUSIM_MAX_STREAM=0",
        "NPUSIM_MAX_EVENT=65537",
        "NPUSIM_MAX_EXPORT=4097",
        "NPUSIM_REDZONE=2M",
        "NPUSIM_REDZONE=64B",
        "NPUSIM_LEAKS=maybe",
        "NPUSIM_LINK=0-1",
        "NPUSIM_TGID_OFFSET=-1",
        "NPUSIM_PEER=0-0",
        "NPUSIM_PEER=01x",
        "NPUSIM_PEER=011/101",
        "NPUSIM_PEER=01/1",
        "NPUSIM_PCI=00:01",
        "NPUSIM_FAULT=aclrtMaloc:1=5",
        "NPUSIM_FAULT=aclrtMalloc:0=5",
        "NPUSIM_STATS=/nonexistent/counters",
        "NPUSIM_DIR=relative",
        "NPUSIM_DIR=/",
        "ASCEND_RT_VISIBLE_DEVICES=0,0",
        "ASCEND_RT_VISIBLE_DEVICES=8",
    };
    t_deadline(100);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        t_check(t_wait(t_child(bad, (void *)wrong[i])) == 0, "%s is named", wrong[i]);
    }
    setenv("NPUSIM_DEVISES", "2", 1);
    t_acl_fails(aclInit(NULL), ACL_ERROR_INVALID_PARAM);
    t_message_has("NPUSIM_DEVISES");
    unsetenv("NPUSIM_DEVISES");
    t_wait_ok(t_child(devices, NULL));
    t_wait_ok(t_child(no_device, NULL));
    t_wait_ok(t_child(one_import, NULL));
    t_wait_ok(t_child(suballoc, NULL));
    t_wait_ok(t_child(no_pci, NULL));
    return 0;
}
