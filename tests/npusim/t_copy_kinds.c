/* SPDX-License-Identifier: BSD-3-Clause */
/* Which copies are taken, which are refused and how, in the order of checks
 * of the runtime. */
#include "t_sim.h"

int main(void)
{
    t_deadline(60);
    t_device(0);
    aclrtStream s = t_stream();
    char *a = t_dev_alloc(4096), *b = t_dev_alloc(4096), *h = t_pinned(4096), pageable[4096];
    aclrtMemcpyKind h2d = ACL_MEMCPY_HOST_TO_DEVICE, d2h = ACL_MEMCPY_DEVICE_TO_HOST;

    t_acl_fails(aclrtMemcpy(a, 10, h, 11, h2d), ACL_ERROR_RT_PARAM_INVALID);
    t_acl_fails(aclrtMemcpy(NULL, 10, h, 10, h2d), ACL_ERROR_INVALID_PARAM);
    t_acl_ok(aclrtMemcpy(NULL, 0, NULL, 0, h2d));
    t_acl_fails(aclrtMemcpy(a, 10, h, 10, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE),
                ACL_ERROR_INVALID_PARAM);
    t_acl_fails(aclrtMemcpyAsync(a, 10, h, 10, ACL_MEMCPY_INTER_DEVICE_TO_DEVICE, s),
                ACL_ERROR_INVALID_PARAM);
    t_acl_fails(aclrtMemcpyAsync(h, 10, pageable, 10, ACL_MEMCPY_HOST_TO_HOST, s),
                ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    t_acl_ok(aclrtMemcpy(h, 10, pageable, 10, ACL_MEMCPY_HOST_TO_HOST));
    t_acl_ok(aclrtMemcpyAsync(a, 10, a, 10, ACL_MEMCPY_DEVICE_TO_DEVICE, s));

    /* the addresses decide, whatever the kind says */
    t_fill(h, 4096, 5);
    t_acl_ok(aclrtMemcpyAsync(a, 4096, h, 4096, d2h, s));
    t_acl_ok(aclrtMemcpyAsync(b, 4096, a, 4096, ACL_MEMCPY_DEFAULT, s));
    t_acl_ok(aclrtSynchronizeStream(s));
    t_dev_verify(b, 4096, 5, 0);

    /* pageable memory makes the call synchronous */
    t_fill(pageable, 4096, 6);
    t_acl_ok(aclrtMemcpyAsync(a, 4096, pageable, 4096, h2d, s));
    memset(pageable, 0, 4096);
    t_acl_ok(aclrtMemcpyAsync(pageable, 4096, a, 4096, d2h, s));
    t_verify(pageable, 4096, 6, 0);

    t_acl_fails(aclrtMemset(a, 10, 1, 11), ACL_ERROR_RT_PARAM_INVALID);
    t_acl_ok(aclrtMemsetAsync(a, 4096, 0x5a, 4096, s));
    t_acl_ok(aclrtMemcpyAsync(h, 4096, a, 4096, d2h, s));
    t_acl_ok(aclrtSynchronizeStream(s));
    t_check(h[0] == 0x5a && h[4095] == 0x5a, "memset reached both ends");

    /* beyond the allocation and its pad: fails when it runs, and stays */
    t_acl_ok(aclrtMemcpyAsync(a, 4200, b, 4200, ACL_MEMCPY_DEVICE_TO_DEVICE, s));
    t_acl_fails(aclrtSynchronizeStream(s), ACL_ERROR_RT_DEVICE_MEM_ERROR);
    t_message_has("device to device copy of 4200 bytes");
    t_acl_fails(aclrtSynchronizeStream(s), ACL_ERROR_RT_DEVICE_MEM_ERROR);
    t_check(npusim_counter("copy.bytes.h2d") == 8192, "h2d bytes %llu",
            (unsigned long long)npusim_counter("copy.bytes.h2d"));
    return 0;
}
