/* SPDX-License-Identifier: BSD-3-Clause */
/* The target's side of a call: runs of contiguous bytes in its window. */
#include "osc_ascend.h"

#include "opal/runtime/opal_progress.h"

typedef struct runs {
    const mca_osc_ascend_module_t *module;
    mca_osc_ascend_target_t *target;
    /* of a move: */
    char *message;
    bool put;
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
    const asc_status_t status = mca_osc_ascend_copy_start(runs->module, &copy, op);

    runs->message += len;
    if (ASC_INPROGRESS == status) {
        runs->copies.busy |= UINT32_C(1) << i;
    } else if (ASC_OK != status && ASC_OK == runs->copies.status) {
        runs->copies.status = status;
    }
    return ASC_OK != runs->copies.status;
}

int mca_osc_ascend_target_move(const mca_osc_ascend_module_t *module,
                               const mca_osc_ascend_target_t *target, void *message, bool put)
{
    runs_t runs = {.module = module,
                   .target = (mca_osc_ascend_target_t *)target,
                   .message = message,
                   .put = put};
    mca_common_ascend_layout_t layout;
    asc_status_t status;
    int rc;

    mca_common_ascend_copies_init(&runs.copies);
    layout_of(target, &layout);
    rc = mca_common_ascend_layout_walk(&layout, move_run, &runs);
    do {
        status = mca_common_ascend_copies_test(&runs.copies);
        if (ASC_INPROGRESS == status) {
            opal_progress();
        }
    } while (ASC_INPROGRESS == status);
    return (rc < 0) ? rc : mca_osc_ascend_error(status);
}
