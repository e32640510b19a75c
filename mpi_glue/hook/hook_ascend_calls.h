/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * MPI functions in which Open MPI reads, writes or maps the user's buffer
 * itself, so that neither the pml's nor the collectives' functions can protect
 * it; MPI_Sendrecv, so that messages can name it; and MPI_Start, because the
 * buffer may have been freed since it was judged. Calls of the program and
 * of its libraries are redirected by their relocations. One line in the list,
 * one function mca_hook_ascend_call_NAME.
 *
 * Each of those costs one look at the address for a host buffer and then calls
 * the real function, which also judges wrong arguments.
 */
#ifndef MCA_HOOK_ASCEND_CALLS_H
#define MCA_HOOK_ASCEND_CALLS_H

#include "hook_ascend.h"

BEGIN_C_DECLS

/** All of them, without "MPI_", one a line. */
/* clang-format off */
#define MCA_HOOK_ASCEND_CALLS(_call) \
    _call(Sendrecv) \
    _call(Sendrecv_replace) \
    _call(Start) \
    _call(Startall) \
    _call(Buffer_attach) \
    _call(Win_create) \
    _call(Win_attach) \
    _call(Put) \
    _call(Get) \
    _call(Accumulate) \
    _call(Get_accumulate) \
    _call(Fetch_and_op) \
    _call(Compare_and_swap) \
    _call(Rput) \
    _call(Rget) \
    _call(Raccumulate) \
    _call(Rget_accumulate) \
    _call(Pack) \
    _call(Unpack) \
    _call(Pack_external) \
    _call(Unpack_external) \
    _call(File_read) \
    _call(File_write) \
    _call(File_read_all) \
    _call(File_write_all) \
    _call(File_read_shared) \
    _call(File_write_shared) \
    _call(File_read_ordered) \
    _call(File_write_ordered) \
    _call(File_read_at) \
    _call(File_write_at) \
    _call(File_read_at_all) \
    _call(File_write_at_all) \
    _call(File_iread) \
    _call(File_iwrite) \
    _call(File_iread_all) \
    _call(File_iwrite_all) \
    _call(File_iread_shared) \
    _call(File_iwrite_shared) \
    _call(File_iread_at) \
    _call(File_iwrite_at) \
    _call(File_iread_at_all) \
    _call(File_iwrite_at_all) \
    _call(File_read_all_begin) \
    _call(File_write_all_begin) \
    _call(File_read_ordered_begin) \
    _call(File_write_ordered_begin) \
    _call(File_read_at_all_begin) \
    _call(File_write_at_all_begin)
/* clang-format on */

typedef struct mca_hook_ascend_real {
#define MCA_HOOK_ASCEND_MEMBER(_name) __typeof__(MPI_##_name) *_name;
    MCA_HOOK_ASCEND_CALLS(MCA_HOOK_ASCEND_MEMBER)
#undef MCA_HOOK_ASCEND_MEMBER
} mca_hook_ascend_real_t;

/** Open MPI's own functions; complete before anything is redirected. */
extern mca_hook_ascend_real_t mca_hook_ascend_real;

#define MCA_HOOK_ASCEND_DECLARE(_name) __typeof__(MPI_##_name) mca_hook_ascend_call_##_name;
MCA_HOOK_ASCEND_CALLS(MCA_HOOK_ASCEND_DECLARE)
#undef MCA_HOOK_ASCEND_DECLARE

/**
 * Port to UCX's relocation patcher for processes in which the UCX module has
 * not given one to link/ (not built, not loaded, another pml).
 * @param symbol must stay valid.
 * @return false when this process has none that can be trusted.
 */
bool mca_hook_ascend_patch(const char *symbol, void *replacement);

END_C_DECLS

#endif
