/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * osc/ascend: windows on device memory. Every rank describes its memory in a
 * shared segment; origins then read and write it by themselves, with copies
 * between the devices where it can be imported. Locks and counters are in the
 * segment, too, so no target has to call MPI for a put, a get, a lock or an
 * accumulate on device memory that can be imported.
 *
 * Chosen for MPI_Win_create where a rank's memory is device memory, and for
 * MPI_Win_create_dynamic. All ranks have to be on one node.
 *
 * Thread rules: a module's functions may be called by several threads at once.
 */
#ifndef MCA_OSC_ASCEND_H
#define MCA_OSC_ASCEND_H

#include "ompi_config.h"

#include "ompi/mca/osc/osc.h"
#include "ompi/op/op.h"
#include "ompi/win/win.h"
#include "opal/threads/mutex.h"

#include "mpi_glue/common/common_ascend.h"
#include "mpi_glue/common/common_ascend_packed.h"

BEGIN_C_DECLS

/* --------------------------------------------------------- component ---- */

typedef struct mca_osc_ascend_component {
    ompi_osc_base_component_t super;
    const ompi_osc_base_module_t *functions; /**< of its windows, by which hook/ knows them */
    bool dynamic;                            /**< variable osc_ascend_dynamic */
    bool kernel;                             /**< osc_ascend_kernel */
    int verbose;                             /**< osc_ascend_verbose */
    int output;
} mca_osc_ascend_component_t;

OMPI_DECLSPEC extern mca_osc_ascend_component_t mca_osc_ascend_component;

/* ------------------------------------------------------------ shared ---- */

/** Where a rank's memory is. In the shared segment, written by its owner. */
typedef struct mca_osc_ascend_region {
    uint64_t version; /**< odd while it is being written */
    uint64_t base, size;
    uint64_t offer;  /**< of host memory, see asc_link_relay_offer() */
    uint32_t kind;   /**< asc_link_mem_kind_t */
    uint32_t in_use; /**< 0: nothing is attached here */
    unsigned char rkey[ASC_LINK_RKEY_SIZE];
} mca_osc_ascend_region_t;

/** Memory that a rank can attach to a dynamic window. */
#define MCA_OSC_ASCEND_ATTACHED 64

/** A rank's state, a cache line of the shared segment. */
typedef struct mca_osc_ascend_state {
    int32_t lock;       /**< shared holders, or -1: held exclusively */
    int32_t accumulate; /**< 1 while somebody updates the rank's memory */
    int32_t completes;  /**< origins that have called MPI_Win_complete */
    int32_t pad[13];
} mca_osc_ascend_state_t;

/* ------------------------------------------------------------ module ---- */

/** Why a target may be accessed, beside fences and MPI_Win_lock_all. */
typedef enum mca_osc_ascend_epoch {
    MCA_OSC_ASCEND_NONE,
    MCA_OSC_ASCEND_STARTED,
    MCA_OSC_ASCEND_LOCKED, /**< with MPI_MODE_NOCHECK: nothing to release */
    MCA_OSC_ASCEND_SHARED,
    MCA_OSC_ASCEND_EXCLUSIVE
} mca_osc_ascend_epoch_t;

/** A copy under way. */
typedef struct mca_osc_ascend_pending {
    struct mca_osc_ascend_pending *next;
    int target;
    asc_link_op_t op;
    asc_status_t status;
    ompi_request_t *request; /**< NULL: completed by synchronisation alone */
} mca_osc_ascend_pending_t;

typedef struct mca_osc_ascend_module {
    ompi_osc_base_module_t super;
    struct mca_osc_ascend_module *next; /**< list of all */
    ompi_win_t *win;
    ompi_communicator_t *comm;
    int rank, size;
    bool dynamic;
    int nregions; /**< of a rank */
    int *units;   /**< displacement units */
    asc_link_peer_t **peers;
    asc_link_addr_t *addrs;

    ompi_win_t *segment; /**< shared memory that the next three lie in */
    mca_osc_ascend_state_t *states;
    mca_osc_ascend_region_t *regions;
    int32_t *posts; /**< [origin][target]: exposures that origin may start */

    opal_mutex_t lock; /**< of what follows */
    mca_osc_ascend_pending_t *pending;
    asc_status_t failed; /**< of a copy since the last synchronisation */
    bool fenced;
    mca_osc_ascend_epoch_t all; /**< by MPI_Win_lock_all */
    mca_osc_ascend_epoch_t *epochs;
    bool started, posted;
    int nposted; /**< origins in the group of MPI_Win_post */
} mca_osc_ascend_module_t;

static inline mca_osc_ascend_module_t *mca_osc_ascend_of(const ompi_win_t *win)
{
    return (mca_osc_ascend_module_t *)win->w_osc_module;
}

/** Creates a window's module; collective. */
int mca_osc_ascend_select(struct ompi_win_t *win, void **base, size_t size, int disp_unit,
                          struct ompi_communicator_t *comm, struct opal_info_t *info, int flavor,
                          int *model);
int mca_osc_ascend_free(struct ompi_win_t *win);

/* ----------------------------------------------------------- regions ---- */

int mca_osc_ascend_attach(struct ompi_win_t *win, void *base, size_t size);
int mca_osc_ascend_detach(struct ompi_win_t *win, const void *base);

/** Publishes memory of this rank in a free region.
 *  @return OMPI_SUCCESS, MPI_ERR_BUFFER (nobody has been told) or MPI_ERR_RMA_ATTACH */
int mca_osc_ascend_region_open(mca_osc_ascend_module_t *module, void *base, size_t size);

/** Takes all regions of this rank back. */
void mca_osc_ascend_regions_close(mca_osc_ascend_module_t *module);

static inline bool mca_osc_ascend_holds(const mca_osc_ascend_region_t *region, uint64_t address,
                                        size_t len)
{
    return address >= region->base && address - region->base <= region->size &&
           len <= region->size - (address - region->base);
}

/** Copies the region of @a target that holds the bytes to @a region. */
bool mca_osc_ascend_region_find(const mca_osc_ascend_module_t *module, int target, uint64_t address,
                                size_t len, mca_osc_ascend_region_t *region);

/* ------------------------------------------------------------ copies ---- */

/** A copy between local memory and contiguous bytes of a target. */
typedef struct mca_osc_ascend_copy {
    int target;
    uint64_t remote;
    void *local; /**< host or device memory */
    size_t len;
    bool put;
} mca_osc_ascend_copy_t;

/** The way to memory of a target, kept from one copy to the next; zeroed at first. */
typedef struct mca_osc_ascend_route {
    bool open;
    mca_osc_ascend_region_t region;
    asc_link_import_t *import; /**< NULL: there is none */
} mca_osc_ascend_route_t;

/** Starts a copy, by @a route if that leads there, else by another, which becomes
 *  the route. ASC_INPROGRESS: test @a op; ASC_OK: it is over; ASC_ERR_STALE: there is
 *  no such memory (any more). Waits for a place where too many that need the target's
 *  part are under way; those of the caller are @a others, or NULL. */
asc_status_t mca_osc_ascend_copy_start(const mca_osc_ascend_module_t *module,
                                       mca_osc_ascend_route_t *route,
                                       const mca_osc_ascend_copy_t *copy,
                                       mca_common_ascend_copies_t *others, asc_link_op_t *op);
void mca_osc_ascend_route_close(mca_osc_ascend_route_t *route);

/** Waits for a copy whose start gave @a status. */
asc_status_t mca_osc_ascend_copy_end(asc_status_t status, asc_link_op_t *op);

/** The MPI error class for a failed copy. */
int mca_osc_ascend_error(asc_status_t status);

/* ------------------------------------------------------------- sides ---- */

/**
 * An origin, result or compare buffer as contiguous bytes. A zeroed one is not
 * open.
 */
typedef struct mca_osc_ascend_side {
    const void *buf;
    size_t count, bytes;
    struct ompi_datatype_t *dtype;
    void *message; /**< the bytes */
    bool in_place; /**< they are in the buffer itself */
    bool sends;
    void *memory; /**< host copy of a buffer with gaps */
    bool pageable;
    mca_common_ascend_packed_t packed; /**< device buffers */
    mca_common_ascend_stage_t stage;   /**< those that cannot be packed */
} mca_osc_ascend_side_t;

/** @param may MAY_DEVICE or MAY_HOST. Fills the message if the side @a sends. */
int mca_osc_ascend_side_open(mca_osc_ascend_side_t *side, const void *buf, size_t count,
                             struct ompi_datatype_t *dtype, mca_common_ascend_may_t may, bool sends,
                             const mca_common_ascend_names_t *names);
/** Brings the message into the buffer of a side that receives. */
int mca_osc_ascend_side_drain(mca_osc_ascend_side_t *side);
void mca_osc_ascend_side_close(mca_osc_ascend_side_t *side);

/** Packs host memory into contiguous bytes, or unpacks them. */
int mca_osc_ascend_convert(void *buf, size_t count, struct ompi_datatype_t *dtype, void *bytes,
                           size_t len, bool pack);

/** Pinned host memory, or pageable memory where there is none. */
void *mca_osc_ascend_memory_get(size_t size, const char *call, bool *pageable);
void mca_osc_ascend_memory_put(void *memory, size_t size, bool pageable);

/* ------------------------------------------------------------ target ---- */

/** The target's arguments of a call. */
typedef struct mca_osc_ascend_target {
    int rank;
    uint64_t address;
    size_t count, bytes;
    struct ompi_datatype_t *dtype;
    size_t runs;    /**< of contiguous bytes */
    uint64_t first; /**< address of the first one */
} mca_osc_ascend_target_t;

/** Fills it and checks that the rank may be accessed and that all bytes are in
 *  its memory. @return OMPI_SUCCESS or an MPI error class. */
int mca_osc_ascend_target_open(const mca_osc_ascend_module_t *module,
                               mca_osc_ascend_target_t *target, int rank, ptrdiff_t disp,
                               size_t count, struct ompi_datatype_t *dtype);

/** Copies between contiguous local bytes and the target's, and waits. */
int mca_osc_ascend_target_move(const mca_osc_ascend_module_t *module,
                               const mca_osc_ascend_target_t *target, void *message, bool put);

/* ----------------------------------------------------------- pending ---- */

/** Progress of all windows, from the first to the last one. */
void mca_osc_ascend_progress_add(mca_osc_ascend_module_t *module);
void mca_osc_ascend_progress_remove(mca_osc_ascend_module_t *module);

/** Adds a copy under way. With @a request, which names a complete one, its own is
 *  made; where that fails the copy is waited for. */
void mca_osc_ascend_pending_add(mca_osc_ascend_module_t *module, mca_osc_ascend_pending_t *pending,
                                ompi_request_t **request);

/** Looks at the copies under way in all windows; returns how many requests it has
 *  completed. */
int mca_osc_ascend_poll(void);

#define MCA_OSC_ASCEND_ALL (-1)

/** Waits for the copies from and to @a target, or all.
 *  @return an MPI error class if one of them failed since the last call. */
int mca_osc_ascend_wait_for(mca_osc_ascend_module_t *module, int target);

/* ------------------------------------------------------------- calls ---- */

int mca_osc_ascend_put(const void *origin, int count, struct ompi_datatype_t *dtype, int target,
                       ptrdiff_t disp, int target_count, struct ompi_datatype_t *target_type,
                       struct ompi_win_t *win);
int mca_osc_ascend_get(void *origin, int count, struct ompi_datatype_t *dtype, int target,
                       ptrdiff_t disp, int target_count, struct ompi_datatype_t *target_type,
                       struct ompi_win_t *win);
int mca_osc_ascend_rput(const void *origin, int count, struct ompi_datatype_t *dtype, int target,
                        ptrdiff_t disp, int target_count, struct ompi_datatype_t *target_type,
                        struct ompi_win_t *win, ompi_request_t **request);
int mca_osc_ascend_rget(void *origin, int count, struct ompi_datatype_t *dtype, int target,
                        ptrdiff_t disp, int target_count, struct ompi_datatype_t *target_type,
                        struct ompi_win_t *win, ompi_request_t **request);
int mca_osc_ascend_accumulate(const void *origin, int count, struct ompi_datatype_t *dtype,
                              int target, ptrdiff_t disp, int target_count,
                              struct ompi_datatype_t *target_type, struct ompi_op_t *op,
                              struct ompi_win_t *win);
int mca_osc_ascend_raccumulate(const void *origin, int count, struct ompi_datatype_t *dtype,
                               int target, ptrdiff_t disp, int target_count,
                               struct ompi_datatype_t *target_type, struct ompi_op_t *op,
                               struct ompi_win_t *win, ompi_request_t **request);
int mca_osc_ascend_get_accumulate(const void *origin, int count, struct ompi_datatype_t *dtype,
                                  void *result, int result_count,
                                  struct ompi_datatype_t *result_type, int target, ptrdiff_t disp,
                                  int target_count, struct ompi_datatype_t *target_type,
                                  struct ompi_op_t *op, struct ompi_win_t *win);
int mca_osc_ascend_rget_accumulate(const void *origin, int count, struct ompi_datatype_t *dtype,
                                   void *result, int result_count,
                                   struct ompi_datatype_t *result_type, int target, ptrdiff_t disp,
                                   int target_count, struct ompi_datatype_t *target_type,
                                   struct ompi_op_t *op, struct ompi_win_t *win,
                                   ompi_request_t **request);
int mca_osc_ascend_fetch_and_op(const void *origin, void *result, struct ompi_datatype_t *dtype,
                                int target, ptrdiff_t disp, struct ompi_op_t *op,
                                struct ompi_win_t *win);
int mca_osc_ascend_compare_and_swap(const void *origin, const void *compare, void *result,
                                    struct ompi_datatype_t *dtype, int target, ptrdiff_t disp,
                                    struct ompi_win_t *win);

int mca_osc_ascend_fence(int assert, struct ompi_win_t *win);
int mca_osc_ascend_start(struct ompi_group_t *group, int assert, struct ompi_win_t *win);
int mca_osc_ascend_complete(struct ompi_win_t *win);
int mca_osc_ascend_post(struct ompi_group_t *group, int assert, struct ompi_win_t *win);
int mca_osc_ascend_wait(struct ompi_win_t *win);
int mca_osc_ascend_test(struct ompi_win_t *win, int *flag);
int mca_osc_ascend_lock(int type, int target, int assert, struct ompi_win_t *win);
int mca_osc_ascend_unlock(int target, struct ompi_win_t *win);
int mca_osc_ascend_lock_all(int assert, struct ompi_win_t *win);
int mca_osc_ascend_unlock_all(struct ompi_win_t *win);
int mca_osc_ascend_sync(struct ompi_win_t *win);
int mca_osc_ascend_flush(int target, struct ompi_win_t *win);
int mca_osc_ascend_flush_all(struct ompi_win_t *win);

/** May @a target be accessed now? */
bool mca_osc_ascend_may_access(const mca_osc_ascend_module_t *module, int target);

END_C_DECLS

#endif
