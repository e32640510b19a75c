/* SPDX-License-Identifier: BSD-3-Clause */
#include "hook_ascend.h"
#include "mpi_glue/common/common_ascend_tell.h"

#include <stdlib.h>
#include <string.h>

#include "opal/util/output.h"

#define HELP_FILE  "help-hook-ascend.txt"

/* MPI_Finalize waits at most so long for the process's own copies. */
#define QUIESCE_MS 2000

static int component_register(void);
static int component_open(void);
static int component_close(void);
static void init_bottom(int argc, char **argv, int requested, int *provided);
static void finalize_top(void);

mca_hook_ascend_component_t mca_hook_ascend_component = {
    .super =
        {
            .hookm_version =
                {
                    OMPI_HOOK_BASE_VERSION_1_0_0,
                    .mca_component_name = "ascend",
                    MCA_BASE_MAKE_VERSION(component, MCA_COMMON_ASCEND_MAJOR,
                                          MCA_COMMON_ASCEND_MINOR, MCA_COMMON_ASCEND_RELEASE),
                    .mca_register_component_params = component_register,
                    .mca_open_component = component_open,
                    .mca_close_component = component_close,
                },
            .hookm_data = {MCA_BASE_METADATA_PARAM_CHECKPOINT},
            .hookm_mpi_init_bottom = init_bottom,
            .hookm_mpi_finalize_top = finalize_top,
        },
    .select_pml = true,
    .warn_pml = true,
    .calls_redirected = true,
    .output = -1,
};

/* Messages of the open are kept until the end of MPI_Init: only then is the
 * job known, and so whether another of its ranks has said the same. */
static struct {
    bool ucx_failed;
    char ucx_why[MCA_HOOK_ASCEND_WHY_MAX];
    bool runtime_failed;
} kept;

static bool built_with_ascend_support;

static void register_flags(void)
{
    mca_hook_ascend_component_t *mca = &mca_hook_ascend_component;
    mca_base_component_t *version = &mca->super.hookm_version;

    mca->select_pml = true;
    mca->warn_pml = true;
    mca->verbose = 0;
    mca_common_ascend_register_flag(
        version, "select_pml",
        "Whether pml/ucx is chosen when an Ascend runtime is present and the user has not set pml",
        OPAL_INFO_LVL_3, &mca->select_pml);
    mca_common_ascend_register_flag(
        version, "warn_pml",
        "Whether to say once that device buffers are copied through the host because pml/ucx is "
        "not in use",
        OPAL_INFO_LVL_3, &mca->warn_pml);
    (void)mca_base_component_var_register(
        version, "verbose",
        "Verbosity: 1 says what was loaded and chosen, 20 tells of every staged message",
        MCA_BASE_VAR_TYPE_INT, NULL, 0, 0, OPAL_INFO_LVL_9, MCA_BASE_VAR_SCOPE_READONLY,
        &mca->verbose);
}

static int component_register(void)
{
    static char installed[] = MCA_COMMON_ASCEND_UCX_MODULE;
    mca_hook_ascend_component_t *mca = &mca_hook_ascend_component;
    char *named = getenv("ASCEND_UCX_MODULE");

    mca->ucx_module = (NULL != named && '\0' != named[0]) ? named : installed;
    (void)mca_base_component_var_register(
        &mca->super.hookm_version, "ucx_module",
        "UCX module that is loaded before UCX starts. Default: ASCEND_UCX_MODULE if set, else "
        "the installed one",
        MCA_BASE_VAR_TYPE_STRING, NULL, 0, 0, OPAL_INFO_LVL_5, MCA_BASE_VAR_SCOPE_READONLY,
        &mca->ucx_module);
    register_flags();

    mca->calls_redirected = true;
    (void)mca_base_component_var_register(
        &mca->super.hookm_version, "calls_redirected",
        "Whether MPI functions that touch the user's buffer by CPU are redirected after MPI_Init, "
        "so that they stage or refuse device buffers",
        MCA_BASE_VAR_TYPE_BOOL, NULL, 0, MCA_BASE_VAR_FLAG_DEFAULT_ONLY, OPAL_INFO_LVL_9,
        MCA_BASE_VAR_SCOPE_CONSTANT, &mca->calls_redirected);
    built_with_ascend_support = true;
    (void)mca_base_var_register("ompi", "mpi", NULL, "built_with_ascend_support",
                                "Whether buffers in Ascend device memory may be given to MPI",
                                MCA_BASE_VAR_TYPE_BOOL, NULL, 0, MCA_BASE_VAR_FLAG_DEFAULT_ONLY,
                                OPAL_INFO_LVL_4, MCA_BASE_VAR_SCOPE_CONSTANT,
                                &built_with_ascend_support);
    return OMPI_SUCCESS;
}

/* Silent where no runtime is used or asked for: most machines have none. */
static void note_runtime(void)
{
    kept.runtime_failed = mca_common_ascend_active();
    /* All ranks need the same pml, and those whose runtime works take
     * pml/ucx: so does one where it was asked for and has failed. */
    if (kept.runtime_failed && mca_hook_ascend_component.select_pml &&
        mca_hook_ascend_ucx_present()) {
        mca_hook_ascend_select_pml();
    }
    opal_output_verbose(1, mca_hook_ascend_component.output, "hook:ascend: no runtime: %s",
                        asc_link_why_not());
}

static bool ucx_wanted(void)
{
    const char *pml = getenv("OMPI_MCA_pml");

    return NULL != pml && '^' != pml[0] && NULL != strstr(pml, "ucx");
}

/* Not kept as the other messages are: with such a list selecting pml/ucx ends
 * the job before the end of MPI_Init, and Open MPI does not tell why. */
static void tell_missing_transports(void)
{
    const char *list, *lacks = mca_hook_ascend_tls_lacks(&list);

    if (NULL != lacks && ucx_wanted()) {
        mca_common_ascend_tell_once(HELP_FILE, "transports missing", list, lacks);
        kept.ucx_failed = false;
    }
}

static int component_open(void)
{
    mca_hook_ascend_component_t *mca = &mca_hook_ascend_component;
    asc_status_t status;

    if (!mca_common_ascend_open("hook/ascend", mca->verbose, &mca->output)) {
        return OMPI_ERR_NOT_AVAILABLE;
    }
    status = mca_common_ascend_init();
    if (ASC_OK != status) {
        note_runtime();
        return OMPI_SUCCESS;
    }
    mca->ucx_active =
        mca_hook_ascend_load_ucx_module(mca->ucx_module, kept.ucx_why, sizeof(kept.ucx_why));
    kept.ucx_failed = !mca->ucx_active;
    opal_output_verbose(1, mca->output, "hook:ascend: UCX module %s %s%s", mca->ucx_module,
                        mca->ucx_active ? "loaded" : "not used: ", kept.ucx_why);
    if (mca->select_pml && mca_hook_ascend_ucx_present()) {
        mca_hook_ascend_select_pml();
    }
    tell_missing_transports();
    return OMPI_SUCCESS;
}

static int component_close(void)
{
    mca_common_ascend_close(&mca_hook_ascend_component.output);
    return OMPI_SUCCESS;
}

static void init_bottom(int argc, char **argv, int requested, int *provided)
{
    (void)argc;
    (void)argv;
    (void)requested;
    (void)provided;
    if (kept.runtime_failed) {
        mca_common_ascend_tell_once(HELP_FILE, "runtime failed", asc_link_why_not());
    }
    if (kept.ucx_failed) {
        mca_common_ascend_tell_once(HELP_FILE, "ucx module failed", kept.ucx_why);
    }
    if (!mca_common_ascend_active()) {
        return;
    }
    if (0 != strcmp("ucx", mca_common_ascend_pml_name())) {
        mca_hook_ascend_component.ucx_active = false;
    }
    opal_output_verbose(1, mca_hook_ascend_component.output,
                        "hook:ascend: pml/%s, device buffers %s", mca_common_ascend_pml_name(),
                        mca_hook_ascend_component.ucx_active ? "by UCX" : "staged");
    mca_hook_ascend_wrap_pml();
    mca_hook_ascend_redirect_calls();
}

/* The application may have reset the device or finalised the runtime before:
 * link/ ignores what fails because of that. */
static void finalize_top(void)
{
    if (!mca_common_ascend_active()) {
        return;
    }
    mca_hook_ascend_unwrap_pml();
    asc_link_quiesce(QUIESCE_MS);
}
