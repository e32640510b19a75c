/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What happens when the module is loaded: UCX's structures differ from one
 * release to the next although its libraries keep one name, so nothing is
 * registered before the version is known to be the one built for.
 */
#include "asc_base.h"

#include <ucs/debug/log.h>
#include <ucs/sys/compiler.h>
#include <uct/api/version.h>

#include <dlfcn.h>
#include <string.h>

typedef void (*uct_asc_get_version_func_t)(unsigned *major, unsigned *minor, unsigned *patch);

/* Only libucp tells the version. It comes from the same package as libuct, and
 * a program that preloads this module may not have loaded it yet. */
static uct_asc_get_version_func_t uct_asc_find_version_func(void)
{
    static const char name[] = "ucp_get_version";
    void *func, *lib;

    func = dlsym(RTLD_DEFAULT, name);
    if (func == NULL) {
        lib = dlopen("libucp.so.0", RTLD_LAZY | RTLD_LOCAL);
        if (lib == NULL) {
            (void)dlerror();
            return NULL;
        }
        func = dlsym(lib, name);
    }
    return (uct_asc_get_version_func_t)func;
}

static int uct_asc_is_version_right(void)
{
    unsigned major = 0, minor = 0, patch = 0;
    uct_asc_get_version_func_t get_version;

    get_version = uct_asc_find_version_func();
    if (get_version == NULL) {
        ucs_warn("Ascend memory is not supported in this process: the version of UCX is not known, "
                 "because libucp.so.0 was not found; install it beside libuct.so.0");
        return 0;
    }

    get_version(&major, &minor, &patch);
    if ((major == UCT_VERNO_MAJOR) && (minor == UCT_VERNO_MINOR) && (patch == UCT_VERNO_PATCH)) {
        return 1;
    }

    ucs_warn("Ascend memory is not supported in this process: libuct_ascend.so was built for UCX "
             "%s, this is UCX %u.%u.%u; rebuild ucx-ascend for it",
             UCT_VERNO_STRING, major, minor, patch);
    return 0;
}

static UCS_F_CTOR void uct_asc_load(void)
{
    if (!uct_asc_is_version_right()) {
        return;
    }

    /* asc_copy first: asc_ipc is useless without it. */
    uct_component_register(&uct_asc_copy_component);
    uct_tl_register(&uct_asc_copy_component, &uct_asc_copy_tl);
    uct_component_register(&uct_asc_ipc_component);
    uct_tl_register(&uct_asc_ipc_component, &uct_asc_ipc_tl);

    /* A program that brings the runtime along may allocate before it starts
     * UCX; the earlier the hooks, the fewer allocations are met unseen. Others
     * must not notice us, so for them it waits until a runtime is found. */
    if (dlsym(RTLD_DEFAULT, "aclrtMalloc") != NULL) {
        uct_asc_install_hooks();
    } else {
        (void)dlerror();
    }
}

int uct_asc_find_rocm(const char **name)
{
    uct_md_resource_desc_t *resources;
    uct_component_t *component;
    unsigned num_resources;

    ucs_list_for_each (component, &uct_components_list, list) {
        if (strncmp(component->name, "rocm", 4) != 0) {
            continue;
        }

        /* The package may be installed without any such device in the node. */
        num_resources = 0;
        if (component->query_md_resources(component, &resources, &num_resources) != UCS_OK) {
            continue;
        }
        if (num_resources > 0) {
            ucs_free(resources);
            *name = component->name;
            return 1;
        }
    }
    return 0;
}
