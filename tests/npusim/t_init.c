/* SPDX-License-Identifier: BSD-3-Clause */
/* Life of the process: what needs aclInit, repeats, references, configuration
 * files, the recent message, use after aclFinalize (P72). */
#include <stdio.h>

#include "t_sim.h"

static void config_files(void)
{
    char path[512];
    snprintf(path, sizeof(path), "%s/config.json", getenv("TMPDIR"));
    t_acl_fails(aclInit(path), ACL_ERROR_INVALID_FILE);
    FILE *f = fopen(path, "w");
    t_check(f != NULL, "cannot write %s", path);
    fputs("not json", f);
    fclose(f);
    t_acl_fails(aclInit(path), ACL_ERROR_PARSE_FILE);
    f = fopen(path, "w");
    fputs("{}", f);
    fclose(f);
    t_acl_ok(aclInit(path));
}

int main(void)
{
    uint32_t count;
    uint64_t refs;
    int32_t major, minor, patch;
    t_deadline(60);
    t_acl_fails(aclrtGetDeviceCount(&count), ACL_ERROR_UNINITIALIZE);
    t_check(aclrtGetSocName() == NULL, "no name before aclInit");
    t_acl_ok(aclrtGetVersion(&major, &minor, &patch));
    t_check(major == 1 && minor == 17, "version %d.%d", major, minor);
    t_acl_fails(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE);
    config_files();
    t_acl_fails(aclInit(NULL), ACL_ERROR_REPEAT_INITIALIZE);
    t_acl_ok(aclrtGetDeviceCount(&count));
    t_check(count == 8, "%u devices", count);
    t_check(strcmp(aclrtGetSocName(), "Ascend910B3") == 0, "SoC %s", aclrtGetSocName());

    while (aclGetRecentErrMsg() != NULL) {
    }
    t_acl_fails(aclrtSetDevice(99), ACL_ERROR_RT_INVALID_DEVICEID);
    t_acl_fails(aclrtFree(NULL), ACL_ERROR_INVALID_PARAM);
    const char *m = aclGetRecentErrMsg();
    t_check(m != NULL && strstr(m, "aclrtFree") < strstr(m, "aclrtSetDevice"), "newest first: %s",
            m);
    t_check(aclGetRecentErrMsg() == NULL, "reading clears");

    t_acl_ok(aclFinalizeReference(&refs));
    t_check(refs == 1, "%llu references left", (unsigned long long)refs);
    t_acl_ok(aclrtSetDevice(0));
    t_dev_alloc(64);
    t_pinned(64);
    t_stream();
    t_acl_ok(aclFinalize());
    t_check(npusim_counter("live.alloc") + npusim_counter("live.host") +
                    npusim_counter("live.stream") + npusim_counter("live.context") ==
                0,
            "aclFinalize leaves nothing");
    t_acl_fails(aclrtSetDevice(0), ACL_ERROR_UNINITIALIZE);
    t_acl_fails(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE);
    t_acl_ok(aclInit(NULL));
    t_acl_ok(aclrtSetDevice(0));
    t_dev_free(t_dev_alloc(64));
    return 0;
}
