/* SPDX-License-Identifier: BSD-3-Clause */
#include "common_ascend.h"
#include "common_ascend_tell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ompi/mca/pml/base/base.h"
#include "opal/util/output.h"
#include "opal/util/show_help.h"

#define HELP_FILE "help-common-ascend.txt"

static void add_help_dir(void)
{
    const char *directory = getenv("ASCEND_HELP_DIR");

    if (NULL == directory || '\0' == directory[0]) {
        directory = MCA_COMMON_ASCEND_HELP_DIR;
    }
    (void)opal_show_help_add_dir(directory);
}

static bool ompi_matches(const char *component)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    char wanted[32];
    int len = 0;

    (void)PMPI_Get_library_version(version, &len);
    (void)snprintf(wanted, sizeof(wanted), "Open MPI v%d.%d.", OMPI_MAJOR_VERSION,
                   OMPI_MINOR_VERSION);
    if (0 == strncmp(version, wanted, strlen(wanted))) {
        return true;
    }
    version[strcspn(version, ",")] = '\0';
    mca_common_ascend_tell(HELP_FILE, "ompi version", component, OMPI_MAJOR_VERSION,
                           OMPI_MINOR_VERSION, version);
    return false;
}

void mca_common_ascend_register_flag(const mca_base_component_t *component, const char *name,
                                     const char *help, mca_base_var_info_lvl_t level, bool *value)
{
    (void)mca_base_component_var_register(component, name, help, MCA_BASE_VAR_TYPE_BOOL, NULL, 0, 0,
                                          level, MCA_BASE_VAR_SCOPE_READONLY, value);
}

bool mca_common_ascend_open(const char *component, int verbose, int *output)
{
    add_help_dir();
    if (!ompi_matches(component)) {
        return false;
    }
    if (verbose > 0) {
        *output = opal_output_open(NULL);
        opal_output_set_verbosity(*output, verbose);
    }
    return true;
}

void mca_common_ascend_close(int *output)
{
    mca_common_ascend_requests_close();
    if (*output >= 0) {
        opal_output_close(*output);
        *output = -1;
    }
}

const char *mca_common_ascend_pml_name(void)
{
    return mca_pml_base_selected_component.pmlm_version.mca_component_name;
}

/* A missing variable means that hook/ascend was excluded. */
static bool hook_says(const char *name, bool missing)
{
    const bool *value = NULL;
    int index = mca_base_var_find("ompi", "hook", "ascend", name);

    if (index < 0 || OPAL_SUCCESS != mca_base_var_get_value(index, &value, NULL, NULL)) {
        return missing;
    }
    return NULL == value || *value;
}

void mca_common_ascend_note_device_use(void)
{
    static bool done;

    if (OPAL_LIKELY(__atomic_load_n(&done, __ATOMIC_RELAXED)) ||
        __atomic_exchange_n(&done, true, __ATOMIC_RELAXED)) {
        return;
    }
    if (0 != strcmp("ucx", mca_common_ascend_pml_name()) && hook_says("warn_pml", true)) {
        mca_common_ascend_tell_once(HELP_FILE, "pml not ucx", mca_common_ascend_pml_name());
    }
    if (!hook_says("calls_redirected", true)) {
        mca_common_ascend_tell_once(HELP_FILE, "calls not redirected");
    }
}

static asc_status_t init_status = ASC_ERR_NO_RUNTIME;

asc_status_t mca_common_ascend_init(void)
{
    init_status = asc_link_init(ASC_LINK_ABI);
    return init_status;
}

bool mca_common_ascend_active(void)
{
    const char *named = getenv("ASCEND_ACL_LIBRARY");

    return asc_link_ready() || asc_acl_loaded() || ASC_ERR_NO_RUNTIME != init_status ||
           (NULL != named && '\0' != named[0]);
}

int mca_common_ascend_bad_pointer(const void *address, const mca_common_ascend_names_t *names)
{
    mca_common_ascend_tell(HELP_FILE, "bad pointer", names->call, names->argument, address);
    return MPI_ERR_BUFFER;
}

int mca_common_ascend_copy_failed(asc_status_t status, const mca_common_ascend_names_t *names)
{
    mca_common_ascend_tell(HELP_FILE, "copy failed", names->call, names->argument,
                           asc_status_text(status));
    return MPI_ERR_BUFFER;
}

void mca_common_ascend_not_pinned(const char *call, size_t size, asc_status_t status)
{
    mca_common_ascend_tell_once(HELP_FILE, "not pinned", call, (unsigned long)size,
                                asc_status_text(status));
}
