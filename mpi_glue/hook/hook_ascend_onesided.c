/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One-sided calls. Windows on device memory are osc/ascend's. In all others
 * Open MPI lets the CPU, or system calls of the peer, touch windows and origin
 * buffers; with device memory those fail again and again and the job never
 * ends. So there device memory is kept from them.
 */
#include "hook_ascend_window.h"

#include "ompi/errhandler/errhandler.h"
#include "ompi/op/op.h"

#include "mpi_glue/common/common_ascend_tell.h"

#define HELP_FILE "help-hook-ascend.txt"

#define REAL      mca_hook_ascend_real

int mca_hook_ascend_call_Win_create(void *base, MPI_Aint size, int disp_unit, MPI_Info info,
                                    MPI_Comm comm, MPI_Win *win)
{
    if (size > 0 && !ompi_comm_invalid(comm) && !mca_hook_ascend_windows() &&
        ASC_LINK_MEM_HOST != asc_link_mem_query(base, 0, NULL)) {
        mca_common_ascend_tell(HELP_FILE, "no window", "MPI_Win_create", base);
        return OMPI_ERRHANDLER_INVOKE(comm, MPI_ERR_BUFFER, "MPI_Win_create");
    }
    return REAL.Win_create(base, size, disp_unit, info, comm, win);
}

int mca_hook_ascend_call_Win_attach(MPI_Win win, void *base, MPI_Aint size)
{
    if (size > 0 && !ompi_win_invalid(win) && !mca_hook_ascend_owns(win) &&
        ASC_LINK_MEM_HOST != asc_link_mem_query(base, 0, NULL)) {
        mca_common_ascend_tell(HELP_FILE, "no window", "MPI_Win_attach", base);
        return OMPI_ERRHANDLER_INVOKE(win, MPI_ERR_BUFFER, "MPI_Win_attach");
    }
    return REAL.Win_attach(win, base, size);
}

/* What MPI_NO_OP does not read may be anything. */
#define ORIGIN \
    { \
        origin, count, dtype, "origin", false \
    }
#define OPERAND \
    { \
        origin, count, (MPI_NO_OP == op) ? MPI_DATATYPE_NULL : dtype, "origin", false \
    }
#define TARGET_PARAMS int target, MPI_Aint disp, int target_count, MPI_Datatype target_type
#define TARGET        target, disp, target_count, target_type

int mca_hook_ascend_call_Put(const void *origin, int count, MPI_Datatype dtype, TARGET_PARAMS,
                             MPI_Win win)
{
    mca_hook_ascend_rma_t rma = {
        .call = "MPI_Put", .win = win, .target = target, .buffers = {ORIGIN}};
    int rc = mca_hook_ascend_rma_open(&rma);

    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    rc = REAL.Put(rma.buffers[0].buf, count, dtype, TARGET, win);
    return mca_hook_ascend_rma_keep(&rma, rc);
}

int mca_hook_ascend_call_Rput(const void *origin, int count, MPI_Datatype dtype, TARGET_PARAMS,
                              MPI_Win win, MPI_Request *request)
{
    mca_hook_ascend_rma_t rma = {
        .call = "MPI_Rput", .win = win, .target = target, .buffers = {ORIGIN}};
    int rc = mca_hook_ascend_rma_open(&rma);

    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    rc = REAL.Rput(rma.buffers[0].buf, count, dtype, TARGET, win, request);
    return mca_hook_ascend_rma_give(&rma, rc, request);
}

int mca_hook_ascend_call_Get(void *origin, int count, MPI_Datatype dtype, TARGET_PARAMS,
                             MPI_Win win)
{
    mca_hook_ascend_rma_t rma = {.call = "MPI_Get",
                                 .win = win,
                                 .target = target,
                                 .buffers = {{origin, count, dtype, "origin", true}}};
    int rc = mca_hook_ascend_rma_open(&rma);

    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    rc = REAL.Get((void *)rma.buffers[0].buf, count, dtype, TARGET, win);
    return mca_hook_ascend_rma_keep(&rma, rc);
}

int mca_hook_ascend_call_Rget(void *origin, int count, MPI_Datatype dtype, TARGET_PARAMS,
                              MPI_Win win, MPI_Request *request)
{
    mca_hook_ascend_rma_t rma = {.call = "MPI_Rget",
                                 .win = win,
                                 .target = target,
                                 .buffers = {{origin, count, dtype, "origin", true}}};
    int rc = mca_hook_ascend_rma_open(&rma);

    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    rc = REAL.Rget((void *)rma.buffers[0].buf, count, dtype, TARGET, win, request);
    return mca_hook_ascend_rma_give(&rma, rc, request);
}

int mca_hook_ascend_call_Accumulate(const void *origin, int count, MPI_Datatype dtype,
                                    TARGET_PARAMS, MPI_Op op, MPI_Win win)
{
    mca_hook_ascend_rma_t rma = {
        .call = "MPI_Accumulate", .win = win, .target = target, .buffers = {OPERAND}};
    int rc = mca_hook_ascend_rma_open(&rma);

    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    rc = REAL.Accumulate(rma.buffers[0].buf, count, dtype, TARGET, op, win);
    return mca_hook_ascend_rma_keep(&rma, rc);
}

int mca_hook_ascend_call_Raccumulate(const void *origin, int count, MPI_Datatype dtype,
                                     TARGET_PARAMS, MPI_Op op, MPI_Win win, MPI_Request *request)
{
    mca_hook_ascend_rma_t rma = {
        .call = "MPI_Raccumulate", .win = win, .target = target, .buffers = {OPERAND}};
    int rc = mca_hook_ascend_rma_open(&rma);

    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    rc = REAL.Raccumulate(rma.buffers[0].buf, count, dtype, TARGET, op, win, request);
    return mca_hook_ascend_rma_give(&rma, rc, request);
}

int mca_hook_ascend_call_Get_accumulate(const void *origin, int count, MPI_Datatype dtype,
                                        void *result, int result_count, MPI_Datatype result_type,
                                        TARGET_PARAMS, MPI_Op op, MPI_Win win)
{
    mca_hook_ascend_rma_t rma = {
        .call = "MPI_Get_accumulate",
        .win = win,
        .target = target,
        .buffers = {OPERAND, {result, result_count, result_type, "result", true}}};
    int rc = mca_hook_ascend_rma_open(&rma);

    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    rc = REAL.Get_accumulate(rma.buffers[0].buf, count, dtype, (void *)rma.buffers[1].buf,
                             result_count, result_type, TARGET, op, win);
    return mca_hook_ascend_rma_keep(&rma, rc);
}

int mca_hook_ascend_call_Rget_accumulate(const void *origin, int count, MPI_Datatype dtype,
                                         void *result, int result_count, MPI_Datatype result_type,
                                         TARGET_PARAMS, MPI_Op op, MPI_Win win,
                                         MPI_Request *request)
{
    mca_hook_ascend_rma_t rma = {
        .call = "MPI_Rget_accumulate",
        .win = win,
        .target = target,
        .buffers = {OPERAND, {result, result_count, result_type, "result", true}}};
    int rc = mca_hook_ascend_rma_open(&rma);

    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    rc = REAL.Rget_accumulate(rma.buffers[0].buf, count, dtype, (void *)rma.buffers[1].buf,
                              result_count, result_type, TARGET, op, win, request);
    return mca_hook_ascend_rma_give(&rma, rc, request);
}

int mca_hook_ascend_call_Fetch_and_op(const void *origin, void *result, MPI_Datatype dtype,
                                      int target, MPI_Aint disp, MPI_Op op, MPI_Win win)
{
    const int count = 1;
    mca_hook_ascend_rma_t rma = {.call = "MPI_Fetch_and_op",
                                 .win = win,
                                 .target = target,
                                 .buffers = {OPERAND, {result, 1, dtype, "result", true}}};
    int rc = mca_hook_ascend_rma_open(&rma);

    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    rc = REAL.Fetch_and_op(rma.buffers[0].buf, (void *)rma.buffers[1].buf, dtype, target, disp, op,
                           win);
    return mca_hook_ascend_rma_keep(&rma, rc);
}

int mca_hook_ascend_call_Compare_and_swap(const void *origin, const void *compare, void *result,
                                          MPI_Datatype dtype, int target, MPI_Aint disp,
                                          MPI_Win win)
{
    mca_hook_ascend_rma_t rma = {.call = "MPI_Compare_and_swap",
                                 .win = win,
                                 .target = target,
                                 .buffers = {{origin, 1, dtype, "origin", false},
                                             {result, 1, dtype, "result", true},
                                             {compare, 1, dtype, "compare", false}}};
    int rc = mca_hook_ascend_rma_open(&rma);

    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    rc = REAL.Compare_and_swap(rma.buffers[0].buf, rma.buffers[2].buf, (void *)rma.buffers[1].buf,
                               dtype, target, disp, win);
    return mca_hook_ascend_rma_keep(&rma, rc);
}

/* Not one-sided, but as hopeless: Open MPI keeps its own lists in the buffer. */
int mca_hook_ascend_call_Buffer_attach(void *buf, int size)
{
    if (size > 0 && ASC_LINK_MEM_HOST != asc_link_mem_query(buf, 0, NULL)) {
        mca_common_ascend_tell(HELP_FILE, "no attached buffer", buf);
        return OMPI_ERRHANDLER_INVOKE(MPI_COMM_WORLD, MPI_ERR_BUFFER, "MPI_Buffer_attach");
    }
    return REAL.Buffer_attach(buf, size);
}
