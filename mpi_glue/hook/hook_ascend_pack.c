/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Pack, MPI_Unpack and the external forms: the CPU packs, so device memory
 * on either side is staged. */
#include "hook_ascend_calls.h"

#include "ompi/errhandler/errhandler.h"

#define REAL mca_hook_ascend_real

typedef struct move {
    const char *call;
    mca_common_ascend_layout_t from, to;
    mca_common_ascend_stage_t in, out;
} move_t;

static const mca_common_ascend_layout_t no_layout;

/* With arguments that are wrong anyway the real function may say so. */
static bool may_stage(int count, MPI_Datatype dtype, const void *packed, MPI_Aint size,
                      MPI_Aint position)
{
    return count > 0 && NULL != dtype && MPI_DATATYPE_NULL != dtype && NULL != packed &&
           position >= 0 && position < size;
}

/* The side of the type, and the packed bytes that the call can use at most. */
static bool is_ours(move_t *move, const char *call, bool packs, const void *buf, int count,
                    MPI_Datatype dtype, const void *packed, MPI_Aint size, MPI_Aint position)
{
    mca_common_ascend_layout_t typed, bytes;

    if (!may_stage(count, dtype, packed, size, position)) {
        return false;
    }
    mca_common_ascend_layout_simple(&typed, buf, (size_t)count, dtype);
    mca_common_ascend_layout_simple(&bytes, (const char *)packed + position, 1, MPI_BYTE);
    if (OPAL_LIKELY(ASC_LINK_MEM_HOST == mca_common_ascend_layout_kind(&typed) &&
                    ASC_LINK_MEM_HOST == mca_common_ascend_layout_kind(&bytes))) {
        return false;
    }
    *move = (move_t){.call = call, .from = packs ? typed : bytes, .to = packs ? bytes : typed};
    return true;
}

/* Not all that is left of the packed buffer: a buffer of many pieces would be
 * copied as often as it has pieces. */
static void limit_packed(mca_common_ascend_layout_t *bytes, MPI_Aint left, MPI_Aint needed)
{
    bytes->count = (size_t)((needed < left) ? needed : left);
}

static int open_side(mca_common_ascend_stage_t *stage, const mca_common_ascend_use_t *use,
                     const mca_common_ascend_names_t *names)
{
    if (ASC_LINK_MEM_HOST == mca_common_ascend_use_kind(use)) {
        *stage = (mca_common_ascend_stage_t){.use = *use};
        return OMPI_SUCCESS;
    }
    return mca_common_ascend_stage_open(stage, use, names);
}

static void close_sides(move_t *move)
{
    mca_common_ascend_stage_close(&move->in);
    mca_common_ascend_stage_close(&move->out);
}

static int open_sides(move_t *move)
{
    const mca_common_ascend_names_t in_names = {move->call, "input"},
                                    out_names = {move->call, "output"};
    const mca_common_ascend_use_t in = {move->from, no_layout}, out = {no_layout, move->to};
    int rc;

    mca_common_ascend_note_device_use();
    rc = open_side(&move->in, &in, &in_names);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    rc = open_side(&move->out, &out, &out_names);
    if (OMPI_SUCCESS == rc) {
        rc = mca_common_ascend_copy_in(&move->in, 1);
    }
    if (OMPI_SUCCESS != rc) {
        close_sides(move);
    }
    return rc;
}

/* @a limit: bytes that were written to the output. */
static int finish(move_t *move, int rc, size_t limit)
{
    if (OMPI_SUCCESS == rc) {
        rc = mca_common_ascend_copy_out(&move->out, 1, limit);
    }
    close_sides(move);
    return rc;
}

int mca_hook_ascend_call_Pack(const void *in, int count, MPI_Datatype dtype, void *out, int size,
                              int *position, MPI_Comm comm)
{
    move_t move;
    int rc, needed, at = 0;

    if (NULL == position || ompi_comm_invalid(comm) ||
        !is_ours(&move, "MPI_Pack", true, in, count, dtype, out, size, *position)) {
        return REAL.Pack(in, count, dtype, out, size, position, comm);
    }
    rc = PMPI_Pack_size(count, dtype, comm, &needed);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    limit_packed(&move.to, size - *position, needed);
    rc = open_sides(&move);
    if (OMPI_SUCCESS != rc) {
        return OMPI_ERRHANDLER_INVOKE(comm, rc, move.call);
    }
    rc = REAL.Pack(mca_common_ascend_stage_host(&move.in), count, dtype,
                   mca_common_ascend_stage_host(&move.out), size - *position, &at, comm);
    if (OMPI_SUCCESS != rc) {
        close_sides(&move);
        return rc;
    }
    rc = finish(&move, rc, (size_t)at);
    *position += (OMPI_SUCCESS == rc) ? at : 0;
    OMPI_ERRHANDLER_RETURN(rc, comm, rc, move.call);
}

int mca_hook_ascend_call_Unpack(const void *in, int size, int *position, void *out, int count,
                                MPI_Datatype dtype, MPI_Comm comm)
{
    move_t move;
    int rc, needed, at = 0;

    if (NULL == position || ompi_comm_invalid(comm) ||
        !is_ours(&move, "MPI_Unpack", false, out, count, dtype, in, size, *position)) {
        return REAL.Unpack(in, size, position, out, count, dtype, comm);
    }
    rc = PMPI_Pack_size(count, dtype, comm, &needed);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    limit_packed(&move.from, size - *position, needed);
    rc = open_sides(&move);
    if (OMPI_SUCCESS != rc) {
        return OMPI_ERRHANDLER_INVOKE(comm, rc, move.call);
    }
    rc = REAL.Unpack(mca_common_ascend_stage_host(&move.in), (int)move.from.count, &at,
                     mca_common_ascend_stage_host(&move.out), count, dtype, comm);
    if (OMPI_SUCCESS != rc) {
        close_sides(&move);
        return rc;
    }
    rc = finish(&move, rc, SIZE_MAX);
    *position += (OMPI_SUCCESS == rc) ? at : 0;
    OMPI_ERRHANDLER_RETURN(rc, comm, rc, move.call);
}

int mca_hook_ascend_call_Pack_external(const char datarep[], const void *in, int count,
                                       MPI_Datatype dtype, void *out, MPI_Aint size,
                                       MPI_Aint *position)
{
    MPI_Aint needed, at = 0;
    move_t move;
    int rc;

    if (NULL == position ||
        !is_ours(&move, "MPI_Pack_external", true, in, count, dtype, out, size, *position)) {
        return REAL.Pack_external(datarep, in, count, dtype, out, size, position);
    }
    rc = PMPI_Pack_external_size(datarep, count, dtype, &needed);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    limit_packed(&move.to, size - *position, needed);
    rc = open_sides(&move);
    if (OMPI_SUCCESS != rc) {
        return OMPI_ERRHANDLER_INVOKE(MPI_COMM_WORLD, rc, move.call);
    }
    rc = REAL.Pack_external(datarep, mca_common_ascend_stage_host(&move.in), count, dtype,
                            mca_common_ascend_stage_host(&move.out), size - *position, &at);
    if (OMPI_SUCCESS != rc) {
        close_sides(&move);
        return rc;
    }
    rc = finish(&move, rc, (size_t)at);
    *position += (OMPI_SUCCESS == rc) ? at : 0;
    OMPI_ERRHANDLER_RETURN(rc, MPI_COMM_WORLD, rc, move.call);
}

int mca_hook_ascend_call_Unpack_external(const char datarep[], const void *in, MPI_Aint size,
                                         MPI_Aint *position, void *out, int count,
                                         MPI_Datatype dtype)
{
    MPI_Aint needed, at = 0;
    move_t move;
    int rc;

    if (NULL == position ||
        !is_ours(&move, "MPI_Unpack_external", false, out, count, dtype, in, size, *position)) {
        return REAL.Unpack_external(datarep, in, size, position, out, count, dtype);
    }
    rc = PMPI_Pack_external_size(datarep, count, dtype, &needed);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    limit_packed(&move.from, size - *position, needed);
    rc = open_sides(&move);
    if (OMPI_SUCCESS != rc) {
        return OMPI_ERRHANDLER_INVOKE(MPI_COMM_WORLD, rc, move.call);
    }
    rc = REAL.Unpack_external(datarep, mca_common_ascend_stage_host(&move.in),
                              (MPI_Aint)move.from.count, &at,
                              mca_common_ascend_stage_host(&move.out), count, dtype);
    if (OMPI_SUCCESS != rc) {
        close_sides(&move);
        return rc;
    }
    rc = finish(&move, rc, SIZE_MAX);
    *position += (OMPI_SUCCESS == rc) ? at : 0;
    OMPI_ERRHANDLER_RETURN(rc, MPI_COMM_WORLD, rc, move.call);
}
