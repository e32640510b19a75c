/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The one table of the ASCEND_* variables of acl/, topo/ and link/, and their
 * values.
 */
#include "link/env.h"
#include "link/asc_link.h"
#include "topo/asc_topo.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum link_env_id {
    LINK_ENV_ACL_LIBRARY,
    LINK_ENV_FREE_ORDER,
    LINK_ENV_IPC,
    LINK_ENV_IPC_CACHE,
    LINK_ENV_IPC_CACHE_MAX_REGIONS,
    LINK_ENV_IPC_CACHE_MAX_SIZE,
    LINK_ENV_LOG_LEVEL,
    LINK_ENV_NOTIFY_MAX,
    LINK_ENV_NOTIFY_TIMEOUT,
    LINK_ENV_STATS,
    LINK_ENV_TOPO_LINKS,
    LINK_ENV_TOPO_XML,
    LINK_ENV_TRUST_FREES,
    LINK_ENV_WHITELIST,
    LINK_ENV_LAST
} link_env_id_t;

static const asc_link_env_t link_env_vars[LINK_ENV_LAST + 1] = {
    [LINK_ENV_ACL_LIBRARY] = {"ASCEND_ACL_LIBRARY", "",
                              "file of the runtime library; empty: libascendcl.so, then "
                              "libacl_rt.so, by the loader's search path"},
    [LINK_ENV_FREE_ORDER] = {"ASCEND_FREE_ORDER", "owner-first",
                             "who lets go first when shared memory is freed: owner-first or "
                             "importers-first (bounded wait; for drivers that want it)"},
    [LINK_ENV_IPC] = {"ASCEND_IPC", "y", "share device memory between processes: y or n"},
    [LINK_ENV_IPC_CACHE] = {"ASCEND_IPC_CACHE", "y",
                            "keep exports and imports for later messages: y or n"},
    [LINK_ENV_IPC_CACHE_MAX_REGIONS] = {"ASCEND_IPC_CACHE_MAX_REGIONS", "1024",
                                        "imports kept at most: a number above 0, or inf"},
    [LINK_ENV_IPC_CACHE_MAX_SIZE] = {"ASCEND_IPC_CACHE_MAX_SIZE", "inf",
                                     "bytes of imported memory kept at most: a number, "
                                     "with k, m or g if wanted, or inf"},
    [LINK_ENV_LOG_LEVEL] = {"ASCEND_LOG_LEVEL", "warn",
                            "messages on standard error: error, warn, info or debug"},
    [LINK_ENV_NOTIFY_MAX] = {"ASCEND_NOTIFY_MAX", "64",
                             "notifies this process may create: 0 to 1024 (0: none; the board "
                             "carries completions)"},
    [LINK_ENV_NOTIFY_TIMEOUT] = {"ASCEND_NOTIFY_TIMEOUT", "30",
                                 "seconds after which a wait for a peer's notify gives up: 1 to "
                                 "3600"},
    [LINK_ENV_STATS] = {"ASCEND_STATS", "",
                        "file that gets the counters when the process ends; %p in it is the "
                        "process id"},
    [LINK_ENV_TOPO_LINKS] = {"ASCEND_TOPO_LINKS", "",
                             "what links are worth where the model is wrong: A-B=RATE/TIME by "
                             "comma, A and B physical device ids or h for the host, for example "
                             "0-4=12G/5us,h-0=20G"},
    [LINK_ENV_TOPO_XML] = {"ASCEND_TOPO_XML", "",
                           "hwloc XML file of a recorded machine to use in place of this "
                           "one"},
    [LINK_ENV_TRUST_FREES] = {"ASCEND_TRUST_FREES", "n",
                              "treat device memory whose allocation was not seen as seen; the "
                              "program must not free it before its messages are over and all "
                              "its frees must be visible: y or n"},
    [LINK_ENV_WHITELIST] = {"ASCEND_WHITELIST", "y",
                            "let only the job's processes import exported memory: y or n"},
};

static struct {
    pthread_once_t once;
    link_env_t values;
    char wrong[512]; /* reason of the first wrong value, or "" */
} link_env_state = {.once = PTHREAD_ONCE_INIT};

const asc_link_env_t *asc_link_env_table(void)
{
    return link_env_vars;
}

/* An empty variable is one that is not set. */
static const char *link_env_text(link_env_id_t id)
{
    const char *value = getenv(link_env_vars[id].name);

    return value != NULL && value[0] != '\0' ? value : link_env_vars[id].defval;
}

static void link_env_refuse(link_env_id_t id, const char *allowed)
{
    if (link_env_state.wrong[0] == '\0') {
        snprintf(link_env_state.wrong, sizeof(link_env_state.wrong),
                 "%s has the value '%.128s', but must be %s", link_env_vars[id].name,
                 link_env_text(id), allowed);
    }
}

/* Position of the value in @a words, which end with NULL. */
static unsigned link_env_word(link_env_id_t id, const char *const *words, const char *allowed,
                              unsigned fallback)
{
    const char *value = link_env_text(id);

    for (unsigned i = 0; words[i] != NULL; ++i) {
        if (strcmp(value, words[i]) == 0) {
            return i;
        }
    }
    link_env_refuse(id, allowed);
    return fallback;
}

static bool link_env_bool(link_env_id_t id)
{
    static const char *const words[] = {"n", "y", NULL};
    bool fallback = link_env_vars[id].defval[0] == 'y';

    return link_env_word(id, words, "y or n", fallback) == 1;
}

/* A whole number with an optional k, m, g; SIZE_MAX for inf if that is
 * allowed. False if it is something else. */
static bool link_env_parse(const char *text, bool suffix, bool inf, size_t *value)
{
    static const char units[] = "kmg";
    unsigned long long number;
    const char *unit;
    char *end;
    unsigned shift = 0;

    if (inf && strcmp(text, "inf") == 0) {
        *value = SIZE_MAX;
        return true;
    }
    if (text[0] < '0' || text[0] > '9') {
        return false;
    }
    errno = 0;
    number = strtoull(text, &end, 10);
    if (errno != 0) {
        return false;
    }
    if (suffix && *end != '\0' && (unit = strchr(units, *end | 0x20)) != NULL) {
        shift = 10 * (unsigned)(unit - units + 1);
        ++end;
    }
    if (*end != '\0' || number > (SIZE_MAX >> shift)) {
        return false;
    }
    *value = (size_t)number << shift;
    return true;
}

static size_t link_env_number(link_env_id_t id, size_t min, size_t max, bool suffix,
                              const char *allowed)
{
    size_t value = 0;
    bool inf = max == SIZE_MAX;

    if (link_env_parse(link_env_text(id), suffix, inf, &value) && value >= min && value <= max) {
        return value;
    }
    link_env_refuse(id, allowed);
    (void)link_env_parse(link_env_vars[id].defval, suffix, inf, &value);
    return value;
}

static void link_env_read_links(link_env_t *env)
{
    char why[256];

    env->topo_links = link_env_text(LINK_ENV_TOPO_LINKS);
    if (asc_topo_parse_links(env->topo_links, NULL, 0, why, sizeof(why)) < 0) {
        if (link_env_state.wrong[0] == '\0') {
            snprintf(link_env_state.wrong, sizeof(link_env_state.wrong), "%s: %s",
                     link_env_vars[LINK_ENV_TOPO_LINKS].name, why);
        }
        env->topo_links = "";
    }
}

static void link_env_read(void)
{
    static const char *const orders[] = {"owner-first", "importers-first", NULL};
    static const char *const levels[] = {"error", "warn", "info", "debug", NULL};
    link_env_t *env = &link_env_state.values;
    size_t regions;

    env->ipc = link_env_bool(LINK_ENV_IPC);
    env->ipc_cache = link_env_bool(LINK_ENV_IPC_CACHE);
    env->whitelist = link_env_bool(LINK_ENV_WHITELIST);
    env->trust_frees = link_env_bool(LINK_ENV_TRUST_FREES);
    env->importers_first =
        link_env_word(LINK_ENV_FREE_ORDER, orders, "owner-first or importers-first", 0) == 1;
    regions = link_env_number(LINK_ENV_IPC_CACHE_MAX_REGIONS, 1, SIZE_MAX, false,
                              "a number above 0, or inf");
    env->ipc_cache_max_regions = regions > UINT_MAX ? UINT_MAX : (unsigned)regions;
    env->ipc_cache_max_size = link_env_number(LINK_ENV_IPC_CACHE_MAX_SIZE, 0, SIZE_MAX, true,
                                              "a number of bytes such as 4096, 512m or 4g, or inf");
    env->notify_max =
        (unsigned)link_env_number(LINK_ENV_NOTIFY_MAX, 0, 1024, false, "a number from 0 to 1024");
    env->notify_timeout_s = (unsigned)link_env_number(LINK_ENV_NOTIFY_TIMEOUT, 1, 3600, false,
                                                      "a number of seconds from 1 to 3600");
    env->stats = link_env_text(LINK_ENV_STATS);
    link_env_read_links(env);
    (void)link_env_word(LINK_ENV_LOG_LEVEL, levels, "error, warn, info or debug", 1);
}

const link_env_t *link_env(void)
{
    pthread_once(&link_env_state.once, link_env_read);
    return &link_env_state.values;
}

asc_status_t link_env_check(char *why, size_t len)
{
    (void)link_env();
    if (link_env_state.wrong[0] == '\0') {
        return ASC_OK;
    }
    snprintf(why, len, "%s", link_env_state.wrong);
    return ASC_ERR_INVALID;
}
