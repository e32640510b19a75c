/* SPDX-License-Identifier: BSD-3-Clause */
#include "device.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int device_check(device_t *dev, const char *call, aclError code)
{
    const char *recent;

    if (code == 0) {
        return 0;
    }
    recent = aclGetRecentErrMsg();
    snprintf(dev->error, sizeof(dev->error), "device %d: %s returned %d%s%s", dev->id, call,
             (int)code, recent != NULL ? ": " : "", recent != NULL ? recent : "");
    return -1;
}

static int device_alloc(device_t *dev, float **npu, float **host)
{
    size_t bytes = dev->count * sizeof(float);

    if (device_check(dev, "aclrtMalloc",
                     aclrtMalloc((void **)npu, bytes, ACL_MEM_MALLOC_HUGE_FIRST)) != 0) {
        return -1;
    }
    return device_check(dev, "aclrtMallocHost", aclrtMallocHost((void **)host, bytes));
}

int device_open(device_t *dev, int local_rank, size_t count)
{
    uint32_t devices = 0;
    aclError code;

    memset(dev, 0, sizeof(*dev));
    dev->count = count;
    dev->id = -1;
    code = aclInit(NULL);
    if (code != ACL_ERROR_REPEAT_INITIALIZE && device_check(dev, "aclInit", code) != 0) {
        return -1;
    }
    if (device_check(dev, "aclrtGetDeviceCount", aclrtGetDeviceCount(&devices)) != 0) {
        return -1;
    }
    if (devices == 0) {
        snprintf(dev->error, sizeof(dev->error),
                 "no NPU is visible to this process; check ASCEND_RT_VISIBLE_DEVICES, or use the "
                 "software NPU (ascendrun --sim)");
        return -1;
    }
    dev->id = local_rank % (int)devices;
    if (device_check(dev, "aclrtSetDevice", aclrtSetDevice(dev->id)) != 0) {
        return -1;
    }
    dev->in_use = 1;
    if (device_check(dev, "aclrtCreateStream", aclrtCreateStream(&dev->stream)) != 0 ||
        device_alloc(dev, &dev->params, &dev->host_params) != 0 ||
        device_alloc(dev, &dev->gradient, &dev->host_gradient) != 0) {
        return -1;
    }
    return 0;
}

static int device_copy(device_t *dev, float *to, const float *from, aclrtMemcpyKind kind)
{
    size_t bytes = dev->count * sizeof(float);

    if (device_check(dev, "aclrtMemcpyAsync",
                     aclrtMemcpyAsync(to, bytes, from, bytes, kind, dev->stream)) != 0) {
        return -1;
    }
    return device_check(dev, "aclrtSynchronizeStream", aclrtSynchronizeStream(dev->stream));
}

int device_params_from_host(device_t *dev)
{
    return device_copy(dev, dev->params, dev->host_params, ACL_MEMCPY_HOST_TO_DEVICE);
}

int device_params_to_host(device_t *dev)
{
    return device_copy(dev, dev->host_params, dev->params, ACL_MEMCPY_DEVICE_TO_HOST);
}

int device_gradient_from_host(device_t *dev)
{
    return device_copy(dev, dev->gradient, dev->host_gradient, ACL_MEMCPY_HOST_TO_DEVICE);
}

static int device_update_on_host(device_t *dev)
{
    if (device_copy(dev, dev->host_gradient, dev->gradient, ACL_MEMCPY_DEVICE_TO_HOST) != 0 ||
        device_params_to_host(dev) != 0) {
        return -1;
    }
    for (size_t i = 0; i < dev->count; i++) {
        dev->host_params[i] += dev->host_gradient[i];
    }
    return device_params_from_host(dev);
}

int device_update(device_t *dev)
{
    aclError code;

    if (!dev->host_update) {
        code = aclrtReduceAsync(dev->params, dev->gradient, dev->count * sizeof(float),
                                ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT, dev->stream, NULL);
        if (code != ACL_ERROR_RT_FEATURE_NOT_SUPPORT) {
            if (device_check(dev, "aclrtReduceAsync", code) != 0) {
                return -1;
            }
            return device_check(dev, "aclrtSynchronizeStream", aclrtSynchronizeStream(dev->stream));
        }
        dev->host_update = 1;
    }
    return device_update_on_host(dev);
}

void device_close(device_t *dev)
{
    if (dev->host_gradient != NULL) {
        aclrtFreeHost(dev->host_gradient);
    }
    if (dev->host_params != NULL) {
        aclrtFreeHost(dev->host_params);
    }
    if (dev->gradient != NULL) {
        aclrtFree(dev->gradient);
    }
    if (dev->params != NULL) {
        aclrtFree(dev->params);
    }
    if (dev->stream != NULL) {
        aclrtDestroyStream(dev->stream);
    }
    if (dev->in_use) {
        aclrtResetDevice(dev->id);
        aclFinalize();
    }
    memset(dev, 0, sizeof(*dev));
}
