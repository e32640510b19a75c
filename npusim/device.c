/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * device.c - facts about devices: names, ids, addresses.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "context.h"
#include "node.h"

#define PCI_TEXT 13 /* dddd:bb:dd.f and its end */

SIM_API aclError aclrtGetDeviceCount(uint32_t *count)
{
    aclError rc = sim_enter(SIM_F_aclrtGetDeviceCount);
    if (rc != ACL_SUCCESS) {
        return rc;
    }
    if (count == NULL) {
        return sim_fail(ACL_ERROR_INVALID_PARAM, "count is NULL");
    }
    *count = knobs.visible_count;
    return ACL_SUCCESS;
}

SIM_API aclError aclrtGetRunMode(aclrtRunMode *runMode)
{
    aclError rc = sim_enter(SIM_F_aclrtGetRunMode);
    if (rc != ACL_SUCCESS) {
        return rc;
    }
    if (runMode == NULL) {
        return sim_fail(ACL_ERROR_INVALID_PARAM, "runMode is NULL");
    }
    *runMode = ACL_HOST;
    return ACL_SUCCESS;
}

SIM_API const char *aclrtGetSocName(void)
{
    return sim_enter(SIM_F_aclrtGetSocName) == ACL_SUCCESS ? knobs.soc : NULL;
}

static const struct {
    enum soc_family family;
    int64_t ai_cores, vector_cores, l2, arch;
} family_table[] = {
    {SOC_950, 32, 64, 128 << 20, 3510}, {SOC_A3, 24, 48, 192 << 20, 2201},
    {SOC_A2, 20, 40, 192 << 20, 2201},  {SOC_310B, 1, 1, 4 << 20, 3002},
    {SOC_310P, 8, 7, 16 << 20, 2002},   {SOC_910, 32, 32, 32 << 20, 1001},
};

SIM_API aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t *value)
{
    int dev;
    aclError rc = sim_enter(SIM_F_aclrtGetDeviceInfo);
    if (rc == ACL_SUCCESS && value == NULL) {
        return sim_fail(ACL_ERROR_INVALID_PARAM, "value is NULL");
    }
    if (rc != ACL_SUCCESS || (rc = device_phys(deviceId, &dev)) != ACL_SUCCESS) {
        return rc;
    }
    size_t i = 0;
    while (family_table[i].family != knobs.family) {
        i++;
    }
    switch ((int)attr) {
    case ACL_DEV_ATTR_AICORE_CORE_NUM:
    case ACL_DEV_ATTR_CUBE_CORE_NUM:
        *value = family_table[i].ai_cores;
        break;
    case ACL_DEV_ATTR_VECTOR_CORE_NUM:
        *value = family_table[i].vector_cores;
        break;
    case ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE:
        *value = (int64_t)knobs.hbm;
        break;
    case ACL_DEV_ATTR_L2_CACHE_SIZE:
        *value = family_table[i].l2;
        break;
    case ACL_DEV_ATTR_PHY_CHIP_ID:
        *value = dev;
        break;
    case ACL_DEV_ATTR_IS_VIRTUAL:
        *value = 0;
        break;
    case ACL_DEV_ATTR_NPU_ARCH:
        *value = family_table[i].arch;
        break;
    default:
        return sim_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "npusim has no attribute %d", (int)attr);
    }
    return ACL_SUCCESS;
}

/* Nothing is remapped but by ASCEND_RT_VISIBLE_DEVICES: logic ids are
 * physical ids here. */
static aclError map_id(enum sim_fn fn, int32_t in, int32_t *out, bool from_user)
{
    int dev;
    aclError rc = sim_enter(fn);
    if (rc != ACL_SUCCESS) {
        return rc;
    }
    if (out == NULL) {
        return sim_fail(ACL_ERROR_INVALID_PARAM, "the result pointer is NULL");
    }
    if (from_user) {
        if ((rc = device_phys(in, &dev)) == ACL_SUCCESS) {
            *out = dev;
        }
        return rc;
    }
    dev = knobs_user(in);
    if (dev < 0) {
        return sim_fail(ACL_ERROR_RT_INVALID_DEVICEID, "device %d is not visible here", in);
    }
    *out = dev;
    return ACL_SUCCESS;
}

SIM_API aclError aclrtGetLogicDevIdByUserDevId(const int32_t userDevId, int32_t *const logicDevId)
{
    return map_id(SIM_F_aclrtGetLogicDevIdByUserDevId, userDevId, logicDevId, true);
}

SIM_API aclError aclrtGetUserDevIdByLogicDevId(const int32_t logicDevId, int32_t *const userDevId)
{
    return map_id(SIM_F_aclrtGetUserDevIdByLogicDevId, logicDevId, userDevId, false);
}

/* In this pair "logic" means the user's id, whatever the name says. */
SIM_API aclError aclrtGetLogicDevIdByPhyDevId(const int32_t phyDevId, int32_t *const logicDevId)
{
    return map_id(SIM_F_aclrtGetLogicDevIdByPhyDevId, phyDevId, logicDevId, false);
}

SIM_API aclError aclrtGetPhyDevIdByLogicDevId(const int32_t logicDevId, int32_t *const phyDevId)
{
    return map_id(SIM_F_aclrtGetPhyDevIdByLogicDevId, logicDevId, phyDevId, true);
}

SIM_API aclError aclrtDeviceGetUuid(int32_t deviceId, aclrtUuid *uuid)
{
    int dev;
    aclError rc = sim_enter(SIM_F_aclrtDeviceGetUuid);
    if (rc == ACL_SUCCESS && uuid == NULL) {
        return sim_fail(ACL_ERROR_INVALID_PARAM, "uuid is NULL");
    }
    if (rc == ACL_SUCCESS && (rc = sim_chip(SOC_NEWER)) == ACL_SUCCESS &&
        (rc = device_phys(deviceId, &dev)) == ACL_SUCCESS) {
        memset(uuid->bytes, 0, sizeof(uuid->bytes));
        snprintf(uuid->bytes, sizeof(uuid->bytes), "npusim-%d", dev);
    }
    return rc;
}

SIM_API aclError aclrtDeviceGetPCIBusId(int32_t deviceId, char *pciBusId, int32_t len)
{
    int dev;
    aclError rc = sim_enter(SIM_F_aclrtDeviceGetPCIBusId);
    if (rc != ACL_SUCCESS) {
        return rc;
    }
    if (pciBusId == NULL || len < PCI_TEXT) {
        return sim_fail(ACL_ERROR_INVALID_PARAM, "the buffer is NULL or shorter than %d", PCI_TEXT);
    }
    if ((rc = sim_chip(SOC_NEWER)) != ACL_SUCCESS ||
        (rc = device_phys(deviceId, &dev)) != ACL_SUCCESS) {
        return rc;
    }
    if (knobs.pci[dev][0] == '\0') {
        return sim_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                        "device %d has no PCI address (NPUSIM_PCI)", deviceId);
    }
    snprintf(pciBusId, (size_t)len, "%s", knobs.pci[dev]);
    return ACL_SUCCESS;
}

SIM_API aclError aclrtDeviceGetByPCIBusId(const char *pciBusId, int32_t *deviceId)
{
    aclError rc = sim_enter(SIM_F_aclrtDeviceGetByPCIBusId);
    if (rc != ACL_SUCCESS) {
        return rc;
    }
    if (pciBusId == NULL || deviceId == NULL) {
        return sim_fail(ACL_ERROR_INVALID_PARAM, "pciBusId or deviceId is NULL");
    }
    if ((rc = sim_chip(SOC_NEWER)) != ACL_SUCCESS) {
        return rc;
    }
    for (uint32_t i = 0; i < knobs.visible_count; i++) {
        if (knobs.pci[knobs.visible[i]][0] != '\0' &&
            strcasecmp(knobs.pci[knobs.visible[i]], pciBusId) == 0) {
            *deviceId = (int32_t)i;
            return ACL_SUCCESS;
        }
    }
    return sim_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "no device at %.32s (NPUSIM_PCI)", pciBusId);
}

SIM_API aclError aclrtDeviceGetBareTgid(int32_t *pid)
{
    aclError rc = sim_enter(SIM_F_aclrtDeviceGetBareTgid);
    if (rc != ACL_SUCCESS) {
        return rc;
    }
    if (pid == NULL) {
        return sim_fail(ACL_ERROR_INVALID_PARAM, "pid is NULL");
    }
    *pid = node_self->tgid;
    return ACL_SUCCESS;
}
