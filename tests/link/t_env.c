/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A variable with a value that is not understood stops the library, and the
 * reason names variable, value and what is allowed. Good values, and variables
 * set to nothing, do not. The table has every variable with default and help.
 */
#include "asc_config.h"

#include "link/asc_link.h"
#include "tests/helpers/t_helpers.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct t_case {
    const char *name, *value, *allowed; /* allowed NULL: a good value */
} t_case_t;

static const t_case_t cases[] = {
    {"ASCEND_IPC", "maybe", "y or n"},
    {"ASCEND_IPC", "n", NULL},
    {"ASCEND_IPC_CACHE", "1", "y or n"},
    {"ASCEND_WHITELIST", "yes", "y or n"},
    {"ASCEND_WHITELIST", "", NULL},
    {"ASCEND_TRUST_FREES", "Y", "y or n"},
    {"ASCEND_FREE_ORDER", "importer-first", "owner-first or importers-first"},
    {"ASCEND_FREE_ORDER", "importers-first", NULL},
    {"ASCEND_IPC_CACHE_MAX_REGIONS", "0", "a number above 0"},
    {"ASCEND_IPC_CACHE_MAX_REGIONS", "-1", "a number above 0"},
    {"ASCEND_IPC_CACHE_MAX_REGIONS", "inf", NULL},
    {"ASCEND_IPC_CACHE_MAX_SIZE", "12q", "512m"},
    {"ASCEND_IPC_CACHE_MAX_SIZE", "99999999999999999999", "inf"},
    {"ASCEND_IPC_CACHE_MAX_SIZE", "17179869184g", "inf"},
    {"ASCEND_IPC_CACHE_MAX_SIZE", "2g", NULL},
    {"ASCEND_NOTIFY_MAX", "1025", "0 to 1024"},
    {"ASCEND_NOTIFY_MAX", "0", NULL},
    {"ASCEND_NOTIFY_TIMEOUT", "0", "1 to 3600"},
    {"ASCEND_NOTIFY_TIMEOUT", "5s", "1 to 3600"},
    {"ASCEND_TOPO_LINKS", "0-1", "A-B=RATE/TIME"},
    {"ASCEND_TOPO_LINKS", "h-h=1G", "A-B=RATE/TIME"},
    {"ASCEND_TOPO_LINKS", "0-1=1G/3", "us, ms or s"},
    {"ASCEND_TOPO_LINKS", "0-1=1e9", "bytes per second"},
    {"ASCEND_TOPO_LINKS", "0-1=25G/3.5us,h-0=20.5G,1-1=/1ms", NULL},
    {"ASCEND_LOG_LEVEL", "loud", "error, warn, info or debug"},
    {"ASCEND_LOG_LEVEL", "debug", NULL},
};

static int run_case(void *arg)
{
    const t_case_t *c = arg;
    const char *why;
    int null = open("/dev/null", O_WRONLY);

    dup2(null, STDERR_FILENO); /* the message is checked in the reason */
    setenv(c->name, c->value, 1);
    if (c->allowed == NULL) {
        return asc_link_init(ASC_LINK_ABI) == ASC_OK && asc_link_why_not()[0] == '\0' ? T_PASS
                                                                                      : T_FAIL;
    }
    if (asc_link_init(ASC_LINK_ABI) != ASC_ERR_INVALID || asc_link_ready()) {
        return T_FAIL;
    }
    why = asc_link_why_not();
    return strstr(why, c->name) != NULL && strstr(why, c->allowed) != NULL &&
                   strstr(why, c->value) != NULL
               ? T_PASS
               : T_FAIL;
}

static void check_table(void)
{
    const asc_link_env_t *env = asc_link_env_table();
    unsigned known = 0, rows = 0;

    for (; env->name != NULL; ++env, ++rows) {
        t_check(strncmp(env->name, "ASCEND_", 7) == 0, "a prefix, not %s", env->name);
        t_check(env->defval != NULL && env->help != NULL && strlen(env->help) > 10,
                "default and help for %s", env->name);
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
            if (strcmp(cases[i].name, env->name) == 0) {
                ++known;
                break;
            }
        }
    }
    /* the three names of files take any value */
    t_check(known + 3 == rows, "all of %u variables tried, not %u", rows - 3, known);
}

int main(void)
{
    t_deadline(60);
    check_table();
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        int status = t_wait(t_child(run_case, (void *)&cases[i]));

        t_check(status == T_PASS, "%s=%s to be %s", cases[i].name, cases[i].value,
                cases[i].allowed != NULL ? "refused with its reason" : "accepted");
    }
    return T_PASS;
}
