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

bool mca_hook_ascend_ucx_version(unsigned *major, unsigned *minor)
{
    unsigned release = 0;
    void *ucp = dlopen("libucp.so.0", RTLD_NOW | RTLD_LOCAL);
    ucp_get_version_fn_t get_version = NULL;

    if (NULL != ucp) {
        *(void **)&get_version = dlsym(ucp, "ucp_get_version");
    }
    if (NULL == get_version) {
        return false;
    }
    get_version(major, minor, &release);
    return true;
}

static bool ucx_matches(char *why, size_t why_len)
{
    unsigned major = 0, minor = 0;
    int built_major, built_minor;
    const char *built = mca_hook_ascend_built_ucx(&built_major, &built_minor);

    if (!mca_hook_ascend_ucx_version(&major, &minor)) {
        (void)snprintf(why, why_len, "UCX %s cannot be loaded: %s", built, dlerror());
        return false;
    }
    if ((int)major != built_major || (int)minor != built_minor) {
        (void)snprintf(why, why_len,
                       "the module was built for UCX %s, this process runs UCX %u.%u; build "
                       "ucx-ascend against that",
                       built, major, minor);
        return false;
    }
    return true;
}

/* What a list of UCX_TLS has of the things that device buffers need. */
typedef struct tls {
    bool copy;
    bool ipc;
    bool messages; /* anything that may carry active messages */
} tls_t;

static bool carries_no_messages(const char *word)
{
    static const char *const names[] = {"cma",      "knem", "cuda_copy", "cuda_ipc",
                                        "gdr_copy", "cuda", "rocm_copy", "rocm_ipc",
                                        "rocm_gdr", "rocm", "ze_copy"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (0 == strcmp(names[i], word)) {
            return true;
        }
    }
    return false;
}

static tls_t read_tls(const char *list)
{
    tls_t tls = {false, false, false};
    char word[64];

    for (size_t len = 0; '\0' != *list; list += len + (',' == list[len])) {
        size_t skip = ('\\' == *list); /* "this one and no alias" */

        len = strcspn(list, ",");
        (void)snprintf(word, sizeof(word), "%.*s", (int)(len - skip), list + skip);
        word[strcspn(word, ":")] = '\0'; /* "for setting up alone" */
        if (0 == strcmp("all", word)) {
            tls = (tls_t){true, true, true};
        } else if (0 == strcmp("asc_copy", word)) {
            tls.copy = true;
        } else if (0 == strcmp("asc_ipc", word)) {
            tls.ipc = true;
        } else if ('\0' != word[0] && !carries_no_messages(word)) {
            tls.messages = true;
        }
    }
    return tls;
}

const char *mca_hook_ascend_tls_lacks(const char **list)
{
    tls_t tls;

    *list = getenv("UCX_TLS");
    if (NULL == *list || '\0' == **list || '^' == **list) {
        return NULL;
    }
    tls = read_tls(*list);
    if (tls.ipc && !tls.copy) {
        return tls.messages ? "asc_copy, which asc_ipc needs"
                            : "asc_copy, and a transport for messages such as posix and self";
    }
    return (tls.copy && !tls.messages) ? "a transport for messages such as posix and self" : NULL;
}

/* UCX uses what UCX_TLS names and nothing else: without asc_copy it takes a
 * device pointer for host memory. */
static bool transports_allowed(char *why, size_t why_len)
{
    const char *list = getenv("UCX_TLS");

    if (NULL == list || '\0' == list[0]) {
        return true;
    }
    if (('^' == list[0]) ? !read_tls(list + 1).copy : read_tls(list).copy) {
        return true;
    }
    (void)snprintf(why, why_len,
                   "UCX_TLS=%s leaves out asc_copy; add asc_copy,asc_ipc to it, or unset it", list);
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
        (void)snprintf(why, why_len,
                       "%s; name the module with ASCEND_UCX_MODULE or hook_ascend_ucx_module",
                       dlerror());
        return false;
    }
    return true;
}
