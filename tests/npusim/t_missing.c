/* SPDX-License-Identifier: BSD-3-Clause */
/* What the simulated device lacks answers 207000 and names the call. */
#include "t_sim.h"

int main(void)
{
    void *va;
    size_t granularity;
    aclrtPhysicalMemProp prop = {0};
    aclrtDrvMemHandle h;
    aclrtIpcEventHandle ipc = {{0}};
    aclrtEvent ev;
    t_deadline(60);
    t_device(0);
    t_acl_fails(aclrtReserveMemAddress(&va, T_MIB, 0, NULL, 0), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    t_message_has("aclrtReserveMemAddress");
    t_acl_fails(aclrtMallocPhysical(&h, T_MIB, &prop, 0), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    t_acl_fails(
        aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &granularity),
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    t_acl_fails(aclrtMapMem(&va, T_MIB, 0, &prop, 0), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    t_acl_fails(aclrtIpcOpenEventHandle(ipc, &ev), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    t_message_has("aclrtIpcOpenEventHandle");
    t_acl_fails(aclrtProcessReport(1), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    return 0;
}
