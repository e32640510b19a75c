/* SPDX-License-Identifier: BSD-3-Clause */
/* The component, and which windows it takes. */
#include "osc_ascend.h"

#include "opal/util/output.h"

static int component_register(void);
static int component_open(void);
static int component_close(void);
static int component_init(bool enable_progress_threads, bool enable_mpi_threads);
static int component_query(struct ompi_win_t *win, void **base, size_t size, int disp_unit,
                           struct ompi_communicator_t *comm, struct opal_info_t *info, int flavor);
static int component_finalize(void);

/* Above all others where it takes the window at all. */
#define PRIORITY 1000

static int shared_query(struct ompi_win_t *win, int rank, size_t *size, int *disp_unit,
                        void *baseptr)
{
    (void)win;
    (void)rank;
    (void)size;
    (void)disp_unit;
    (void)baseptr;
    return MPI_ERR_RMA_FLAVOR;
}

static const ompi_osc_base_module_t functions = {
    .osc_win_shared_query = shared_query,
    .osc_win_attach = mca_osc_ascend_attach,
    .osc_win_detach = mca_osc_ascend_detach,
    .osc_free = mca_osc_ascend_free,
    .osc_put = mca_osc_ascend_put,
    .osc_get = mca_osc_ascend_get,
    .osc_accumulate = mca_osc_ascend_accumulate,
    .osc_compare_and_swap = mca_osc_ascend_compare_and_swap,
    .osc_fetch_and_op = mca_osc_ascend_fetch_and_op,
    .osc_get_accumulate = mca_osc_ascend_get_accumulate,
    .osc_rput = mca_osc_ascend_rput,
    .osc_rget = mca_osc_ascend_rget,
    .osc_raccumulate = mca_osc_ascend_raccumulate,
    .osc_rget_accumulate = mca_osc_ascend_rget_accumulate,
    .osc_fence = mca_osc_ascend_fence,
    .osc_start = mca_osc_ascend_start,
    .osc_complete = mca_osc_ascend_complete,
    .osc_post = mca_osc_ascend_post,
    .osc_wait = mca_osc_ascend_wait,
    .osc_test = mca_osc_ascend_test,
    .osc_lock = mca_osc_ascend_lock,
    .osc_unlock = mca_osc_ascend_unlock,
    .osc_lock_all = mca_osc_ascend_lock_all,
    .osc_unlock_all = mca_osc_ascend_unlock_all,
    .osc_sync = mca_osc_ascend_sync,
    .osc_flush = mca_osc_ascend_flush,
    .osc_flush_all = mca_osc_ascend_flush_all,
    .osc_flush_local = mca_osc_ascend_flush,
    .osc_flush_local_all = mca_osc_ascend_flush_all,
};

mca_osc_ascend_component_t mca_osc_ascend_component = {
    .super =
        {
            .osc_version =
                {
                    OMPI_OSC_BASE_VERSION_3_0_0,
                    .mca_component_name = "ascend",
                    MCA_BASE_MAKE_VERSION(component, MCA_COMMON_ASCEND_MAJOR,
                                          MCA_COMMON_ASCEND_MINOR, MCA_COMMON_ASCEND_RELEASE),
                    .mca_register_component_params = component_register,
                    .mca_open_component = component_open,
                    .mca_close_component = component_close,
                },
            .osc_data = {MCA_BASE_METADATA_PARAM_NONE},
            .osc_init = component_init,
            .osc_query = component_query,
            .osc_select = mca_osc_ascend_select,
            .osc_finalize = component_finalize,
        },
    .functions = &functions,
    .dynamic = true,
    .kernel = true,
    .output = -1,
};

static int component_register(void)
{
    mca_osc_ascend_component_t *mca = &mca_osc_ascend_component;
    mca_base_component_t *version = &mca->super.osc_version;

    mca->dynamic = true;
    mca->kernel = true;
    mca->verbose = 0;
    mca_common_ascend_register_flag(
        version, "dynamic",
        "Whether device memory may be attached to windows of MPI_Win_create_dynamic. With 0 Open "
        "MPI's own components serve them, and device memory is refused. The same on all ranks",
        OPAL_INFO_LVL_5, &mca->dynamic);
    mca_common_ascend_register_flag(
        version, "kernel",
        "Whether host memory of other ranks is read and written with process_vm_readv and "
        "process_vm_writev, where the kernel allows that. Otherwise the target takes part",
        OPAL_INFO_LVL_6, &mca->kernel);
    (void)mca_base_component_var_register(
        version, "verbose",
        "Verbosity: 1 says which windows the component takes, 10 why memory is not imported",
        MCA_BASE_VAR_TYPE_INT, NULL, 0, 0, OPAL_INFO_LVL_9, MCA_BASE_VAR_SCOPE_READONLY,
        &mca->verbose);
    return OMPI_SUCCESS;
}

static int component_open(void)
{
    mca_osc_ascend_component_t *mca = &mca_osc_ascend_component;

    if (!mca_common_ascend_open("osc/ascend", mca->verbose, &mca->output)) {
        return OMPI_ERR_NOT_AVAILABLE;
    }
    (void)mca_common_ascend_init();
    return OMPI_SUCCESS;
}

static int component_close(void)
{
    mca_common_ascend_close(&mca_osc_ascend_component.output);
    return OMPI_SUCCESS;
}

static int component_init(bool enable_progress_threads, bool enable_mpi_threads)
{
    (void)enable_progress_threads;
    (void)enable_mpi_threads;
    return OMPI_SUCCESS;
}

static int component_finalize(void)
{
    return OMPI_SUCCESS;
}

/* Can this process be a rank of such a window? */
static bool capable(const struct ompi_communicator_t *comm)
{
    asc_link_addr_t addr;

    asc_link_self_addr(&addr);
    return asc_link_ready() && 0 == (addr.flags & ASC_LINK_ADDR_DISABLED) &&
           !ompi_group_have_remote_peers(comm->c_local_group);
}

/* Every rank has to come to the same answer, but each sees its own memory
 * alone. So all of them ask all others, also where nobody uses a device. */
static int component_query(struct ompi_win_t *win, void **base, size_t size, int disp_unit,
                           struct ompi_communicator_t *comm, struct opal_info_t *info, int flavor)
{
    int mine[2], all[2] = {0, 0}, rc;
    bool taken;

    (void)win;
    (void)disp_unit;
    (void)info;
    if (MPI_WIN_FLAVOR_CREATE != flavor &&
        (MPI_WIN_FLAVOR_DYNAMIC != flavor || !mca_osc_ascend_component.dynamic)) {
        return -1;
    }
    mine[0] = MPI_WIN_FLAVOR_CREATE == flavor && 0 != size &&
              ASC_LINK_MEM_HOST != asc_link_mem_query(*base, 0, NULL);
    mine[1] = !capable(comm);
    rc = comm->c_coll->coll_allreduce(mine, all, 2, MPI_INT, MPI_MAX, comm,
                                      comm->c_coll->coll_allreduce_module);
    if (OMPI_SUCCESS != rc) {
        return -1;
    }
    taken = (MPI_WIN_FLAVOR_CREATE == flavor) ? 0 != all[0] : 0 == all[1];
    opal_output_verbose(1, mca_osc_ascend_component.output,
                        "osc:ascend: window of communicator %u is%s taken", comm->c_contextid,
                        taken ? "" : " not");
    return taken ? PRIORITY : -1;
}
