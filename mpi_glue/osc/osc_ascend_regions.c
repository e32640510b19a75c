/* SPDX-License-Identifier: BSD-3-Clause */
/* What a rank offers of its memory, and finding it at an origin. */
#include "osc_ascend.h"

#include <string.h>

static mca_osc_ascend_region_t *region_of(const mca_osc_ascend_module_t *module, int rank, int i)
{
    return &module->regions[(size_t)rank * (size_t)module->nregions + (size_t)i];
}

/* ------------------------------------------------------------- owner ---- */

static void write_begin(mca_osc_ascend_region_t *region)
{
    __atomic_store_n(&region->version, region->version + 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
}

static void write_end(mca_osc_ascend_region_t *region)
{
    __atomic_store_n(&region->version, region->version + 1, __ATOMIC_RELEASE);
}

static mca_osc_ascend_region_t *free_region(const mca_osc_ascend_module_t *module)
{
    for (int i = 0; i < module->nregions; i++) {
        mca_osc_ascend_region_t *region = region_of(module, module->rank, i);

        if (0 == region->in_use) {
            return region;
        }
    }
    return NULL;
}

int mca_osc_ascend_region_open(mca_osc_ascend_module_t *module, void *base, size_t size)
{
    const asc_link_mem_kind_t kind = asc_link_mem_query(base, size, NULL);
    mca_osc_ascend_region_t *region;

    if (ASC_LINK_MEM_BAD == kind) {
        return MPI_ERR_BUFFER;
    }
    opal_mutex_lock(&module->lock);
    region = free_region(module);
    if (NULL != region) {
        write_begin(region);
        region->base = (uintptr_t)base;
        region->size = size;
        region->kind = (uint32_t)kind;
        region->offer = 0;
        region->in_use = 1;
        if (ASC_LINK_MEM_DEVICE == kind) {
            /* A key that cannot be imported tells its importers so. */
            (void)asc_link_export(base, size, region->rkey);
            asc_link_relay_hold(true);
        } else {
            region->offer = asc_link_relay_offer(base, size);
        }
        write_end(region);
    }
    opal_mutex_unlock(&module->lock);
    return (NULL != region) ? OMPI_SUCCESS : MPI_ERR_RMA_ATTACH;
}

static void close_region(mca_osc_ascend_region_t *region)
{
    write_begin(region);
    region->in_use = 0;
    write_end(region);
    if (ASC_LINK_MEM_DEVICE == (asc_link_mem_kind_t)region->kind) {
        asc_link_export_release(region->rkey);
        asc_link_relay_hold(false);
    } else {
        asc_link_relay_withdraw(region->offer);
    }
}

void mca_osc_ascend_regions_close(mca_osc_ascend_module_t *module)
{
    for (int i = 0; i < module->nregions; i++) {
        mca_osc_ascend_region_t *region = region_of(module, module->rank, i);

        if (0 != region->in_use) {
            close_region(region);
        }
    }
}

int mca_osc_ascend_attach(struct ompi_win_t *win, void *base, size_t size)
{
    static const mca_common_ascend_names_t names = {"MPI_Win_attach", "base"};
    mca_osc_ascend_module_t *module = mca_osc_ascend_of(win);
    int rc;

    if (!module->dynamic) {
        return MPI_ERR_RMA_FLAVOR;
    }
    rc = (0 == size) ? OMPI_SUCCESS : mca_osc_ascend_region_open(module, base, size);
    return (MPI_ERR_BUFFER == rc) ? mca_common_ascend_bad_pointer(base, &names) : rc;
}

int mca_osc_ascend_detach(struct ompi_win_t *win, const void *base)
{
    mca_osc_ascend_module_t *module = mca_osc_ascend_of(win);
    int rc = MPI_ERR_BASE;

    if (!module->dynamic) {
        return MPI_ERR_RMA_FLAVOR;
    }
    opal_mutex_lock(&module->lock);
    for (int i = 0; i < module->nregions && OMPI_SUCCESS != rc; i++) {
        mca_osc_ascend_region_t *region = region_of(module, module->rank, i);

        if (0 != region->in_use && region->base == (uintptr_t)base) {
            close_region(region);
            rc = OMPI_SUCCESS;
        }
    }
    opal_mutex_unlock(&module->lock);
    return rc;
}

/* ------------------------------------------------------------ origin ---- */

/* A whole description, not one that is just being written. */
static void read_region(const mca_osc_ascend_region_t *shared, mca_osc_ascend_region_t *region)
{
    uint64_t version;

    do {
        version = __atomic_load_n(&shared->version, __ATOMIC_ACQUIRE);
        memcpy(region, shared, sizeof(*region));
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
    } while (0 != (version & 1) || version != __atomic_load_n(&shared->version, __ATOMIC_RELAXED));
}

bool mca_osc_ascend_region_find(const mca_osc_ascend_module_t *module, int target, uint64_t address,
                                size_t len, mca_osc_ascend_region_t *region)
{
    for (int i = 0; i < module->nregions; i++) {
        const mca_osc_ascend_region_t *shared = region_of(module, target, i);

        if (0 == __atomic_load_n(&shared->in_use, __ATOMIC_RELAXED)) {
            continue;
        }
        read_region(shared, region);
        if (0 != region->in_use && mca_osc_ascend_holds(region, address, len)) {
            return true;
        }
    }
    return false;
}
