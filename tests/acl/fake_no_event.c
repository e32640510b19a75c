/* SPDX-License-Identifier: BSD-3-Clause */
/* A runtime that lacks one required function, aclrtRecordEvent. */
#define T_FAKE_CODE 0
#include "tests/acl/t_fake.h"

T_FAKE(aclInit)
T_FAKE(aclrtGetDeviceCount)
T_FAKE(aclrtSetDevice)
T_FAKE(aclrtGetDevice)
T_FAKE(aclrtGetCurrentContext)
T_FAKE(aclrtSetCurrentContext)
T_FAKE(aclrtMalloc)
T_FAKE(aclrtFree)
T_FAKE(aclrtMallocHost)
T_FAKE(aclrtFreeHost)
T_FAKE(aclrtMemcpy)
T_FAKE(aclrtMemcpyAsync)
T_FAKE(aclrtMemset)
T_FAKE(aclrtCreateStream)
T_FAKE(aclrtDestroyStream)
T_FAKE(aclrtSynchronizeStream)
T_FAKE(aclrtCreateEvent)
T_FAKE(aclrtDestroyEvent)
T_FAKE(aclrtQueryEventStatus)
T_FAKE(aclrtStreamWaitEvent)
