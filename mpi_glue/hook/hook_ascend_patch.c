/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * UCX's relocation patcher without UCX's headers, which a build without the
 * UCX module does not have.
 */
#include "hook_ascend_calls.h"

#include <dlfcn.h>
#include <stdlib.h>

/* What ucm_reloc_modify of UCX 1.13 takes: the two names first, then what it
 * keeps for itself, last a list of libraries to leave alone. */
typedef struct patch {
    const char *symbol;
    void *replacement;
    void *previous;
    void *links[2];
    char **left_alone;
} patch_t;

typedef int (*modify_fn_t)(patch_t *patch);

/* The structure is not public, so no other version is trusted with it. The
 * library is loaded for good: patches stay on its list. */
static modify_fn_t find_modify(void)
{
    unsigned major, minor;
    modify_fn_t modify = NULL;
    void *ucs;

    if (!mca_hook_ascend_ucx_version(&major, &minor) || 1 != major || 13 != minor) {
        return NULL;
    }
    /* UCX's own libraries bring libucm along. */
    ucs = dlopen("libucs.so.0", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (NULL != ucs) {
        *(void **)&modify = dlsym(ucs, "ucm_reloc_modify");
    }
    if (NULL == modify) {
        (void)dlerror();
    }
    return modify;
}

bool mca_hook_ascend_patch(const char *symbol, void *replacement)
{
    modify_fn_t modify = find_modify();
    patch_t *patch = (NULL != modify) ? calloc(1, sizeof(*patch)) : NULL;

    if (NULL == patch) {
        return false;
    }
    patch->symbol = symbol;
    patch->replacement = replacement;
    if (0 == modify(patch)) {
        return true; /* UCX keeps it and applies it to libraries loaded later */
    }
    free(patch);
    return false;
}
