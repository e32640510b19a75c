/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI functions in which Open MPI reads or maps the user's buffer itself, so
 * that neither the pml's nor the collectives' functions can protect it. Calls
 * of the program and of its libraries are redirected by their relocations.
 */
#include "hook_ascend.h"

#include <dlfcn.h>

#include "ompi/errhandler/errhandler.h"

#include "mpi_glue/common/common_ascend_tell.h"

static __typeof__(MPI_Sendrecv_replace) *real_sendrecv_replace;
static __typeof__(MPI_Win_create)       *real_win_create;

static const mca_common_ascend_names_t replace_names = {"MPI_Sendrecv_replace", "message"};

static bool replace_is_ours(const mca_common_ascend_layout_t *layout, int count,
                            struct ompi_datatype_t *dtype, struct ompi_communicator_t *comm)
{
    return count > 0 && NULL != dtype && MPI_DATATYPE_NULL != dtype && !ompi_comm_invalid(comm) &&
           ASC_LINK_MEM_HOST != mca_common_ascend_layout_kind(layout);
}

static asc_status_t stage_copy(mca_common_ascend_stage_t *stage, bool in, size_t limit)
{
    mca_common_ascend_copies_t copies;

    mca_common_ascend_copies_init(&copies);
    if (in) {
        mca_common_ascend_stage_in(stage, &copies);
    } else {
        mca_common_ascend_stage_out(stage, limit, &copies);
    }
    return mca_common_ascend_copies_wait(&copies);
}

/* Open MPI packs the message with the CPU before it is sent. */
static int call_sendrecv_replace(void *buf, int count, MPI_Datatype dtype, int dst, int send_tag,
                                 int src, int recv_tag, MPI_Comm comm, MPI_Status *status)
{
    MPI_Status                got = ompi_status_empty;
    mca_common_ascend_stage_t stage;
    mca_common_ascend_use_t   use;
    asc_status_t              copied;
    int                       rc;

    mca_common_ascend_layout_simple(&use.in, buf, (size_t)count, dtype);
    if (!replace_is_ours(&use.in, count, dtype, comm)) {
        return real_sendrecv_replace(buf, count, dtype, dst, send_tag, src, recv_tag, comm, status);
    }
    mca_common_ascend_note_device_use();
    use.out = use.in;
    rc = mca_common_ascend_stage_open(&stage, &use, &replace_names);
    if (OMPI_SUCCESS != rc) {
        return OMPI_ERRHANDLER_INVOKE(comm, rc, replace_names.call);
    }
    copied = stage_copy(&stage, true, 0);
    if (ASC_OK == copied) {
        rc = real_sendrecv_replace(mca_common_ascend_stage_host(&stage), count, dtype, dst,
                                   send_tag, src, recv_tag, comm, &got);
        if (OMPI_SUCCESS == rc) {
            copied = stage_copy(&stage, false, got._ucount);
        }
        if (MPI_STATUS_IGNORE != status) {
            OMPI_COPY_STATUS(status, got, false);
        }
    }
    mca_common_ascend_stage_close(&stage);
    if (ASC_OK != copied) {
        rc = mca_common_ascend_copy_failed(copied, &replace_names);
        return OMPI_ERRHANDLER_INVOKE(comm, rc, replace_names.call);
    }
    return rc;
}

/* Without this the peers' system calls fail on the window for ever. */
static int call_win_create(void *base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm,
                           MPI_Win *win)
{
    if (size > 0 && !ompi_comm_invalid(comm) &&
        ASC_LINK_MEM_HOST != asc_link_mem_query(base, 0, NULL)) {
        mca_common_ascend_tell("help-hook-ascend.txt", "no window", base);
        return OMPI_ERRHANDLER_INVOKE(comm, MPI_ERR_BUFFER, "MPI_Win_create");
    }
    return real_win_create(base, size, disp_unit, info, comm, win);
}

static void redirect(const char *name, const char *profiling_name, void *replacement)
{
    (void)asc_link_redirect(name, replacement);
    (void)asc_link_redirect(profiling_name, replacement);
}

void mca_hook_ascend_redirect_calls(void)
{
    static bool done;

    *(void **)&real_sendrecv_replace = dlsym(RTLD_DEFAULT, "PMPI_Sendrecv_replace");
    *(void **)&real_win_create = dlsym(RTLD_DEFAULT, "PMPI_Win_create");
    if (done || NULL == real_sendrecv_replace || NULL == real_win_create) {
        return;
    }
    done = true;
    redirect("MPI_Sendrecv_replace", "PMPI_Sendrecv_replace", (void *)call_sendrecv_replace);
    redirect("MPI_Win_create", "PMPI_Win_create", (void *)call_win_create);
}
