/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_ascend.h"
#include "mpi_glue/common/common_ascend_tell.h"

#include "opal/util/output.h"

static int component_register(void);
static int component_open(void);
static int component_close(void);
static int component_init_query(bool enable_progress_threads, bool enable_mpi_threads);

/* Above coll/self (75), because MPI_COMM_SELF takes device buffers, too. */
#define DEFAULT_PRIORITY 90

mca_coll_ascend_component_t mca_coll_ascend_component = {
    .super =
        {
            .collm_version =
                {
                    MCA_COLL_BASE_VERSION_2_0_0,
                    .mca_component_name = "ascend",
                    MCA_BASE_MAKE_VERSION(component, MCA_COMMON_ASCEND_MAJOR,
                                          MCA_COMMON_ASCEND_MINOR, MCA_COMMON_ASCEND_RELEASE),
                    .mca_register_component_params = component_register,
                    .mca_open_component = component_open,
                    .mca_close_component = component_close,
                },
            .collm_data = {MCA_BASE_METADATA_PARAM_CHECKPOINT},
            .collm_init_query = component_init_query,
            .collm_comm_query = mca_coll_ascend_comm_query,
        },
    .enable = true,
    .check = true,
    .priority = DEFAULT_PRIORITY,
    .output = -1,
};

static int component_register(void)
{
    mca_coll_ascend_component_t *mca = &mca_coll_ascend_component;
    mca_base_component_t *version = &mca->super.collm_version;

    mca->enable = true;
    mca->check = true;
    mca->priority = DEFAULT_PRIORITY;
    mca->verbose = 0;
    mca_common_ascend_register_flag(
        version, "enable",
        "Whether collectives take buffers in Ascend device memory. With 0 such a buffer crashes "
        "most collectives",
        OPAL_INFO_LVL_3, &mca->enable);
    mca_common_ascend_register_flag(
        version, "check",
        "Whether a blocking collective with a device buffer compares its arguments with those of "
        "the other ranks, and gives an error where MPI wants them equal and they differ",
        OPAL_INFO_LVL_5, &mca->check);
    (void)mca_base_component_var_register(
        version, "priority",
        "Priority of coll/ascend. Buffers are judged only in components above which it stands",
        MCA_BASE_VAR_TYPE_INT, NULL, 0, 0, OPAL_INFO_LVL_6, MCA_BASE_VAR_SCOPE_READONLY,
        &mca->priority);
    (void)mca_base_component_var_register(
        version, "verbose",
        "Verbosity: 1 says what the component decides, 20 tells of every "
        "staged call",
        MCA_BASE_VAR_TYPE_INT, NULL, 0, 0, OPAL_INFO_LVL_9, MCA_BASE_VAR_SCOPE_READONLY,
        &mca->verbose);
    return OMPI_SUCCESS;
}

static int component_open(void)
{
    mca_coll_ascend_component_t *mca = &mca_coll_ascend_component;
    asc_status_t status;

    if (!mca_common_ascend_open("coll/ascend", mca->verbose, &mca->output)) {
        return OMPI_ERR_NOT_AVAILABLE;
    }
    status = mca_common_ascend_init();
    opal_output_verbose(1, mca->output, "coll:ascend: runtime %s%s%s", asc_status_text(status),
                        (ASC_OK == status) ? "" : ": ",
                        (ASC_OK == status) ? "" : asc_link_why_not());
    if (mca->priority < 0) {
        mca_common_ascend_tell_once("help-coll-ascend.txt", "bad priority", mca->priority,
                                    DEFAULT_PRIORITY);
        mca->priority = DEFAULT_PRIORITY;
    }
    /* Also when disabled or without a runtime: a peer that finds nothing
     * published would wait two seconds before it knew. */
    return mca_coll_ascend_modex_send();
}

static int component_init_query(bool enable_progress_threads, bool enable_mpi_threads)
{
    (void)enable_progress_threads;
    (void)enable_mpi_threads;
    if (asc_link_ready()) {
        mca_coll_ascend_oob_plug();
    }
    return OMPI_SUCCESS;
}

static int component_close(void)
{
    mca_coll_ascend_oob_unplug();
    mca_coll_ascend_modex_close();
    mca_common_ascend_close(&mca_coll_ascend_component.output);
    return OMPI_SUCCESS;
}
