/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * What hook/ascend and coll/ascend share: judging a buffer, staging it through
 * pinned host memory, and requests whose last step is a copy to the device.
 * Linked into each component, so a component has its own list of requests.
 *
 * Thread rules: everything here may be called by several threads at once, on
 * different objects. No lock is held while a copy or an MPI call runs.
 */
#ifndef MCA_COMMON_ASCEND_H
#define MCA_COMMON_ASCEND_H

#include "ompi_config.h"

#include "ompi/constants.h"
#include "ompi/communicator/communicator.h"
#include "ompi/datatype/ompi_datatype.h"
#include "ompi/mca/coll/base/coll_base_util.h"
#include "ompi/request/request.h"
#include "opal/mca/base/mca_base_var.h"

#include "link/asc_link.h"

BEGIN_C_DECLS

/* -------------------------------------------------------- process ------- */

/** Registers a variable that the user may set to 0 or 1; its default is the
 *  value that it has. */
void mca_common_ascend_register_flag(const mca_base_component_t *component, const char *name,
                                     const char *help, mca_base_var_info_lvl_t level, bool *value);

/**
 * Start of a component's open: where the help texts are (ASCEND_HELP_DIR, else
 * where they are installed), its stream for verbosity @a verbose.
 * @return false when this Open MPI is not of the series (4.1) that the component
 *         was built for, after telling the user and naming both versions.
 */
bool mca_common_ascend_open(const char *component, int verbose, int *output);

/** End of its close; no progress of its requests after that. */
void mca_common_ascend_close(int *output);

/** Name of the pml in use, "" before it is chosen. */
const char *mca_common_ascend_pml_name(void);

/**
 * To be called where device memory is met: when pml/ucx is not in use, says
 * once that messages are copied through host memory and which flags change it
 * (unless hook_ascend_warn_pml is 0).
 */
void mca_common_ascend_note_device_use(void);

/* --------------------------------------------------------- layout ------- */

/**
 * Where the data of one buffer argument lies: @a nblocks blocks, block i being
 * count(i) elements of type(i) at buf + offset(i), each taken from the most
 * special member that is not NULL. Arrays and types belong to the caller and
 * must live as long as the layout is used.
 */
typedef struct mca_common_ascend_layout {
    const void *buf;
    int nblocks;  /**< 0: the argument is not significant */
    size_t count; /**< elements in a block */
    struct ompi_datatype_t *dtype;
    const int *counts;       /**< elements of each block */
    const int *displs;       /**< in extents; with dtypes: in bytes */
    const MPI_Aint *adispls; /**< in bytes */
    struct ompi_datatype_t *const *dtypes;
} mca_common_ascend_layout_t;

/** One buffer of @a count elements. */
static inline void mca_common_ascend_layout_simple(mca_common_ascend_layout_t *layout,
                                                   const void *buf, size_t count,
                                                   struct ompi_datatype_t *dtype)
{
    *layout =
        (mca_common_ascend_layout_t){.buf = buf, .nblocks = 1, .count = count, .dtype = dtype};
}

/** Calls @a emit for every run of contiguous bytes, neighbours joined, in the
 *  order of the type map; stops at its first result other than 0 and returns it.
 *  @return OMPI_ERROR (below 0) when Open MPI cannot walk the type. */
typedef int (*mca_common_ascend_emit_fn_t)(void *ctx, char *address, size_t len);
int mca_common_ascend_layout_walk(const mca_common_ascend_layout_t *layout,
                                  mca_common_ascend_emit_fn_t emit, void *ctx);

/**
 * Is the data in device memory? Judged by its first byte alone, except with
 * MPI_BOTTOM, where every run is looked at. Nothing is asked and HOST is the
 * answer when there is no byte at all. Costs one asc_link_mem_query for host
 * memory.
 */
asc_link_mem_kind_t mca_common_ascend_layout_kind(const mca_common_ascend_layout_t *layout);

/* -------------------------------------------------------- staging ------- */

/** Copies under way, at most so many at once; more wait for room. */
#define MCA_COMMON_ASCEND_COPIES 16

typedef struct mca_common_ascend_copies {
    asc_link_op_t ops[MCA_COMMON_ASCEND_COPIES];
    uint32_t busy; /**< bit i: ops[i] is under way */
    asc_status_t status;
} mca_common_ascend_copies_t;

/**
 * One buffer argument of a call. What is in `in` has to be readable by the
 * saved function, what is in `out` is written by it. Both name the same
 * buffer and may be empty.
 */
typedef struct mca_common_ascend_use {
    mca_common_ascend_layout_t in;
    mca_common_ascend_layout_t out;
} mca_common_ascend_use_t;

/** How a call and its argument are called in messages. */
typedef struct mca_common_ascend_names {
    const char *call;
    const char *argument;
} mca_common_ascend_names_t;

typedef struct mca_common_ascend_stage {
    mca_common_ascend_use_t use;
    mca_common_ascend_names_t names;
    void *memory; /**< pinned if that can be had, NULL when not staged */
    size_t memory_size;
    bool pageable;   /**< memory could not be pinned */
    uintptr_t shift; /**< host address = device address + shift */
} mca_common_ascend_stage_t;

/** HOST, DEVICE or BAD for a use. */
asc_link_mem_kind_t mca_common_ascend_use_kind(const mca_common_ascend_use_t *use);

/**
 * Gets host memory for a device buffer. Checks that all of its bytes lie in
 * live device memory (or host memory).
 * @return OMPI_SUCCESS, or an MPI error class after telling the user why.
 */
int mca_common_ascend_stage_open(mca_common_ascend_stage_t *stage,
                                 const mca_common_ascend_use_t *use,
                                 const mca_common_ascend_names_t *names);

/** Does the buffer still lie in live memory? For persistent requests, whose
 *  buffer may have been freed since. @return as stage_open. */
int mca_common_ascend_stage_check(const mca_common_ascend_stage_t *stage);

/** What to hand to the saved function in place of the user's pointer. */
void *mca_common_ascend_stage_host(const mca_common_ascend_stage_t *stage);

/** Starts the copies of `out` to the device: at most @a limit bytes, in the
 *  order of the type map. */
void mca_common_ascend_stage_out(mca_common_ascend_stage_t *stage, size_t limit,
                                 mca_common_ascend_copies_t *copies);

/**
 * Copies `in` of the @a n stages of a call to the host, or their `out` to the
 * device, side by side, and waits. Stages that are not open do not matter.
 * @return OMPI_SUCCESS, or an MPI error class after telling the user why.
 */
int mca_common_ascend_copy_in(mca_common_ascend_stage_t *stages, int n);
int mca_common_ascend_copy_out(mca_common_ascend_stage_t *stages, int n, size_t limit);

/** Gives the memory back; harmless when not open. */
void mca_common_ascend_stage_close(mca_common_ascend_stage_t *stage);

/** Says once that staging memory of @a size bytes could not be pinned. */
void mca_common_ascend_not_pinned(const char *call, size_t size, asc_status_t status);

void mca_common_ascend_copies_init(mca_common_ascend_copies_t *copies);

/** Starts asc_link_copy_rows_start() as one of the copies. */
void mca_common_ascend_copies_rows(mca_common_ascend_copies_t *copies, const asc_link_rows_t *rows,
                                   size_t n);

/** Waits for all. @return OMPI_SUCCESS, or as mca_common_ascend_copy_failed(). */
int mca_common_ascend_copies_end(mca_common_ascend_copies_t *copies,
                                 const mca_common_ascend_names_t *names);
/** ASC_INPROGRESS until all copies are over, then the first error or ASC_OK. */
asc_status_t mca_common_ascend_copies_test(mca_common_ascend_copies_t *copies);

/** Tells the user that copying failed in @a names; gives the MPI error class. */
int mca_common_ascend_copy_failed(asc_status_t status, const mca_common_ascend_names_t *names);

/** asc_link_init() for a component, remembered for the next function. */
asc_status_t mca_common_ascend_init(void);

/**
 * Whether buffers of this process may be device memory: link/ works, or it
 * declined (a wrong setting, a wrong library) although a runtime is in the
 * process or was asked for. Then buffers still must be told apart: they are
 * staged or refused, never touched by the CPU.
 */
bool mca_common_ascend_active(void);

/** Tells the user about a bad pointer; gives MPI_ERR_BUFFER. */
int mca_common_ascend_bad_pointer(const void *address, const mca_common_ascend_names_t *names);

/* -------------------------------------------------------- packing ------- */

typedef enum mca_common_ascend_where {
    MCA_COMMON_ASCEND_IN_PLACE,  /**< the buffer has no gaps inside */
    MCA_COMMON_ASCEND_ON_DEVICE, /**< in device memory of the pool */
    MCA_COMMON_ASCEND_ON_HOST
} mca_common_ascend_where_t;

/** See common_ascend_packed.h; a zeroed one is not open. */
typedef struct mca_common_ascend_packed {
    struct mca_common_ascend_map *map; /**< one reference */
    const char *buf;
    void *message;
    mca_common_ascend_where_t where;
    bool sends, pageable;
    mca_common_ascend_names_t names;
} mca_common_ascend_packed_t;

/* ------------------------------------------------------- requests ------- */

#define MCA_COMMON_ASCEND_STAGES 2

/**
 * A request around an inner one that works on staged buffers. Derives from
 * the class that the MPI layer expects of every collective's request.
 */
typedef struct mca_common_ascend_request {
    ompi_coll_base_nbc_request_t super;
    struct mca_common_ascend_request *next; /**< active list, then the list of freed ones */
    ompi_request_t *inner;
    mca_common_ascend_stage_t stages[MCA_COMMON_ASCEND_STAGES];
    mca_common_ascend_packed_t packed; /**< in place of the stages, p2p only */
    mca_common_ascend_copies_t copies;
    mca_common_ascend_names_t names;
    struct ompi_datatype_t *dtype;    /**< retained, p2p only */
    struct ompi_communicator_t *comm; /**< retained */
    bool p2p;                         /**< inner's status is the receive's */
    bool copying;                     /**< inner is over, copies to the device run */
} mca_common_ascend_request_t;

OBJ_CLASS_DECLARATION(mca_common_ascend_request_t);

/** New inactive request; retains @a comm. NULL when out of memory. */
mca_common_ascend_request_t *mca_common_ascend_request_new(struct ompi_communicator_t *comm,
                                                           bool persistent);

/**
 * The last step of the call that made it. @a rc is how posting the inner
 * request ended: with an error the request is dropped, else it becomes the
 * user's, under way unless it is persistent.
 * @return @a rc
 */
int mca_common_ascend_request_give(mca_common_ascend_request_t *request, int rc,
                                   ompi_request_t **user);

/** req_start of persistent ones. */
int mca_common_ascend_request_start(size_t count, ompi_request_t **requests);

/** Stops progress. */
void mca_common_ascend_requests_close(void);

END_C_DECLS

#endif
