/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench_npu.h"

#include <acl/acl.h>
#include <stdint.h>
#include <stdio.h>

static int32_t npu_device = -1;

static int npu_check(const char *call, aclError code, char *error)
{
    const char *recent;

    if (code == 0) {
        return 0;
    }
    recent = aclGetRecentErrMsg();
    snprintf(error, BENCH_ERROR_MAX, "device %d: %s returned %d%s%s", (int)npu_device, call,
             (int)code, recent != NULL ? ": " : "", recent != NULL ? recent : "");
    return -1;
}

static int npu_open(int local_rank, char *error)
{
    uint32_t devices = 0;
    aclError code = aclInit(NULL);

    if (code != ACL_ERROR_REPEAT_INITIALIZE && npu_check("aclInit", code, error) != 0) {
        return -1;
    }
    if (npu_check("aclrtGetDeviceCount", aclrtGetDeviceCount(&devices), error) != 0) {
        return -1;
    }
    if (devices == 0) {
        snprintf(error, BENCH_ERROR_MAX,
                 "no NPU is visible to this process; use host buffers (H), or the software NPU "
                 "(ascendrun --sim)");
        return -1;
    }
    npu_device = local_rank % (int)devices;
    return npu_check("aclrtSetDevice", aclrtSetDevice(npu_device), error);
}

static int npu_alloc(void **ptr, size_t bytes, char *error)
{
    return npu_check("aclrtMalloc", aclrtMalloc(ptr, bytes, ACL_MEM_MALLOC_HUGE_FIRST), error);
}

static int npu_free(void *ptr, char *error)
{
    return npu_check("aclrtFree", aclrtFree(ptr), error);
}

static int npu_to_device(void *dst, const void *src, size_t bytes, char *error)
{
    return npu_check("aclrtMemcpy to the device",
                     aclrtMemcpy(dst, bytes, src, bytes, ACL_MEMCPY_HOST_TO_DEVICE), error);
}

static int npu_to_host(void *dst, const void *src, size_t bytes, char *error)
{
    return npu_check("aclrtMemcpy to the host",
                     aclrtMemcpy(dst, bytes, src, bytes, ACL_MEMCPY_DEVICE_TO_HOST), error);
}

static void npu_close(void)
{
    if (npu_device >= 0) {
        aclrtResetDevice(npu_device);
        aclFinalize();
        npu_device = -1;
    }
}

extern const bench_npu_ops_t bench_npu_ops;

__attribute__((visibility("default"))) const bench_npu_ops_t bench_npu_ops = {
    .open = npu_open,
    .alloc = npu_alloc,
    .free = npu_free,
    .to_device = npu_to_device,
    .to_host = npu_to_host,
    .close = npu_close,
};
