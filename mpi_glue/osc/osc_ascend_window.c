/* SPDX-License-Identifier: BSD-3-Clause */
/* Making and freeing a window. */
#include "osc_ascend.h"
#include "mpi_glue/common/common_ascend_tell.h"

#include <stdlib.h>
#include <string.h>

#define HELP_FILE "help-osc-ascend.txt"

/* What a rank tells the others. */
typedef struct card {
    asc_link_addr_t addr;
    int32_t unit;
    int32_t reserved;
} card_t;

/* ------------------------------------------------------------- peers ---- */

static int open_peer(mca_osc_ascend_module_t *module, int rank, const card_t *card)
{
    char why[256] = "";

    module->addrs[rank] = card->addr;
    module->units[rank] = card->unit;
    if (ASC_OK == asc_link_peer_open(&card->addr, &module->peers[rank], why, sizeof(why))) {
        return OMPI_SUCCESS;
    }
    mca_common_ascend_tell_once(HELP_FILE, "unreachable", module->rank, rank, why);
    return MPI_ERR_WIN;
}

static int open_peers(mca_osc_ascend_module_t *module, int disp_unit)
{
    card_t mine, *cards = calloc((size_t)module->size, sizeof(*cards));
    int rc;

    /* Memory is exported for those that are known to use a device, which this
     * rank is from here on: before any of the others exports. */
    (void)asc_link_home_device();
    memset(&mine, 0, sizeof(mine));
    asc_link_self_addr(&mine.addr);
    mine.unit = disp_unit;
    if (NULL == cards) {
        return MPI_ERR_NO_MEM;
    }
    rc = module->comm->c_coll->coll_allgather(&mine, sizeof(mine), MPI_BYTE, cards, sizeof(mine),
                                              MPI_BYTE, module->comm,
                                              module->comm->c_coll->coll_allgather_module);
    for (int i = 0; i < module->size && OMPI_SUCCESS == rc; i++) {
        rc = open_peer(module, i, &cards[i]);
    }
    free(cards);
    return rc;
}

/* ----------------------------------------------------------- segment ---- */

static size_t lines(size_t size)
{
    return (size + 63) & ~(size_t)63;
}

/* Shared memory is Open MPI's business: another window of it. Collective. */
static int open_segment(mca_osc_ascend_module_t *module)
{
    const size_t n = (size_t)module->size;
    const size_t states = lines(n * sizeof(*module->states));
    const size_t regions = lines(n * (size_t)module->nregions * sizeof(*module->regions));
    const size_t total = states + regions + lines(n * n * sizeof(*module->posts));
    opal_info_t *info = OBJ_NEW(opal_info_t);
    char *base = NULL;
    size_t size;
    int unit, rc;

    if (NULL == info) {
        return MPI_ERR_NO_MEM;
    }
    rc = ompi_win_allocate_shared((0 == module->rank) ? total : 0, 1, info, module->comm, &base,
                                  &module->segment);
    OBJ_RELEASE(info);
    if (OMPI_SUCCESS != rc) {
        module->segment = NULL;
        mca_common_ascend_tell_once(HELP_FILE, "no segment");
        return rc;
    }
    rc = module->segment->w_osc_module->osc_win_shared_query(module->segment, 0, &size, &unit,
                                                             &base);
    if (OMPI_SUCCESS == rc && 0 == module->rank) {
        memset(base, 0, total);
    }
    module->states = (mca_osc_ascend_state_t *)(void *)base;
    module->regions = (mca_osc_ascend_region_t *)(void *)(base + states);
    module->posts = (int32_t *)(void *)(base + states + regions);
    return rc;
}

/* All or none: the others would wait for a rank that has no window. */
static int agree(const mca_osc_ascend_module_t *module, int rc)
{
    int mine = (OMPI_SUCCESS != rc), all = 1;
    const int told =
        module->comm->c_coll->coll_allreduce(&mine, &all, 1, MPI_INT, MPI_MAX, module->comm,
                                             module->comm->c_coll->coll_allreduce_module);

    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    return (OMPI_SUCCESS != told || 0 != all) ? MPI_ERR_WIN : OMPI_SUCCESS;
}

/* ------------------------------------------------------------ window ---- */

static void destroy(mca_osc_ascend_module_t *module)
{
    if (NULL != module->segment) {
        mca_osc_ascend_regions_close(module);
        (void)ompi_win_free(module->segment);
    }
    if (NULL != module->comm) {
        (void)ompi_comm_free(&module->comm);
    }
    OBJ_DESTRUCT(&module->lock);
    free(module->units);
    free(module->peers);
    free(module->addrs);
    free(module->epochs);
    free(module);
}

static mca_osc_ascend_module_t *create(int flavor, struct ompi_communicator_t *comm)
{
    const size_t n = (size_t)ompi_comm_size(comm);
    mca_osc_ascend_module_t *module = calloc(1, sizeof(*module));

    if (NULL == module) {
        return NULL;
    }
    module->super = *mca_osc_ascend_component.functions;
    OBJ_CONSTRUCT(&module->lock, opal_mutex_t);
    module->dynamic = MPI_WIN_FLAVOR_DYNAMIC == flavor;
    module->nregions = module->dynamic ? MCA_OSC_ASCEND_ATTACHED : 1;
    module->rank = ompi_comm_rank(comm);
    module->size = (int)n;
    module->units = calloc(n, sizeof(*module->units));
    module->peers = calloc(n, sizeof(*module->peers));
    module->addrs = calloc(n, sizeof(*module->addrs));
    module->epochs = calloc(n, sizeof(*module->epochs));
    if (OMPI_SUCCESS != ompi_comm_dup(comm, &module->comm)) {
        module->comm = NULL;
    }
    if (NULL == module->units || NULL == module->peers || NULL == module->addrs ||
        NULL == module->epochs || NULL == module->comm) {
        destroy(module);
        return NULL;
    }
    return module;
}

static int check_place(const mca_osc_ascend_module_t *module)
{
    if (!ompi_group_have_remote_peers(module->comm->c_local_group)) {
        return OMPI_SUCCESS;
    }
    mca_common_ascend_tell_once(HELP_FILE, "several nodes");
    return MPI_ERR_WIN;
}

int mca_osc_ascend_select(struct ompi_win_t *win, void **base, size_t size, int disp_unit,
                          struct ompi_communicator_t *comm, struct opal_info_t *info, int flavor,
                          int *model)
{
    mca_osc_ascend_module_t *module = create(flavor, comm);
    int rc;

    (void)info;
    if (NULL == module) {
        return MPI_ERR_NO_MEM;
    }
    rc = agree(module, check_place(module));
    if (OMPI_SUCCESS == rc) {
        rc = agree(module, open_peers(module, disp_unit));
    }
    if (OMPI_SUCCESS == rc) {
        rc = agree(module, open_segment(module));
    }
    if (OMPI_SUCCESS == rc) {
        if (!module->dynamic && 0 != size) {
            rc = mca_osc_ascend_region_open(module, *base, size);
        }
        if (MPI_ERR_BUFFER == rc) {
            mca_common_ascend_tell(HELP_FILE, "bad memory", *base, (unsigned long)size);
        }
        rc = agree(module, rc);
    }
    if (OMPI_SUCCESS != rc) {
        destroy(module);
        return rc;
    }
    module->win = win;
    mca_osc_ascend_progress_add(module);
    win->w_osc_module = &module->super;
    *model = MPI_WIN_UNIFIED;
    return OMPI_SUCCESS;
}

int mca_osc_ascend_free(struct ompi_win_t *win)
{
    mca_osc_ascend_module_t *module = mca_osc_ascend_of(win);
    const int rc = mca_osc_ascend_wait_for(module, MCA_OSC_ASCEND_ALL);

    (void)module->comm->c_coll->coll_barrier(module->comm,
                                             module->comm->c_coll->coll_barrier_module);
    mca_osc_ascend_progress_remove(module);
    destroy(module);
    win->w_osc_module = NULL;
    return rc;
}
