/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * init.c - the life of the process: aclInit, aclFinalize, fork, exit.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "context.h"
#include "fault.h"
#include "leaks.h"
#include "link.h"
#include "memory.h"
#include "node.h"
#include "redzone.h"
#include "stream.h"

#define VERSION_MAJOR 1
#define VERSION_MINOR 17
#define VERSION_PATCH 0

static pthread_mutex_t init_lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t init_refs;
static bool handlers_set, forked;

static void fork_child(void)
{
    forked = forked || node_self != NULL;
    if (forked) {
        atomic_store(&sim_gate, SIM_GATE_CLOSED);
        node_forget();
        worker_forget();
    }
}

/* %p and %r in the name of the statistics file. */
static void stats_name(char *out, size_t len)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    size_t n = 0;
    for (const char *s = knobs.stats; *s != '\0' && n + 24 < len; s++) {
        if (s[0] == '%' && s[1] == 'p') {
            n += (size_t)snprintf(out + n, len - n, "%d", (int)getpid());
            s++;
        } else if (s[0] == '%' && s[1] == 'r') {
            n += (size_t)snprintf(out + n, len - n, "%.16s", rank != NULL ? rank : "0");
            s++;
        } else {
            out[n++] = *s;
        }
    }
    out[n] = '\0';
}

static void stats_write(void)
{
    char name[PATH_MAX + 64];
    stats_name(name, sizeof(name));
    FILE *out = fopen(name, "we");
    if (out != NULL) {
        sim_counters_print(out);
        fclose(out);
    }
}

/* Runs on exit(), also when the program never called aclFinalize. The worker
 * is left alone: it ends with the process. */
__attribute__((destructor)) static void at_exit(void)
{
    if (node_self != NULL && node_self->file->pid == (int32_t)getpid()) {
        if (init_refs > 0) {
            redzone_check_all("exit");
        }
        if (knobs.leaks && init_refs > 0) {
            for (int dev = 0; dev < SIM_MAX_DEVICES; dev++) {
                leaks_collect(dev, true);
            }
            leaks_collect_host();
        }
        leaks_print();
        if (knobs.stats[0] != '\0') {
            stats_write();
        }
        node_unlink();
    }
}

static aclError config_check(const char *path)
{
    char first = '\0';
    FILE *f = path != NULL ? fopen(path, "re") : NULL;
    if (path == NULL) {
        return ACL_SUCCESS;
    }
    if (f == NULL) {
        return sim_fail(ACL_ERROR_INVALID_FILE, "cannot read configuration file %.200s", path);
    }
    int n = fscanf(f, " %c", &first);
    fclose(f);
    if (n == 1 && first != '{') {
        return sim_fail(ACL_ERROR_PARSE_FILE, "%.200s is not a JSON object", path);
    }
    return ACL_SUCCESS;
}

static aclError first_init(const char *path)
{
    static bool told;
    char why[768] = "";
    if (!knobs_load(why, sizeof(why)) || !node_open(why, sizeof(why))) {
        if (!told) {
            fprintf(stderr, "npusim: %s\n", why);
            told = true;
        }
        return sim_fail(ACL_ERROR_INVALID_PARAM, "%s", why);
    }
    unsigned faults = fault_any() ? SIM_GATE_FAULTS : 0;
    stream_hooks = fault_any_task() || link_any();
    atomic_store(&sim_gate, SIM_GATE_CLOSED | faults);
    aclError rc = sim_enter_slow(SIM_F_aclInit, false);
    if (rc == ACL_SUCCESS) {
        rc = config_check(path);
    }
    if (rc != ACL_SUCCESS) {
        node_close();
        return rc;
    }
    if (!handlers_set) {
        pthread_atfork(NULL, NULL, fork_child);
        handlers_set = true;
    }
    atomic_store(&sim_gate, faults);
    init_refs = 1;
    return ACL_SUCCESS;
}

SIM_API aclError aclInit(const char *configPath)
{
    aclError rc;
    sim_thread_enter(SIM_F_aclInit);
    if (forked) {
        return sim_fail(ACL_ERROR_FAILURE,
                        "this process was forked after aclInit: start it with exec instead");
    }
    pthread_mutex_lock(&init_lock);
    if (init_refs > 0) {
        init_refs++;
        rc = sim_fail(ACL_ERROR_REPEAT_INITIALIZE, "aclInit was called before");
    } else {
        rc = first_init(configPath);
    }
    pthread_mutex_unlock(&init_lock);
    return rc;
}

static void tear_down(void)
{
    context_end_all();
    if (knobs.leaks) {
        leaks_collect_host();
        leaks_print();
    }
    memory_free_host();
    peer_forget_all();
    atomic_store(&sim_gate, SIM_GATE_CLOSED);
    node_close();
}

/* Drops one reference, or all; tells how many are left. */
static aclError finalize(bool all, uint64_t *left)
{
    aclError rc = ACL_SUCCESS;
    pthread_mutex_lock(&init_lock);
    if (init_refs == 0 || forked) {
        rc = sim_fail(ACL_ERROR_REPEAT_FINALIZE, "the process is not initialised");
    } else {
        *left = all ? 0 : init_refs - 1;
        init_refs = *left;
        if (*left == 0) {
            tear_down();
        }
    }
    pthread_mutex_unlock(&init_lock);
    return rc;
}

SIM_API aclError aclFinalize(void)
{
    uint64_t left;
    aclError rc = sim_enter_any(SIM_F_aclFinalize);
    return rc != ACL_SUCCESS ? rc : finalize(true, &left);
}

SIM_API aclError aclFinalizeReference(uint64_t *refCount)
{
    uint64_t left;
    aclError rc = sim_enter_any(SIM_F_aclFinalizeReference);
    if (rc == ACL_SUCCESS && (rc = finalize(false, &left)) == ACL_SUCCESS && refCount != NULL) {
        *refCount = left;
    }
    return rc;
}

SIM_API aclError aclrtGetVersion(int32_t *majorVersion, int32_t *minorVersion,
                                 int32_t *patchVersion)
{
    aclError rc = sim_enter_any(SIM_F_aclrtGetVersion);
    if (rc != ACL_SUCCESS) {
        return rc;
    }
    if (majorVersion == NULL || minorVersion == NULL || patchVersion == NULL) {
        return sim_fail(ACL_ERROR_INVALID_PARAM, "a result pointer is NULL");
    }
    *majorVersion = VERSION_MAJOR;
    *minorVersion = VERSION_MINOR;
    *patchVersion = VERSION_PATCH;
    return ACL_SUCCESS;
}
