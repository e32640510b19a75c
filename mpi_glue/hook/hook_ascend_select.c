/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who chose the pml? A distribution's system-wide file (Debian's says
 * "pml = ^ucx") is nobody's choice for this job; the environment, mpirun's
 * command line (which reaches us as environment) and the user's own file are.
 */
#include "hook_ascend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opal/mca/base/mca_base_var.h"
#include "opal/mca/installdirs/installdirs.h"
#include "opal/util/output.h"

#define LINE_MAX_LEN 1024

static bool line_sets(const char *line, const char *name)
{
    const size_t len = strlen(name);

    line += strspn(line, " \t");
    return 0 == strncmp(line, name, len) && NULL != strchr(" \t=", line[len]) && '\0' != line[len];
}

static bool file_sets(const char *path, const char *name)
{
    char line[LINE_MAX_LEN];
    bool found = false;
    FILE *file = fopen(path, "re");

    if (NULL == file) {
        return false;
    }
    while (!found && NULL != fgets(line, sizeof(line), file)) {
        found = line_sets(line, name);
    }
    (void)fclose(file);
    return found;
}

/* The administrator's override file beats the environment, so nothing that we
 * set could win: it counts as a choice. */
static bool override_sets(const char *name)
{
    char path[OPAL_PATH_MAX];

    (void)snprintf(path, sizeof(path), "%s/openmpi-mca-params-override.conf",
                   opal_install_dirs.sysconfdir);
    return file_sets(path, name);
}

static bool user_files_set(const char *name)
{
    const char *const *value = NULL;
    char *list, *path, *rest = NULL;
    bool found = false;
    int index = mca_base_var_find("opal", "mca", "base", "param_files");

    if (index < 0 || OPAL_SUCCESS != mca_base_var_get_value(index, &value, NULL, NULL) ||
        NULL == value || NULL == *value) {
        return false;
    }
    list = strdup(*value);
    if (NULL == list) {
        return false;
    }
    for (path = strtok_r(list, ":,", &rest); NULL != path && !found;
         path = strtok_r(NULL, ":,", &rest)) {
        if (0 !=
            strncmp(path, opal_install_dirs.sysconfdir, strlen(opal_install_dirs.sysconfdir))) {
            found = file_sets(path, name);
        }
    }
    free(list);
    return found;
}

bool mca_hook_ascend_user_set(const char *name)
{
    char variable[128];

    (void)snprintf(variable, sizeof(variable), "OMPI_MCA_%s", name);
    return NULL != getenv(variable) || user_files_set(name) || override_sets(name);
}

static void set_default(const char *name, const char *value)
{
    char variable[128];

    (void)snprintf(variable, sizeof(variable), "OMPI_MCA_%s", name);
    (void)setenv(variable, value, 0);
    opal_output_verbose(1, mca_hook_ascend_component.output, "hook:ascend: %s=%s", variable, value);
}

void mca_hook_ascend_select_pml(void)
{
    if (mca_hook_ascend_user_set("pml")) {
        opal_output_verbose(1, mca_hook_ascend_component.output,
                            "hook:ascend: pml was chosen by the user");
    } else {
        set_default("pml", "ucx");
    }
    /* pml/ucx refuses to run without InfiniBand unless told that any
     * transport and device will do; needed also where the user chose it. */
    if (!mca_hook_ascend_user_set("pml_ucx_tls") &&
        !mca_hook_ascend_user_set("opal_common_ucx_tls")) {
        set_default("pml_ucx_tls", "any");
    }
    if (!mca_hook_ascend_user_set("pml_ucx_devices") &&
        !mca_hook_ascend_user_set("opal_common_ucx_devices")) {
        set_default("pml_ucx_devices", "any");
    }
}
