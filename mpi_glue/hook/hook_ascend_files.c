/* SPDX-License-Identifier: BSD-3-Clause */
/* Files: system calls read and write the buffer, and fail on device memory with
 * a bad address, so it is refused with a reason. */
#include "hook_ascend_calls.h"

#include "ompi/errhandler/errhandler.h"
#include "ompi/file/file.h"

#include "mpi_glue/common/common_ascend_tell.h"

#define REAL mca_hook_ascend_real

static int refuse(MPI_File file, const char *call, const void *buf, int count, MPI_Datatype dtype)
{
    mca_common_ascend_layout_t layout;

    if (count <= 0 || NULL == dtype || MPI_DATATYPE_NULL == dtype || ompi_file_invalid(file)) {
        return OMPI_SUCCESS;
    }
    mca_common_ascend_layout_simple(&layout, buf, (size_t)count, dtype);
    if (OPAL_LIKELY(ASC_LINK_MEM_HOST == mca_common_ascend_layout_kind(&layout))) {
        return OMPI_SUCCESS;
    }
    mca_common_ascend_tell("help-hook-ascend.txt", "no file", call, buf);
    return OMPI_ERRHANDLER_INVOKE(file, MPI_ERR_BUFFER, call);
}

/* _before, _after: what the function takes before the buffer and after the type. */
#define FILE_CALL(_name, _buf, _before, _before_args, _after, _after_args) \
    int mca_hook_ascend_call_File_##_name(MPI_File file _before, _buf, int count, \
                                          MPI_Datatype dtype _after) \
    { \
        int rc = refuse(file, "MPI_File_" #_name, buf, count, dtype); \
\
        return (OMPI_SUCCESS != rc) \
                   ? rc \
                   : REAL.File_##_name(file _before_args, buf, count, dtype _after_args); \
    }

#define NONE
#define AT_PARAM                 , MPI_Offset at
#define AT                       , at
#define STATUS_PARAM             , MPI_Status *status
#define STATUS                   , status
#define REQUEST_PARAM            , MPI_Request *request
#define REQUEST                  , request

#define BLOCKING(_name, _buf)    FILE_CALL(_name, _buf, NONE, NONE, STATUS_PARAM, STATUS)
#define BLOCKING_AT(_name, _buf) FILE_CALL(_name, _buf, AT_PARAM, AT, STATUS_PARAM, STATUS)
#define STARTING(_name, _buf)    FILE_CALL(_name, _buf, NONE, NONE, REQUEST_PARAM, REQUEST)
#define STARTING_AT(_name, _buf) FILE_CALL(_name, _buf, AT_PARAM, AT, REQUEST_PARAM, REQUEST)
#define SPLIT(_name, _buf)       FILE_CALL(_name, _buf, NONE, NONE, NONE, NONE)
#define SPLIT_AT(_name, _buf)    FILE_CALL(_name, _buf, AT_PARAM, AT, NONE, NONE)

BLOCKING(read, void *buf)
BLOCKING(write, const void *buf)
BLOCKING(read_all, void *buf)
BLOCKING(write_all, const void *buf)
BLOCKING(read_shared, void *buf)
BLOCKING(write_shared, const void *buf)
BLOCKING(read_ordered, void *buf)
BLOCKING(write_ordered, const void *buf)
BLOCKING_AT(read_at, void *buf)
BLOCKING_AT(write_at, const void *buf)
BLOCKING_AT(read_at_all, void *buf)
BLOCKING_AT(write_at_all, const void *buf)
STARTING(iread, void *buf)
STARTING(iwrite, const void *buf)
STARTING(iread_all, void *buf)
STARTING(iwrite_all, const void *buf)
STARTING(iread_shared, void *buf)
STARTING(iwrite_shared, const void *buf)
STARTING_AT(iread_at, void *buf)
STARTING_AT(iwrite_at, const void *buf)
STARTING_AT(iread_at_all, void *buf)
STARTING_AT(iwrite_at_all, const void *buf)
SPLIT(read_all_begin, void *buf)
SPLIT(write_all_begin, const void *buf)
SPLIT(read_ordered_begin, void *buf)
SPLIT(write_ordered_begin, const void *buf)
SPLIT_AT(read_at_all_begin, void *buf)
SPLIT_AT(write_at_all_begin, const void *buf)
