/* SPDX-License-Identifier: BSD-3-Clause */
/* The target's side of a call: runs of contiguous bytes in its window. */
#include "osc_ascend.h"

#include <stdlib.h>

#include "mpi_glue/common/common_ascend_map.h"
#include "opal/runtime/opal_progress.h"

/* When rows are read together with the gaps between them. */
#define ROWS_MIN      ((size_t)4)
#define ROW_MAX       ((size_t)16 << 10)
#define SPAN_PER_BYTE 8
#define SPAN_MAX      ((size_t)64 << 20)

typedef struct runs {
    const mca_osc_ascend_module_t *module;
    mca_osc_ascend_target_t *target;
    /* of a move: */
    char *message;
    bool put;
    mca_osc_ascend_route_t route;
    mca_common_ascend_copies_t copies;
} runs_t;

static void layout_of(const mca_osc_ascend_target_t *target, mca_common_ascend_layout_t *layout)
{
    mca_common_ascend_layout_simple(layout, (const void *)(uintptr_t)target->address, target->count,
                                    target->dtype);
}

static int check_run(void *ctx, char *address, size_t len)
{
    runs_t *runs = ctx;
    mca_osc_ascend_region_t region;

    if (0 == runs->target->runs++) {
        runs->target->first = (uintptr_t)address;
    }
    return mca_osc_ascend_region_find(runs->module, runs->target->rank, (uintptr_t)address, len,
                                      &region)
               ? OMPI_SUCCESS
               : MPI_ERR_RMA_RANGE;
}

int mca_osc_ascend_target_open(const mca_osc_ascend_module_t *module,
                               mca_osc_ascend_target_t *target, int rank, ptrdiff_t disp,
                               size_t count, struct ompi_datatype_t *dtype)
{
    runs_t runs = {.module = module, .target = target};
    mca_common_ascend_layout_t layout;

    *target = (mca_osc_ascend_target_t){.rank = rank, .count = count, .dtype = dtype};
    ompi_datatype_type_size(dtype, &target->bytes);
    target->bytes *= count;
    if (!mca_osc_ascend_may_access(module, rank)) {
        return MPI_ERR_RMA_SYNC;
    }
    target->address = (uint64_t)disp;
    if (!module->dynamic) {
        const mca_osc_ascend_region_t *first =
            &module->regions[(size_t)rank * (size_t)module->nregions];

        target->address = first->base + (uint64_t)disp * (uint64_t)module->units[rank];
    }
    layout_of(target, &layout);
    return mca_common_ascend_layout_walk(&layout, check_run, &runs);
}

/* Room for one more copy. */
static asc_link_op_t *free_op(mca_common_ascend_copies_t *copies, int *i)
{
    const uint32_t all = (UINT32_C(1) << MCA_COMMON_ASCEND_COPIES) - 1;

    while (all == copies->busy) {
        if (ASC_INPROGRESS == mca_common_ascend_copies_test(copies) && all == copies->busy) {
            opal_progress();
        }
    }
    *i = __builtin_ctz(~copies->busy);
    return &copies->ops[*i];
}

static int move_run(void *ctx, char *address, size_t len)
{
    runs_t *runs = ctx;
    const mca_osc_ascend_copy_t copy = {.target = runs->target->rank,
                                        .remote = (uintptr_t)address,
                                        .local = runs->message,
                                        .len = len,
                                        .put = runs->put};
    int i;
    asc_link_op_t *op = free_op(&runs->copies, &i);
    const asc_status_t status =
        mca_osc_ascend_copy_start(runs->module, &runs->route, &copy, &runs->copies, op);

    runs->message += len;
    if (ASC_INPROGRESS == status) {
        runs->copies.busy |= UINT32_C(1) << i;
    } else if (ASC_OK != status && ASC_OK == runs->copies.status) {
        runs->copies.status = status;
    }
    return ASC_OK != runs->copies.status;
}

/* ----------------------------------------------------- with its gaps ---- */

/* Rows of the span in device memory of this process to the message. */
static asc_status_t unpack(const mca_common_ascend_map_t *map, const char *span, char *message)
{
    asc_link_rows_t *rows = calloc(map->nblocks, sizeof(*rows));
    asc_link_op_t op;
    asc_status_t status;

    if (NULL == rows) {
        return ASC_ERR_NO_MEMORY;
    }
    for (size_t i = 0; i < map->nblocks; i++) {
        const mca_common_ascend_rows_t *block = &map->blocks[i];

        rows[i] = (asc_link_rows_t){.dst = message + block->packed,
                                    .src = span + (block->at - map->low),
                                    .dpitch = block->packed_stride,
                                    .spitch = (size_t)block->stride,
                                    .width = block->len,
                                    .height = block->rows};
    }
    status = mca_osc_ascend_copy_end(asc_link_copy_rows_start(rows, map->nblocks, &op), &op);
    free(rows);
    return status;
}

/* Reading the gaps along is cheaper than a copy for each small row. */
static bool reads_span(const runs_t *runs, const mca_common_ascend_map_t *map,
                       mca_osc_ascend_region_t *region)
{
    const mca_osc_ascend_target_t *target = runs->target;
    const size_t span = (size_t)(map->high - map->low);

    return map->nrows >= ROWS_MIN && map->bytes / map->nrows < ROW_MAX &&
           span / SPAN_PER_BYTE <= map->bytes && span <= SPAN_MAX &&
           target->rank != runs->module->rank && asc_link_home_device() >= 0 &&
           mca_osc_ascend_region_find(runs->module, target->rank,
                                      target->address + (uint64_t)map->low, span, region) &&
           ASC_LINK_MEM_DEVICE == (asc_link_mem_kind_t)region->kind;
}

/* ASC_ERR_UNSUPPORTED: not for this type or memory. */
static asc_status_t get_span(runs_t *runs)
{
    const mca_osc_ascend_target_t *target = runs->target;
    mca_common_ascend_map_t *map = mca_common_ascend_map_get(target->dtype, target->count);
    asc_status_t status = ASC_ERR_UNSUPPORTED;
    mca_osc_ascend_copy_t copy = {.target = target->rank};
    mca_osc_ascend_region_t region;
    asc_link_op_t op;

    if (NULL == map) {
        return status;
    }
    copy.remote = target->address + (uint64_t)map->low;
    copy.len = (size_t)(map->high - map->low);
    if (reads_span(runs, map, &region) && ASC_OK == asc_link_scratch_get(copy.len, &copy.local)) {
        status = mca_osc_ascend_copy_end(
            mca_osc_ascend_copy_start(runs->module, &runs->route, &copy, NULL, &op), &op);
        if (ASC_OK == status) {
            status = unpack(map, copy.local, runs->message);
        }
        asc_link_scratch_put(copy.local, copy.len);
    }
    mca_common_ascend_map_put(map);
    return status;
}

/* --------------------------------------------------------------- move --- */

static int move_runs(runs_t *runs)
{
    mca_common_ascend_layout_t layout;
    asc_status_t status;
    int rc;

    layout_of(runs->target, &layout);
    rc = mca_common_ascend_layout_walk(&layout, move_run, runs);
    do {
        status = mca_common_ascend_copies_test(&runs->copies);
        if (ASC_INPROGRESS == status) {
            opal_progress();
        }
    } while (ASC_INPROGRESS == status);
    return (rc < 0) ? rc : mca_osc_ascend_error(status);
}

int mca_osc_ascend_target_move(const mca_osc_ascend_module_t *module,
                               const mca_osc_ascend_target_t *target, void *message, bool put)
{
    runs_t runs = {.module = module,
                   .target = (mca_osc_ascend_target_t *)target,
                   .message = message,
                   .put = put};
    asc_status_t status = ASC_ERR_UNSUPPORTED;
    int rc;

    mca_common_ascend_copies_init(&runs.copies);
    if (!put && target->runs > 1) {
        status = get_span(&runs);
    }
    rc = (ASC_ERR_UNSUPPORTED == status) ? move_runs(&runs) : mca_osc_ascend_error(status);
    mca_osc_ascend_route_close(&runs.route);
    return rc;
}
