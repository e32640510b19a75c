/* SPDX-License-Identifier: BSD-3-Clause */
/* NPUSIM_REDZONE: a write past what was asked for, though the padding takes it,
 * is reported with allocation, zone and call: at free, at exit, when asked. So is
 * a write that an engine refuses because it would leave the padding. Without
 * such writes, and in freed memory's next life, nothing is said. */
#include "t_report.h"

static void zones(void)
{
    setenv("NPUSIM_REDZONE", "4K", 1);
    t_device(0);
}

static void at_free(void)
{
    char host[64] = {0};
    zones();
    t_dev_alloc(8);
    char *p = t_dev_alloc(100); /* call 2 */
    t_acl_ok(aclrtMemset(p, 104, 1, 100));
    t_acl_ok(aclrtMemcpy(p + 90, 64, host, 14, ACL_MEMCPY_HOST_TO_DEVICE)); /* call 1 */
    t_acl_ok(aclrtFree(p));
    t_check(npusim_counter("redzone.hit") == 1, "one zone was hit");
    p = t_dev_alloc(100);
    t_acl_ok(aclrtFree(p));
}

static void asynchronous(void)
{
    zones();
    char *p = t_dev_alloc(3 * T_MIB), *q = t_dev_alloc(128);
    aclrtStream s = t_stream();
    t_acl_ok(aclrtMemsetAsync(q, 128, 1, 128, s));
    t_acl_ok(aclrtMemsetAsync(p, 3 * T_MIB, 1, 3 * T_MIB, s));
    t_d2d(p + 3 * T_MIB, q, 1, s);
    t_d2d(p + 3 * T_MIB, q, 2, s);
    t_acl_ok(
        aclrtReduceAsync(q + 120, p, 16, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT32, s, NULL));
    t_acl_ok(aclrtSynchronizeStream(s));
    t_check(npusim_redzone_check() == 2, "both zones are reported when asked");
    t_check(npusim_redzone_check() == 0, "and once");
    t_acl_ok(aclrtMemset((char *)q + 128, 4, 9, 4));
}

static void refused(void)
{
    zones();
    char *p = t_dev_alloc(4096);
    aclrtStream s = t_stream();
    t_acl_fails(aclrtMemset(p, 9000, 1, 9000), ACL_ERROR_RT_DEVICE_MEM_ERROR);
    t_acl_ok(aclrtMemsetAsync(p - 8, 16, 1, 16, s));
    t_acl_fails(aclrtSynchronizeStream(s), ACL_ERROR_RT_DEVICE_MEM_ERROR);
    t_check(npusim_redzone_check() == 0, "nothing was written");
    t_check(npusim_counter("redzone.hit") == 2, "two zones were in danger");
}

static void healthy(void)
{
    static const size_t sizes[] = {1, 31, 32, 4064, 4096, 1 << 20, (2 << 20) - 32, 2 << 20};
    char key[T_KEY];
    zones();
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        void *p = t_dev_alloc(sizes[i]);
        t_dev_fill(p, sizes[i], i);
        t_dev_verify(p, sizes[i], i, 0);
        t_acl_ok(aclrtIpcMemGetExportKey(p, sizes[i], key, T_KEY, 1));
        if (i % 2 == 0) {
            t_dev_free(p);
        }
    }
}

static void by_somebody_else(void)
{
    char key[T_KEY] = "";
    void *far;
    zones();
    char *p = t_dev_alloc(64), *q = t_dev_alloc(64);
    aclrtStream s = t_stream();
    t_acl_ok(aclrtIpcMemGetExportKey(p, 96, key, T_KEY, 1));
    t_acl_ok(aclrtIpcMemImportByKey(&far, key, 0));
    t_d2d((char *)far + 64, q, 16, s); /* as another process would: through an import */
    t_acl_ok(aclrtSynchronizeStream(s));
    t_acl_ok(aclrtIpcMemClose(key));
    t_acl_ok(aclrtFree(p));
}

int main(void)
{
    t_deadline(60);
    t_check(t_report(at_free) == 3, "the exit status is the program's:\n%s", t_report_text);
    t_check(t_report_lines() == 1, "one line, not:\n%s", t_report_text);
    t_report_has("red zone after 0x");
    t_report_has("100 bytes of device 0 (aclrtMalloc call 2): offsets 100 to 103 were overwritten, "
                 "last by aclrtMemcpy call 1; found by aclrtFree");

    t_check(t_report(asynchronous) == 3, "no check failed:\n%s", t_report_text);
    t_check(t_report_lines() == 3, "three lines, not:\n%s", t_report_text);
    t_report_has("3145728 bytes of device 0 (aclrtMalloc call 1): offsets 3145728 to 3145729 were "
                 "overwritten, last by aclrtMemcpyAsync call 2; found by npusim_redzone_check");
    t_report_has("128 bytes of device 0 (aclrtMalloc call 2): offsets 128 to 135 were overwritten, "
                 "last by aclrtReduceAsync call 1");
    t_report_has("offsets 128 to 131 were overwritten, last by aclrtMemset call 1; found by exit");

    t_check(t_report(refused) == 3, "no check failed:\n%s", t_report_text);
    t_report_has("red zone after");
    t_report_has("aclrtMemset call 1 would write offsets 0 to 8999; refused");
    t_report_has("red zone before");
    t_report_has("aclrtMemsetAsync call 1 would write offsets -8 to 7; refused");

    t_check(t_report(by_somebody_else) == 3, "no check failed:\n%s", t_report_text);
    t_report_has("offsets 64 to 79 were overwritten, nothing that an engine");

    t_check(t_report(healthy) == 3 && t_report_lines() == 0, "nothing to say:\n%s", t_report_text);
    return 0;
}
