/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One-sided calls: Open MPI lets the CPU, or system calls of the peer, touch
 * windows and origin buffers. With device memory those fail again and again
 * and the job never ends, so it is refused.
 */
#include "hook_ascend_calls.h"

#include "ompi/errhandler/errhandler.h"
#include "ompi/op/op.h"
#include "ompi/win/win.h"

#include "mpi_glue/common/common_ascend_tell.h"

#define HELP_FILE "help-hook-ascend.txt"

#define REAL      mca_hook_ascend_real

/* A window handle or type that is wrong is left to the real function. */
static int refuse(MPI_Win win, const char *call, const char *argument, const void *buf, int count,
                  MPI_Datatype dtype)
{
    const mca_common_ascend_names_t names = {call, argument};
    mca_common_ascend_layout_t layout;
    asc_link_mem_kind_t kind;

    if (count <= 0 || NULL == dtype || MPI_DATATYPE_NULL == dtype || ompi_win_invalid(win)) {
        return OMPI_SUCCESS;
    }
    mca_common_ascend_layout_simple(&layout, buf, (size_t)count, dtype);
    kind = mca_common_ascend_layout_kind(&layout);
    if (OPAL_LIKELY(ASC_LINK_MEM_HOST == kind)) {
        return OMPI_SUCCESS;
    }
    if (ASC_LINK_MEM_BAD == kind) {
        (void)mca_common_ascend_bad_pointer(buf, &names);
    } else {
        mca_common_ascend_tell(HELP_FILE, "no one-sided", call, argument, buf);
    }
    return OMPI_ERRHANDLER_INVOKE(win, MPI_ERR_BUFFER, call);
}

/* What MPI_NO_OP does not read may be anything. */
static int refuse_operand(MPI_Win win, MPI_Op op, const char *call, const void *buf, int count,
                          MPI_Datatype dtype)
{
    return (MPI_NO_OP == op) ? OMPI_SUCCESS : refuse(win, call, "origin", buf, count, dtype);
}

int mca_hook_ascend_call_Win_create(void *base, MPI_Aint size, int disp_unit, MPI_Info info,
                                    MPI_Comm comm, MPI_Win *win)
{
    if (size > 0 && !ompi_comm_invalid(comm) &&
        ASC_LINK_MEM_HOST != asc_link_mem_query(base, 0, NULL)) {
        mca_common_ascend_tell(HELP_FILE, "no window", "MPI_Win_create", base);
        return OMPI_ERRHANDLER_INVOKE(comm, MPI_ERR_BUFFER, "MPI_Win_create");
    }
    return REAL.Win_create(base, size, disp_unit, info, comm, win);
}

int mca_hook_ascend_call_Win_attach(MPI_Win win, void *base, MPI_Aint size)
{
    if (size > 0 && !ompi_win_invalid(win) &&
        ASC_LINK_MEM_HOST != asc_link_mem_query(base, 0, NULL)) {
        mca_common_ascend_tell(HELP_FILE, "no window", "MPI_Win_attach", base);
        return OMPI_ERRHANDLER_INVOKE(win, MPI_ERR_BUFFER, "MPI_Win_attach");
    }
    return REAL.Win_attach(win, base, size);
}

#define TARGET_PARAMS int target, MPI_Aint disp, int target_count, MPI_Datatype target_type
#define TARGET        target, disp, target_count, target_type

int mca_hook_ascend_call_Put(const void *origin, int count, MPI_Datatype dtype, TARGET_PARAMS,
                             MPI_Win win)
{
    int rc = refuse(win, "MPI_Put", "origin", origin, count, dtype);

    return (OMPI_SUCCESS != rc) ? rc : REAL.Put(origin, count, dtype, TARGET, win);
}

int mca_hook_ascend_call_Get(void *origin, int count, MPI_Datatype dtype, TARGET_PARAMS,
                             MPI_Win win)
{
    int rc = refuse(win, "MPI_Get", "origin", origin, count, dtype);

    return (OMPI_SUCCESS != rc) ? rc : REAL.Get(origin, count, dtype, TARGET, win);
}

int mca_hook_ascend_call_Accumulate(const void *origin, int count, MPI_Datatype dtype,
                                    TARGET_PARAMS, MPI_Op op, MPI_Win win)
{
    int rc = refuse_operand(win, op, "MPI_Accumulate", origin, count, dtype);

    return (OMPI_SUCCESS != rc) ? rc : REAL.Accumulate(origin, count, dtype, TARGET, op, win);
}

int mca_hook_ascend_call_Rput(const void *origin, int count, MPI_Datatype dtype, TARGET_PARAMS,
                              MPI_Win win, MPI_Request *request)
{
    int rc = refuse(win, "MPI_Rput", "origin", origin, count, dtype);

    return (OMPI_SUCCESS != rc) ? rc : REAL.Rput(origin, count, dtype, TARGET, win, request);
}

int mca_hook_ascend_call_Rget(void *origin, int count, MPI_Datatype dtype, TARGET_PARAMS,
                              MPI_Win win, MPI_Request *request)
{
    int rc = refuse(win, "MPI_Rget", "origin", origin, count, dtype);

    return (OMPI_SUCCESS != rc) ? rc : REAL.Rget(origin, count, dtype, TARGET, win, request);
}

int mca_hook_ascend_call_Raccumulate(const void *origin, int count, MPI_Datatype dtype,
                                     TARGET_PARAMS, MPI_Op op, MPI_Win win, MPI_Request *request)
{
    int rc = refuse_operand(win, op, "MPI_Raccumulate", origin, count, dtype);

    return (OMPI_SUCCESS != rc) ? rc
                                : REAL.Raccumulate(origin, count, dtype, TARGET, op, win, request);
}

int mca_hook_ascend_call_Get_accumulate(const void *origin, int count, MPI_Datatype dtype,
                                        void *result, int result_count, MPI_Datatype result_type,
                                        TARGET_PARAMS, MPI_Op op, MPI_Win win)
{
    int rc = refuse_operand(win, op, "MPI_Get_accumulate", origin, count, dtype);

    if (OMPI_SUCCESS == rc) {
        rc = refuse(win, "MPI_Get_accumulate", "result", result, result_count, result_type);
    }
    return (OMPI_SUCCESS != rc) ? rc
                                : REAL.Get_accumulate(origin, count, dtype, result, result_count,
                                                      result_type, TARGET, op, win);
}

int mca_hook_ascend_call_Rget_accumulate(const void *origin, int count, MPI_Datatype dtype,
                                         void *result, int result_count, MPI_Datatype result_type,
                                         TARGET_PARAMS, MPI_Op op, MPI_Win win,
                                         MPI_Request *request)
{
    int rc = refuse_operand(win, op, "MPI_Rget_accumulate", origin, count, dtype);

    if (OMPI_SUCCESS == rc) {
        rc = refuse(win, "MPI_Rget_accumulate", "result", result, result_count, result_type);
    }
    return (OMPI_SUCCESS != rc) ? rc
                                : REAL.Rget_accumulate(origin, count, dtype, result, result_count,
                                                       result_type, TARGET, op, win, request);
}

int mca_hook_ascend_call_Fetch_and_op(const void *origin, void *result, MPI_Datatype dtype,
                                      int target, MPI_Aint disp, MPI_Op op, MPI_Win win)
{
    int rc = refuse_operand(win, op, "MPI_Fetch_and_op", origin, 1, dtype);

    if (OMPI_SUCCESS == rc) {
        rc = refuse(win, "MPI_Fetch_and_op", "result", result, 1, dtype);
    }
    return (OMPI_SUCCESS != rc) ? rc
                                : REAL.Fetch_and_op(origin, result, dtype, target, disp, op, win);
}

int mca_hook_ascend_call_Compare_and_swap(const void *origin, const void *compare, void *result,
                                          MPI_Datatype dtype, int target, MPI_Aint disp,
                                          MPI_Win win)
{
    int rc = refuse(win, "MPI_Compare_and_swap", "origin", origin, 1, dtype);

    if (OMPI_SUCCESS == rc) {
        rc = refuse(win, "MPI_Compare_and_swap", "compare", compare, 1, dtype);
    }
    if (OMPI_SUCCESS == rc) {
        rc = refuse(win, "MPI_Compare_and_swap", "result", result, 1, dtype);
    }
    return (OMPI_SUCCESS != rc)
               ? rc
               : REAL.Compare_and_swap(origin, compare, result, dtype, target, disp, win);
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
