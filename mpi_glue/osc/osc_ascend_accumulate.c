/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Updates of a target's memory: under a lock of the target in shared memory the
 * data come to the origin's host memory, are combined there and go back. So
 * every call is atomic as a whole, whatever operation and type.
 */
#include "osc_ascend.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "opal/runtime/opal_progress.h"

typedef struct buffer {
    const void *buf;
    size_t count;
    struct ompi_datatype_t *dtype;
} buffer_t;

typedef struct update {
    const char *call;
    buffer_t origin, compare, result; /* of dtype NULL: there is none */
    mca_osc_ascend_target_t target;
    struct ompi_op_t *op; /* with compare: MPI_REPLACE */
    mca_osc_ascend_side_t sides[3];
} update_t;

enum {
    ORIGIN,
    COMPARE,
    RESULT
};

/* -------------------------------------------------------------- lock ---- */

static void enter(const mca_osc_ascend_module_t *module, int target)
{
    int32_t *lock = &module->states[target].accumulate;
    int32_t expected = 0;

    while (!__atomic_compare_exchange_n(lock, &expected, 1, true, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED)) {
        expected = 0;
        opal_progress();
    }
}

static void leave(const mca_osc_ascend_module_t *module, int target)
{
    __atomic_store_n(&module->states[target].accumulate, 0, __ATOMIC_RELEASE);
}

/* ------------------------------------------------------------ reduce ---- */

static void reduce_array(struct ompi_op_t *op, struct ompi_datatype_t *basic, const char *source,
                         char *target, size_t n)
{
    ptrdiff_t lb, extent;

    (void)ompi_datatype_get_extent(basic, &lb, &extent);
    while (0 != n) {
        const int now = (n < INT_MAX / 2) ? (int)n : INT_MAX / 2;

        ompi_op_reduce(op, (void *)source, target, now, basic);
        source += now * extent;
        target += now * extent;
        n -= (size_t)now;
    }
}

/* Types like MPI_DOUBLE_INT have gaps, which packed bytes do not. */
static int reduce_gapped(struct ompi_op_t *op, struct ompi_datatype_t *basic, void *source,
                         void *target, size_t n, size_t bytes)
{
    ptrdiff_t lb, extent;
    char *arrays;
    int rc;

    (void)ompi_datatype_get_extent(basic, &lb, &extent);
    arrays = calloc(2 * n, (size_t)extent);
    if (NULL == arrays) {
        return MPI_ERR_NO_MEM;
    }
    rc = mca_osc_ascend_convert(arrays, n, basic, source, bytes, false);
    if (OMPI_SUCCESS == rc) {
        rc = mca_osc_ascend_convert(arrays + n * (size_t)extent, n, basic, target, bytes, false);
    }
    if (OMPI_SUCCESS == rc) {
        reduce_array(op, basic, arrays, arrays + n * (size_t)extent, n);
        rc = mca_osc_ascend_convert(arrays + n * (size_t)extent, n, basic, target, bytes, true);
    }
    free(arrays);
    return rc;
}

static int reduce(const update_t *update, void *current)
{
    struct ompi_datatype_t *basic =
        ompi_datatype_get_single_predefined_type_from_args(update->target.dtype);
    void *source = update->sides[ORIGIN].message;
    const size_t bytes = update->target.bytes;
    ptrdiff_t lb, extent;
    size_t size;

    if (NULL == basic) {
        return MPI_ERR_TYPE;
    }
    ompi_datatype_type_size(basic, &size);
    (void)ompi_datatype_get_extent(basic, &lb, &extent);
    if ((size_t)extent != size) {
        return reduce_gapped(update->op, basic, source, current, bytes / size, bytes);
    }
    reduce_array(update->op, basic, source, current, bytes / size);
    return OMPI_SUCCESS;
}

/* ------------------------------------------------------------ update ---- */

static bool reads_target(const update_t *update)
{
    return MPI_REPLACE != update->op || NULL != update->result.dtype;
}

/* What goes back to the target: NULL if nothing. */
static int combine(update_t *update, void *current, void **written)
{
    const size_t bytes = update->target.bytes;

    if (NULL != update->result.dtype) {
        memcpy(update->sides[RESULT].message, current, bytes);
    }
    *written = update->sides[ORIGIN].message;
    if (NULL != update->compare.dtype &&
        0 != memcmp(current, update->sides[COMPARE].message, bytes)) {
        *written = NULL;
    }
    if (MPI_NO_OP == update->op) {
        *written = NULL;
    } else if (MPI_REPLACE != update->op) {
        *written = current;
        return reduce(update, current);
    }
    return OMPI_SUCCESS;
}

static int exchange(const mca_osc_ascend_module_t *module, update_t *update, void *current)
{
    const mca_osc_ascend_target_t *target = &update->target;
    void *written = NULL;
    int rc = OMPI_SUCCESS;

    enter(module, target->rank);
    if (reads_target(update)) {
        rc = mca_osc_ascend_target_move(module, target, current, false);
    }
    if (OMPI_SUCCESS == rc) {
        rc = combine(update, current, &written);
    }
    if (OMPI_SUCCESS == rc && NULL != written) {
        rc = mca_osc_ascend_target_move(module, target, written, true);
    }
    leave(module, target->rank);
    return rc;
}

static int open_side(update_t *update, int i, const buffer_t *buffer, const char *argument)
{
    const mca_common_ascend_names_t names = {update->call, argument};
    int rc;

    if (NULL == buffer->dtype) {
        return OMPI_SUCCESS;
    }
    rc = mca_osc_ascend_side_open(&update->sides[i], buffer->buf, buffer->count, buffer->dtype,
                                  MCA_COMMON_ASCEND_MAY_HOST, RESULT != i, &names);
    if (OMPI_SUCCESS == rc && update->sides[i].bytes != update->target.bytes) {
        rc = MPI_ERR_TRUNCATE;
    }
    return rc;
}

static int run_opened(const mca_osc_ascend_module_t *module, update_t *update)
{
    bool pageable = false;
    void *current = NULL;
    int rc;

    if (reads_target(update)) {
        current = mca_osc_ascend_memory_get(update->target.bytes, update->call, &pageable);
        if (NULL == current) {
            return MPI_ERR_NO_MEM;
        }
    }
    rc = exchange(module, update, current);
    if (NULL != current) {
        mca_osc_ascend_memory_put(current, update->target.bytes, pageable);
    }
    return (OMPI_SUCCESS == rc) ? mca_osc_ascend_side_drain(&update->sides[RESULT]) : rc;
}

static int run(update_t *update, int target, ptrdiff_t disp, size_t count,
               struct ompi_datatype_t *dtype, struct ompi_win_t *win)
{
    mca_osc_ascend_module_t *module = mca_osc_ascend_of(win);
    int rc = mca_osc_ascend_target_open(module, &update->target, target, disp, count, dtype);

    if (OMPI_SUCCESS != rc || 0 == update->target.bytes) {
        return rc;
    }
    if (MPI_NO_OP == update->op) {
        update->origin.dtype = NULL; /* it may be anything */
    }
    rc = open_side(update, ORIGIN, &update->origin, "origin");
    if (OMPI_SUCCESS == rc) {
        rc = open_side(update, COMPARE, &update->compare, "compare");
    }
    if (OMPI_SUCCESS == rc) {
        rc = open_side(update, RESULT, &update->result, "result");
    }
    if (OMPI_SUCCESS == rc) {
        rc = run_opened(module, update);
    }
    for (int i = 0; i < 3; i++) {
        mca_osc_ascend_side_close(&update->sides[i]);
    }
    return rc;
}

/* ------------------------------------------------------------- calls ---- */

#define BUFFER(_buf, _count, _dtype) \
    { \
        .buf = (_buf), .count = (size_t)(_count), .dtype = (_dtype) \
    }

int mca_osc_ascend_accumulate(const void *origin, int count, struct ompi_datatype_t *dtype,
                              int target, ptrdiff_t disp, int target_count,
                              struct ompi_datatype_t *target_type, struct ompi_op_t *op,
                              struct ompi_win_t *win)
{
    update_t update = {.call = "MPI_Accumulate", .origin = BUFFER(origin, count, dtype), .op = op};

    return run(&update, target, disp, (size_t)target_count, target_type, win);
}

int mca_osc_ascend_raccumulate(const void *origin, int count, struct ompi_datatype_t *dtype,
                               int target, ptrdiff_t disp, int target_count,
                               struct ompi_datatype_t *target_type, struct ompi_op_t *op,
                               struct ompi_win_t *win, ompi_request_t **request)
{
    update_t update = {.call = "MPI_Raccumulate", .origin = BUFFER(origin, count, dtype), .op = op};

    *request = &ompi_request_empty;
    return run(&update, target, disp, (size_t)target_count, target_type, win);
}

int mca_osc_ascend_get_accumulate(const void *origin, int count, struct ompi_datatype_t *dtype,
                                  void *result, int result_count,
                                  struct ompi_datatype_t *result_type, int target, ptrdiff_t disp,
                                  int target_count, struct ompi_datatype_t *target_type,
                                  struct ompi_op_t *op, struct ompi_win_t *win)
{
    update_t update = {.call = "MPI_Get_accumulate",
                       .origin = BUFFER(origin, count, dtype),
                       .result = BUFFER(result, result_count, result_type),
                       .op = op};

    return run(&update, target, disp, (size_t)target_count, target_type, win);
}

int mca_osc_ascend_rget_accumulate(const void *origin, int count, struct ompi_datatype_t *dtype,
                                   void *result, int result_count,
                                   struct ompi_datatype_t *result_type, int target, ptrdiff_t disp,
                                   int target_count, struct ompi_datatype_t *target_type,
                                   struct ompi_op_t *op, struct ompi_win_t *win,
                                   ompi_request_t **request)
{
    update_t update = {.call = "MPI_Rget_accumulate",
                       .origin = BUFFER(origin, count, dtype),
                       .result = BUFFER(result, result_count, result_type),
                       .op = op};

    *request = &ompi_request_empty;
    return run(&update, target, disp, (size_t)target_count, target_type, win);
}

int mca_osc_ascend_fetch_and_op(const void *origin, void *result, struct ompi_datatype_t *dtype,
                                int target, ptrdiff_t disp, struct ompi_op_t *op,
                                struct ompi_win_t *win)
{
    update_t update = {.call = "MPI_Fetch_and_op",
                       .origin = BUFFER(origin, 1, dtype),
                       .result = BUFFER(result, 1, dtype),
                       .op = op};

    return run(&update, target, disp, 1, dtype, win);
}

int mca_osc_ascend_compare_and_swap(const void *origin, const void *compare, void *result,
                                    struct ompi_datatype_t *dtype, int target, ptrdiff_t disp,
                                    struct ompi_win_t *win)
{
    update_t update = {.call = "MPI_Compare_and_swap",
                       .origin = BUFFER(origin, 1, dtype),
                       .compare = BUFFER(compare, 1, dtype),
                       .result = BUFFER(result, 1, dtype),
                       .op = MPI_REPLACE};

    return run(&update, target, disp, 1, dtype, win);
}
