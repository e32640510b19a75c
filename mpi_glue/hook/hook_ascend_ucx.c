/* SPDX-License-Identifier: BSD-3-Clause */
#include "hook_ascend.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Enough of UCX's public interface to ask its version without its headers. */
typedef void (*ucp_get_version_fn_t)(unsigned *major, unsigned *minor, unsigned *release);

bool mca_hook_ascend_ucx_present(void)
{
    return NULL != dlopen("libucp.so.0", RTLD_NOW | RTLD_LOCAL);
}

static bool ucx_matches(char *why, size_t why_len)
{
    unsigned major = 0, minor = 0, release = 0;
    int built_major, built_minor;
    const char *built    = mca_hook_ascend_built_ucx(&built_major, &built_minor);
    void *ucp            = dlopen("libucp.so.0", RTLD_NOW | RTLD_LOCAL);
    ucp_get_version_fn_t get_version;

    if (NULL == ucp) {
        (void) snprintf(why, why_len, "UCX cannot be loaded: %s", dlerror());
        return false;
    }
    *(void **) &get_version = dlsym(ucp, "ucp_get_version");
    if (NULL == get_version) {
        (void) snprintf(why, why_len, "libucp.so.0 has no ucp_get_version; UCX %s is needed",
                        built);
        return false;
    }
    get_version(&major, &minor, &release);
    if ((int) major != built_major || (int) minor != built_minor) {
        (void) snprintf(why, why_len,
                        "the module was built for UCX %s, this process runs UCX %u.%u.%u; build "
                        "ucx-ascend against that",
                        built, major, minor, release);
        return false;
    }
    return true;
}

/* UCX uses what UCX_TLS names and nothing else: without asc_copy it takes a
 * device pointer for host memory. */
static bool transports_allowed(char *why, size_t why_len)
{
    const char *list = getenv("UCX_TLS");
    bool named;

    if (NULL == list || '\0' == list[0]) {
        return true;
    }
    named = NULL != strstr(list, "asc_copy");
    if (('^' == list[0]) ? !named : (named || NULL != strstr(list, "all"))) {
        return true;
    }
    (void) snprintf(why, why_len,
                    "UCX_TLS=%s leaves out asc_copy; add asc_copy,asc_ipc to it, or unset it",
                    list);
    return false;
}

bool mca_hook_ascend_load_ucx_module(const char *path, char *why, size_t why_len)
{
    why[0] = '\0';
    if (!ucx_matches(why, why_len) || !transports_allowed(why, why_len)) {
        return false;
    }
    /* Global and for good: UCX finds the module in its list of components and
     * keeps pointers into it until the process ends. */
    if (NULL == dlopen(path, RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE)) {
        (void) snprintf(why, why_len,
                        "%s; name the module with ASCEND_UCX_MODULE or hook_ascend_ucx_module",
                        dlerror());
        return false;
    }
    return true;
}
