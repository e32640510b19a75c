/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unsupported.c - parts of the ABI that this device does not have. They answer
 * as a chip or driver without the feature does, and say so in the message.
 */
#include "entry.h"

/* the arguments of a missing feature do not matter */
#pragma GCC diagnostic ignored "-Wunused-parameter"

static aclError unsupported(enum sim_fn fn)
{
    aclError rc = sim_enter(fn);
    return rc != ACL_SUCCESS
               ? rc
               : sim_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "npusim does not have this function");
}

SIM_API aclError aclsysGetVersionStr(char *pkgName, char *versionStr)
{
    return unsupported(SIM_F_aclsysGetVersionStr);
}

SIM_API aclError aclsysGetVersionNum(char *pkgName, int32_t *versionNum)
{
    return unsupported(SIM_F_aclsysGetVersionNum);
}

SIM_API aclError aclrtLaunchCallback(aclrtCallback fn, void *userData,
                                     aclrtCallbackBlockType blockType, aclrtStream stream)
{
    return unsupported(SIM_F_aclrtLaunchCallback);
}

SIM_API aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream)
{
    return unsupported(SIM_F_aclrtSubscribeReport);
}

SIM_API aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream)
{
    return unsupported(SIM_F_aclrtUnSubscribeReport);
}

SIM_API aclError aclrtProcessReport(int32_t timeout)
{
    return unsupported(SIM_F_aclrtProcessReport);
}

SIM_API aclError aclrtIpcGetEventHandle(aclrtEvent event, aclrtIpcEventHandle *handle)
{
    return unsupported(SIM_F_aclrtIpcGetEventHandle);
}

SIM_API aclError aclrtIpcOpenEventHandle(aclrtIpcEventHandle handle, aclrtEvent *event)
{
    return unsupported(SIM_F_aclrtIpcOpenEventHandle);
}

SIM_API aclError aclrtIpcMemImportPidInterServer(const char *key, aclrtServerPid *serverPids,
                                                 size_t num)
{
    return unsupported(SIM_F_aclrtIpcMemImportPidInterServer);
}

SIM_API aclError aclrtIpcMemSetAttr(const char *key, aclrtIpcMemAttrType type, uint64_t attr)
{
    return unsupported(SIM_F_aclrtIpcMemSetAttr);
}

SIM_API aclError aclrtNotifySetImportPidInterServer(aclrtNotify notify, aclrtServerPid *serverPids,
                                                    size_t num)
{
    return unsupported(SIM_F_aclrtNotifySetImportPidInterServer);
}

SIM_API aclError aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp *prop,
                                                  aclrtMemGranularityOptions option,
                                                  size_t *granularity)
{
    return unsupported(SIM_F_aclrtMemGetAllocationGranularity);
}

SIM_API aclError aclrtReserveMemAddress(void **virPtr, size_t size, size_t alignment,
                                        void *expectPtr, uint64_t flags)
{
    return unsupported(SIM_F_aclrtReserveMemAddress);
}

SIM_API aclError aclrtReleaseMemAddress(void *virPtr)
{
    return unsupported(SIM_F_aclrtReleaseMemAddress);
}

SIM_API aclError aclrtMallocPhysical(aclrtDrvMemHandle *handle, size_t size,
                                     const aclrtPhysicalMemProp *prop, uint64_t flags)
{
    return unsupported(SIM_F_aclrtMallocPhysical);
}

SIM_API aclError aclrtFreePhysical(aclrtDrvMemHandle handle)
{
    return unsupported(SIM_F_aclrtFreePhysical);
}

SIM_API aclError aclrtMapMem(void *virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle,
                             uint64_t flags)
{
    return unsupported(SIM_F_aclrtMapMem);
}

SIM_API aclError aclrtUnmapMem(void *virPtr)
{
    return unsupported(SIM_F_aclrtUnmapMem);
}

SIM_API aclError aclrtMemExportToShareableHandle(aclrtDrvMemHandle handle,
                                                 aclrtMemHandleType handleType, uint64_t flags,
                                                 uint64_t *shareableHandle)
{
    return unsupported(SIM_F_aclrtMemExportToShareableHandle);
}

SIM_API aclError aclrtMemSetPidToShareableHandle(uint64_t shareableHandle, int32_t *pid,
                                                 size_t pidNum)
{
    return unsupported(SIM_F_aclrtMemSetPidToShareableHandle);
}

SIM_API aclError aclrtMemImportFromShareableHandle(uint64_t shareableHandle, int32_t deviceId,
                                                   aclrtDrvMemHandle *handle)
{
    return unsupported(SIM_F_aclrtMemImportFromShareableHandle);
}

SIM_API aclError aclrtMemExportToShareableHandleV2(aclrtDrvMemHandle handle, uint64_t flags,
                                                   aclrtMemSharedHandleType shareType,
                                                   void *shareableHandle)
{
    return unsupported(SIM_F_aclrtMemExportToShareableHandleV2);
}

SIM_API aclError aclrtMemSetPidToShareableHandleV2(void *shareableHandle,
                                                   aclrtMemSharedHandleType shareType, int32_t *pid,
                                                   size_t pidNum)
{
    return unsupported(SIM_F_aclrtMemSetPidToShareableHandleV2);
}

SIM_API aclError aclrtMemImportFromShareableHandleV2(void *shareableHandle,
                                                     aclrtMemSharedHandleType shareType,
                                                     uint64_t flags, aclrtDrvMemHandle *handle)
{
    return unsupported(SIM_F_aclrtMemImportFromShareableHandleV2);
}

SIM_API aclError aclrtMemSetAccess(void *virPtr, size_t size, aclrtMemAccessDesc *desc,
                                   size_t count)
{
    return unsupported(SIM_F_aclrtMemSetAccess);
}

SIM_API aclError aclrtMemGetAccess(void *virPtr, aclrtMemLocation *location, uint64_t *flags)
{
    return unsupported(SIM_F_aclrtMemGetAccess);
}

SIM_API aclError aclrtMemRetainAllocationHandle(void *virPtr, aclrtDrvMemHandle *handle)
{
    return unsupported(SIM_F_aclrtMemRetainAllocationHandle);
}

SIM_API aclError aclrtMemP2PMap(void *devPtr, size_t size, int32_t deviceId, uint64_t flags)
{
    return unsupported(SIM_F_aclrtMemP2PMap);
}
