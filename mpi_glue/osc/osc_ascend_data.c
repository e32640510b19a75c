/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Put, MPI_Get, MPI_Rput and MPI_Rget. */
#include "osc_ascend.h"

#include <stdlib.h>

typedef struct call {
    mca_common_ascend_names_t names;
    void *buf;
    size_t count;
    struct ompi_datatype_t *dtype;
    mca_osc_ascend_target_t target;
    bool put;
    ompi_request_t **request; /* NULL: none is wanted */
} call_t;

/* Contiguous on both sides: it goes on after the call. */
static int run_direct(mca_osc_ascend_module_t *module, const call_t *call, void *message)
{
    mca_osc_ascend_pending_t *pending = calloc(1, sizeof(*pending));
    mca_osc_ascend_copy_t copy = {.target = call->target.rank,
                                  .remote = call->target.first,
                                  .local = message,
                                  .len = call->target.bytes,
                                  .put = call->put};
    mca_osc_ascend_route_t route = {.open = false};
    asc_status_t status;

    if (NULL == pending) {
        return MPI_ERR_NO_MEM;
    }
    pending->target = call->target.rank;
    status = mca_osc_ascend_copy_start(module, &route, &copy, NULL, &pending->op);
    mca_osc_ascend_route_close(&route);
    if (ASC_INPROGRESS == status) {
        mca_osc_ascend_pending_add(module, pending, call->request);
        return OMPI_SUCCESS;
    }
    free(pending);
    return mca_osc_ascend_error(status);
}

static int run_packed(mca_osc_ascend_module_t *module, const call_t *call,
                      mca_osc_ascend_side_t *side)
{
    int rc = mca_osc_ascend_target_move(module, &call->target, side->message, call->put);

    return (OMPI_SUCCESS == rc) ? mca_osc_ascend_side_drain(side) : rc;
}

static int run(mca_osc_ascend_module_t *module, const call_t *call)
{
    mca_osc_ascend_side_t side;
    int rc;

    if (NULL != call->request) {
        *call->request = &ompi_request_empty;
    }
    if (0 == call->target.bytes && 0 == call->count) {
        return OMPI_SUCCESS;
    }
    rc = mca_osc_ascend_side_open(&side, call->buf, call->count, call->dtype,
                                  MCA_COMMON_ASCEND_MAY_DEVICE, call->put, &call->names);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    if (side.bytes != call->target.bytes) {
        rc = MPI_ERR_TRUNCATE;
    } else if (0 != side.bytes) {
        rc = (side.in_place && 1 == call->target.runs) ? run_direct(module, call, side.message)
                                                       : run_packed(module, call, &side);
    }
    mca_osc_ascend_side_close(&side);
    return rc;
}

static int transfer(const call_t *call, int target, ptrdiff_t disp, int count,
                    struct ompi_datatype_t *dtype, struct ompi_win_t *win)
{
    mca_osc_ascend_module_t *module = mca_osc_ascend_of(win);
    call_t opened = *call;
    int rc = mca_osc_ascend_target_open(module, &opened.target, target, disp, (size_t)count, dtype);

    return (OMPI_SUCCESS == rc) ? run(module, &opened) : rc;
}

int mca_osc_ascend_put(const void *origin, int count, struct ompi_datatype_t *dtype, int target,
                       ptrdiff_t disp, int target_count, struct ompi_datatype_t *target_type,
                       struct ompi_win_t *win)
{
    const call_t call = {.names = {"MPI_Put", "origin"},
                         .buf = (void *)origin,
                         .count = (size_t)count,
                         .dtype = dtype,
                         .put = true};

    return transfer(&call, target, disp, target_count, target_type, win);
}

int mca_osc_ascend_get(void *origin, int count, struct ompi_datatype_t *dtype, int target,
                       ptrdiff_t disp, int target_count, struct ompi_datatype_t *target_type,
                       struct ompi_win_t *win)
{
    const call_t call = {
        .names = {"MPI_Get", "origin"}, .buf = origin, .count = (size_t)count, .dtype = dtype};

    return transfer(&call, target, disp, target_count, target_type, win);
}

int mca_osc_ascend_rput(const void *origin, int count, struct ompi_datatype_t *dtype, int target,
                        ptrdiff_t disp, int target_count, struct ompi_datatype_t *target_type,
                        struct ompi_win_t *win, ompi_request_t **request)
{
    const call_t call = {.names = {"MPI_Rput", "origin"},
                         .buf = (void *)origin,
                         .count = (size_t)count,
                         .dtype = dtype,
                         .put = true,
                         .request = request};

    return transfer(&call, target, disp, target_count, target_type, win);
}

int mca_osc_ascend_rget(void *origin, int count, struct ompi_datatype_t *dtype, int target,
                        ptrdiff_t disp, int target_count, struct ompi_datatype_t *target_type,
                        struct ompi_win_t *win, ompi_request_t **request)
{
    const call_t call = {.names = {"MPI_Rget", "origin"},
                         .buf = origin,
                         .count = (size_t)count,
                         .dtype = dtype,
                         .request = request};

    return transfer(&call, target, disp, target_count, target_type, win);
}
