/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_ascend.h"
#include "coll_ascend_record.h"

#include <stdlib.h>

static void module_construct(mca_coll_ascend_module_t *module)
{
    memset(&module->lower, 0, sizeof(module->lower));
    module->records = module->peers_known = false;
    module->unchecked = module->told = false;
    module->context = module->posted = 0;
    module->born = mca_coll_ascend_record_now();
    module->npeers = 0;
    module->mails = NULL;
}

/* NOLINTNEXTLINE(readability-function-size): short, the list of slots makes it long. */
static void module_release(mca_coll_ascend_module_t *module)
{
    mca_coll_ascend_record_end(module);
    free(module->mails);
    module->mails = NULL;
#define RELEASE(_slot) \
    if (NULL != module->lower.coll_##_slot##_module) { \
        OBJ_RELEASE(module->lower.coll_##_slot##_module); \
    }
    MCA_COLL_ASCEND_SLOTS(RELEASE)
#undef RELEASE
    memset(&module->lower, 0, sizeof(module->lower));
}

OBJ_CLASS_INSTANCE(mca_coll_ascend_module_t, mca_coll_base_module_t, module_construct,
                   module_release);

/* Saves what the communicator has and takes only slots that somebody serves:
 * scans have no meaning on an intercommunicator and stay NULL there. */
/* NOLINTNEXTLINE(readability-function-size): as above. */
static int module_enable(mca_coll_base_module_t *base, struct ompi_communicator_t *comm)
{
    mca_coll_ascend_module_t *module = (mca_coll_ascend_module_t *)base;

#define SAVE(_slot) \
    if (NULL == comm->c_coll->coll_##_slot) { \
        base->coll_##_slot = NULL; \
    } else { \
        module->lower.coll_##_slot = comm->c_coll->coll_##_slot; \
        module->lower.coll_##_slot##_module = comm->c_coll->coll_##_slot##_module; \
        OBJ_RETAIN(module->lower.coll_##_slot##_module); \
    }
    MCA_COLL_ASCEND_SLOTS(SAVE)
#undef SAVE
    module->records = OMPI_COMM_IS_INTRA(comm) && ompi_comm_size(comm) > 1;
    module->npeers = ompi_comm_size(comm);
    return OMPI_SUCCESS;
}

/* Called once for every slot that is ours, while calls may no longer come. */
static int module_disable(mca_coll_base_module_t *base, struct ompi_communicator_t *comm)
{
    (void)base;
    (void)comm;
    return OMPI_SUCCESS;
}

/* Decided by this process alone: since the functions below us are called in
 * the same order with and without us, ranks need not agree. */
mca_coll_base_module_t *mca_coll_ascend_comm_query(struct ompi_communicator_t *comm, int *priority)
{
    mca_coll_ascend_module_t *module;

    (void)comm;
    *priority = mca_coll_ascend_component.priority;
    if (!mca_coll_ascend_component.enable || !mca_common_ascend_active()) {
        return NULL;
    }
    module = OBJ_NEW(mca_coll_ascend_module_t);
    if (NULL == module) {
        return NULL;
    }
    module->super.coll_module_enable = module_enable;
    module->super.coll_module_disable = module_disable;
    mca_coll_ascend_install_allgather(&module->super);
    mca_coll_ascend_install_alltoall(&module->super);
    mca_coll_ascend_install_barrier(&module->super);
    mca_coll_ascend_install_bcast(&module->super);
    mca_coll_ascend_install_gather(&module->super);
    mca_coll_ascend_install_neighbor_allgather(&module->super);
    mca_coll_ascend_install_neighbor_alltoall(&module->super);
    mca_coll_ascend_install_reduce(&module->super);
    mca_coll_ascend_install_reduce_scatter(&module->super);
    mca_coll_ascend_install_scan(&module->super);
    mca_coll_ascend_install_scatter(&module->super);
    return &module->super;
}
