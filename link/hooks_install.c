/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who puts the replacements in place, and what to tell about it.
 */
#include "acl/asc_log.h"
#include "link/asc_link.h"
#include "link/first_use.h"
#include "link/hooks.h"
#include "link/init.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

typedef enum link_hook_state {
    LINK_HOOKS_NONE,
    LINK_HOOKS_PATCHED,
    LINK_HOOKS_PRELOAD,
    LINK_HOOKS_FAILED
} link_hook_state_t;

static pthread_mutex_t link_hooks_lock = PTHREAD_MUTEX_INITIALIZER;
static link_hook_state_t link_hooks_state; /* atomic */
static asc_link_patch_fn link_hooks_patcher;
static char link_hooks_why[256];

static const struct {
    const char *symbol;
    void *replacement;
} link_hook_list[] = {
#define LINK_HOOK_ENTRY(_name, _params, _args) {#_name, (void *)asc_link_hook_##_name},
    LINK_HOOKS(LINK_HOOK_ENTRY)
#undef LINK_HOOK_ENTRY
};

#define LINK_HOOK_COUNT (sizeof(link_hook_list) / sizeof(link_hook_list[0]))

static link_hook_state_t link_hooks_now(void)
{
    return (link_hook_state_t)__atomic_load_n(&link_hooks_state, __ATOMIC_ACQUIRE);
}

static void link_hooks_become(link_hook_state_t state)
{
    __atomic_store_n(&link_hooks_state, state, __ATOMIC_RELEASE);
}

bool link_hooks_active(void)
{
    link_hook_state_t state = link_hooks_now();

    return state == LINK_HOOKS_PATCHED || state == LINK_HOOKS_PRELOAD;
}

void *asc_link_hook_for(const char *symbol)
{
    for (size_t i = 0; i < LINK_HOOK_COUNT; ++i) {
        if (strcmp(link_hook_list[i].symbol, symbol) == 0) {
            return link_hook_list[i].replacement;
        }
    }
    return NULL;
}

void asc_link_hooks_preloaded(void)
{
    if (!link_second_copy()) {
        link_hooks_become(LINK_HOOKS_PRELOAD);
        link_first_use_watched();
    }
}

/* Seeing allocations but not their frees would be worse than seeing neither:
 * one failure switches all off. */
static asc_status_t link_hooks_patch(asc_link_patch_fn patch)
{
    for (size_t i = 0; i < LINK_HOOK_COUNT; ++i) {
        int rc = patch(link_hook_list[i].symbol, link_hook_list[i].replacement);

        if (rc != 0) {
            snprintf(link_hooks_why, sizeof(link_hooks_why),
                     "the calls of %s could not be redirected (error %d), so allocations are not "
                     "seen and are exported for each use; use libascend_preload.so",
                     link_hook_list[i].symbol, rc);
            asc_log(ASC_LOG_WARN, "%s", link_hooks_why);
            link_hooks_become(LINK_HOOKS_FAILED);
            return ASC_ERR_UNSUPPORTED;
        }
    }
    link_hooks_become(LINK_HOOKS_PATCHED);
    return ASC_OK;
}

asc_status_t asc_link_install_hooks(asc_link_patch_fn patch)
{
    asc_status_t status = ASC_OK;

    if (patch == NULL) {
        return ASC_ERR_INVALID;
    }
    if (link_forked() || link_second_copy()) {
        return ASC_ERR_UNSUPPORTED;
    }
    pthread_mutex_lock(&link_hooks_lock);
    link_hooks_patcher = patch;
    if (link_hooks_now() == LINK_HOOKS_NONE) {
        status = link_hooks_patch(patch);
    } else if (link_hooks_now() == LINK_HOOKS_FAILED) {
        status = ASC_ERR_UNSUPPORTED;
    } else if (link_hooks_now() == LINK_HOOKS_PRELOAD) {
        for (size_t i = 0; i < LINK_HOOK_COUNT; ++i) {
            (void)patch(link_hook_list[i].symbol, link_hook_list[i].replacement);
        }
    }
    pthread_mutex_unlock(&link_hooks_lock);
    return status;
}

asc_status_t asc_link_redirect(const char *symbol, void *replacement)
{
    asc_link_patch_fn patch;

    pthread_mutex_lock(&link_hooks_lock);
    patch = link_hooks_patcher;
    pthread_mutex_unlock(&link_hooks_lock);
    return patch != NULL && patch(symbol, replacement) == 0 ? ASC_OK : ASC_ERR_UNSUPPORTED;
}

const char *asc_link_hook_mode(const char **why)
{
    const char *reason = "", *mode = "none";

    switch (link_hooks_now()) {
    case LINK_HOOKS_NONE:
        reason = "no module has installed hooks yet and libascend_preload.so is not loaded: "
                 "allocations are exported for each use";
        break;
    case LINK_HOOKS_PATCHED:
        mode = "hooks";
        reason = "calls of the runtime from all modules are redirected; a program that looks the "
                 "runtime's functions up with dlsym needs libascend_preload.so (ascendrun sets it)";
        break;
    case LINK_HOOKS_PRELOAD:
        mode = "preload";
        reason = "libascend_preload.so sees calls of the runtime and look-ups with dlsym";
        break;
    case LINK_HOOKS_FAILED:
        reason = link_hooks_why;
        break;
    }
    if (why != NULL) {
        *why = reason;
    }
    return mode;
}
