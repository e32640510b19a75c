/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Device buffers in one-sided calls on windows of host memory, which belong to
 * Open MPI's own components: the call is made with a copy in pinned host memory,
 * which is kept until the window is synchronised, and brought back then where
 * the call writes it.
 */
#ifndef MCA_HOOK_ASCEND_WINDOW_H
#define MCA_HOOK_ASCEND_WINDOW_H

#include "hook_ascend_calls.h"

#include "ompi/win/win.h"

BEGIN_C_DECLS

#define MCA_HOOK_ASCEND_BUFFERS 3

/** A buffer argument. */
typedef struct mca_hook_ascend_buffer {
    const void *buf; /**< replaced by its copy */
    int count;
    MPI_Datatype dtype; /**< MPI_DATATYPE_NULL: there is none */
    const char *argument;
    bool receives;
} mca_hook_ascend_buffer_t;

typedef struct mca_hook_ascend_staged mca_hook_ascend_staged_t;

/** A one-sided call, from its arguments to its end. */
typedef struct mca_hook_ascend_rma {
    const char *call;
    MPI_Win win;
    int target;
    mca_hook_ascend_buffer_t buffers[MCA_HOOK_ASCEND_BUFFERS];
    mca_hook_ascend_staged_t *staged; /**< NULL: the buffers are as they were */
} mca_hook_ascend_rma_t;

/** Does osc/ascend serve windows here? */
bool mca_hook_ascend_windows(void);

/** Is it osc/ascend's window? */
bool mca_hook_ascend_owns(const ompi_win_t *win);

/**
 * Puts copies in place of device buffers. Costs a look at each address where
 * all are host memory; arguments that are wrong are left to the real function.
 * @return MPI_SUCCESS, or what the window's error handler gave.
 */
int mca_hook_ascend_rma_open(mca_hook_ascend_rma_t *rma);

/** After the real call, which gave @a rc: keeps the copies as long as they are
 *  needed. @return @a rc, or an error of this function. */
int mca_hook_ascend_rma_keep(mca_hook_ascend_rma_t *rma, int rc);

/** The same for calls with requests: *request becomes one that also brings the
 *  results back. */
int mca_hook_ascend_rma_give(mca_hook_ascend_rma_t *rma, int rc, MPI_Request *request);

END_C_DECLS

#endif
