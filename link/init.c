/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Start-up of the library in a process, and the cases in which it declines:
 * a second copy, a forked child, a wrong environment, no runtime.
 */
#include "asc_config.h"

#include "acl/asc_acl.h"
#include "acl/asc_log.h"
#include "link/asc_link.h"
#include "link/board.h"
#include "link/counters.h"
#include "link/env.h"
#include "link/free.h"
#include "link/init.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINK_SONAME "libascendlink.so"

typedef struct link_text {
    struct link_text *older; /* texts that were handed out stay valid */
    char text[];
} link_text_t;

static struct {
    pthread_mutex_t lock; /* one initialisation at a time */
    bool ready;           /* atomic */
    bool in_charge;       /* atomic: this copy acts for the process */
    bool forked;          /* atomic */
    pthread_once_t fork_once;
    link_text_t *why; /* atomic */
} link_init = {.lock = PTHREAD_MUTEX_INITIALIZER, .fork_once = PTHREAD_ONCE_INIT};

static void link_init_in_child(void)
{
    __atomic_store_n(&link_init.forked, true, __ATOMIC_RELAXED);
}

static void link_init_watch_fork(void)
{
    pthread_atfork(NULL, NULL, link_init_in_child);
}

bool link_forked(void)
{
    return __atomic_load_n(&link_init.forked, __ATOMIC_RELAXED);
}

/* ------------------------------------------------- one copy only --------- */

/* Asked by other copies of the library, found by dlsym in their turn. */
__attribute__((visibility("default"))) bool asc_link_in_charge(void);

bool asc_link_in_charge(void)
{
    return __atomic_load_n(&link_init.in_charge, __ATOMIC_ACQUIRE);
}

typedef struct link_copy_search {
    uintptr_t own;  /* an address inside this copy */
    char path[512]; /* of another copy that is in charge, or "" */
} link_copy_search_t;

static bool link_copy_holds(const struct dl_phdr_info *info, uintptr_t addr)
{
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const ElfW(Phdr) *ph = &info->dlpi_phdr[i];

        if (ph->p_type == PT_LOAD && addr - (info->dlpi_addr + ph->p_vaddr) < ph->p_memsz) {
            return true;
        }
    }
    return false;
}

static int link_copy_visit(struct dl_phdr_info *info, size_t size, void *arg)
{
    link_copy_search_t *search = arg;
    const char *slash = strrchr(info->dlpi_name, '/');
    const char *base = slash != NULL ? slash + 1 : info->dlpi_name;

    (void)size;
    if (strncmp(base, LINK_SONAME, strlen(LINK_SONAME)) != 0 ||
        link_copy_holds(info, search->own)) {
        return 0;
    }
    snprintf(search->path, sizeof(search->path), "%s", info->dlpi_name);
    return 1;
}

/* Fills @a path with the other copy's file if there is one that acts. */
static bool link_copy_other(char *path, size_t len)
{
    link_copy_search_t search = {.own = (uintptr_t)&asc_link_in_charge};
    bool (*in_charge)(void);
    void *handle;
    bool acts;

    dl_iterate_phdr(link_copy_visit, &search);
    if (search.path[0] == '\0') {
        return false;
    }
    handle = dlopen(search.path, RTLD_NOW | RTLD_NOLOAD);
    if (handle == NULL) {
        return false;
    }
    in_charge = (bool (*)(void))dlsym(handle, "asc_link_in_charge");
    acts = in_charge == NULL || in_charge();
    dlclose(handle);
    snprintf(path, len, "%s", search.path);
    return acts;
}

bool link_second_copy(void)
{
    char path[512];
    Dl_info self = {0};

    if (asc_link_in_charge()) {
        return false;
    }
    if (!link_copy_other(path, sizeof(path))) {
        __atomic_store_n(&link_init.in_charge, true, __ATOMIC_RELEASE);
        pthread_once(&link_init.fork_once, link_init_watch_fork);
        return false;
    }
    (void)dladdr((void *)&asc_link_in_charge, &self);
    asc_log_once(ASC_LOG_ERROR,
                 "%s is a second copy of " LINK_SONAME " in this process, %s is in use; this copy "
                 "stays idle; make UCX, Open MPI and the program load one installation",
                 self.dli_fname != NULL ? self.dli_fname : "this library", path);
    return true;
}

/* ------------------------------------------------------ start-up --------- */

static asc_status_t link_init_refuse(asc_status_t status, const char *text)
{
    link_text_t *why;

    if (link_init.why == NULL || strcmp(link_init.why->text, text) != 0) {
        why = malloc(sizeof(*why) + strlen(text) + 1);
        if (why != NULL) {
            why->older = link_init.why;
            strcpy(why->text, text);
            __atomic_store_n(&link_init.why, why, __ATOMIC_RELEASE);
        }
    }
    return status;
}

static asc_status_t link_init_locked(void)
{
    char why[512] = "";
    asc_status_t status;

    if (link_second_copy()) {
        return link_init_refuse(ASC_ERR_UNSUPPORTED,
                                "another copy of " LINK_SONAME " is in use in this process; make "
                                "UCX, Open MPI and the program load one installation");
    }
    status = link_env_check(why, sizeof(why));
    if (status != ASC_OK) {
        asc_log_once(ASC_LOG_ERROR, "%s; device memory is not supported in this process", why);
        return link_init_refuse(status, why);
    }
    if (asc_acl_get() == NULL) {
        return link_init_refuse(ASC_ERR_NO_RUNTIME, asc_acl_load_error());
    }
    status = link_board_open(why, sizeof(why));
    if (status != ASC_OK) {
        return link_init_refuse(status, why[0] != '\0' ? why : asc_status_text(status));
    }
    __atomic_store_n(&link_init.ready, true, __ATOMIC_RELEASE);
    return ASC_OK;
}

static asc_status_t link_init_wrong_abi(int abi)
{
    char why[256];

    snprintf(why, sizeof(why),
             "a module was built for version %d of " LINK_SONAME ", this is version %d; install "
             "all parts of ucx-ascend from one build",
             abi, ASC_LINK_ABI);
    asc_log_once(ASC_LOG_ERROR, "%s", why);
    pthread_mutex_lock(&link_init.lock);
    (void)link_init_refuse(ASC_ERR_UNSUPPORTED, why);
    pthread_mutex_unlock(&link_init.lock);
    return ASC_ERR_UNSUPPORTED;
}

asc_status_t asc_link_init(int abi)
{
    asc_status_t status = ASC_OK;

    if (link_forked()) {
        return ASC_ERR_UNSUPPORTED;
    }
    if (abi != ASC_LINK_ABI) {
        return link_init_wrong_abi(abi);
    }
    if (asc_link_ready()) {
        return ASC_OK;
    }
    pthread_mutex_lock(&link_init.lock);
    if (!asc_link_ready()) {
        status = link_init_locked();
    }
    pthread_mutex_unlock(&link_init.lock);
    if (status == ASC_OK) {
        link_counters_tell_at_exit();
    }
    if (status == ASC_OK && asc_link_home_device() >= 0) {
        link_board_device_used(asc_link_home_device());
    }
    return status;
}

bool asc_link_ready(void)
{
    return __atomic_load_n(&link_init.ready, __ATOMIC_ACQUIRE) && !link_forked();
}

const char *asc_link_why_not(void)
{
    link_text_t *why = __atomic_load_n(&link_init.why, __ATOMIC_ACQUIRE);

    if (link_forked()) {
        return "this process was forked from one that used device memory, which a child cannot "
               "share; start it with exec";
    }
    return asc_link_ready() || why == NULL ? "" : why->text;
}
