/* SPDX-License-Identifier: BSD-3-Clause */
/* NPUSIM_LEAKS: what a program did not give back is told at exit or aclFinalize,
 * one line a kind with its first call, also when a reset of the device ended it;
 * the exit status stays. Without leaks, or without the variable, no line. */
#include "t_report.h"

static void everything(void)
{
    static char registered[4096];
    aclrtEvent ev;
    aclrtNotify n;
    aclrtContext ctx;
    void *far, *mapped;
    char key[T_KEY] = "";
    t_device(0);
    t_dev_free(t_dev_alloc(10)); /* call 1 */
    void *p = t_dev_alloc(100);
    t_dev_alloc(200);
    t_pinned(64);
    t_acl_ok(aclrtHostRegister(registered, 4096, ACL_HOST_REGISTER_MAPPED, &mapped));
    t_stream();
    t_acl_ok(aclrtCreateEventWithFlag(&ev, ACL_EVENT_SYNC));
    t_acl_ok(aclrtCreateNotify(&n, 0));
    t_acl_ok(aclrtIpcMemGetExportKey(p, 100, key, T_KEY, 1));
    t_acl_ok(aclrtIpcMemImportByKey(&far, key, 0));
    t_acl_ok(aclrtCreateContext(&ctx, 0));
    t_stream();
}

static void left_at_exit(void)
{
    setenv("NPUSIM_LEAKS", "y", 1);
    everything();
}

static void left_to_reset(void)
{
    setenv("NPUSIM_LEAKS", "y", 1);
    everything();
    t_acl_ok(aclrtSetDevice(1));
    t_dev_alloc(7);
    t_acl_ok(aclrtResetDevice(1));
    t_acl_ok(aclrtResetDeviceForce(0));
    t_acl_ok(aclFinalize());
}

static void not_asked(void)
{
    everything();
}

static void clean(void)
{
    setenv("NPUSIM_LEAKS", "y", 1);
    t_device(0);
    aclrtStream s = t_stream();
    void *p = t_dev_alloc(100), *h = t_pinned(64);
    t_acl_ok(aclrtDestroyStream(s));
    t_acl_ok(aclrtFreeHost(h));
    t_dev_free(p);
    t_acl_ok(aclrtResetDevice(0));
    t_acl_ok(aclFinalize());
}

static void all_kinds(const char *allocations)
{
    t_check(t_report_lines() == 9, "nine kinds, not:\n%s", t_report_text);
    t_report_has(allocations);
    t_report_has("leak: 1 host allocation, 64 bytes, first by aclrtMallocHost call 1");
    t_report_has("leak: 1 registered host range, 4096 bytes, first by aclrtHostRegister call 1");
    t_report_has("leak: 1 imported allocation, 100 bytes, first by aclrtIpcMemImportByKey call 1");
    t_report_has("leak: 1 export, first by aclrtIpcMemGetExportKey call 1");
    t_report_has("leak: 2 streams, first by aclrtCreateStream call 1");
    t_report_has("leak: 1 event, first by aclrtCreateEventWithFlag call 1");
    t_report_has("leak: 1 notify, first by aclrtCreateNotify call 1");
    t_report_has("leak: 1 context, first by aclrtCreateContext call 1");
}

int main(void)
{
    t_deadline(60);
    t_check(t_report(left_at_exit) == 3, "the exit status stays:\n%s", t_report_text);
    all_kinds("leak: 2 device allocations, 300 bytes, first by aclrtMalloc call 2");
    t_check(t_report(left_to_reset) == 3, "the exit status stays:\n%s", t_report_text);
    all_kinds("leak: 3 device allocations, 307 bytes, first by aclrtMalloc call 2");
    t_check(t_report(not_asked) == 3 && t_report_lines() == 0, "quiet:\n%s", t_report_text);
    t_check(t_report(clean) == 3 && t_report_lines() == 0, "nothing to say:\n%s", t_report_text);
    return 0;
}
