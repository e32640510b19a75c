/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * coll/ascend: collectives that take device buffers.
 *
 * A call whose buffers are all in host memory goes straight to the function
 * that the communicator had before. A call with a device buffer is staged:
 * its data is copied to pinned host memory, the same function is called on
 * that, and the results are copied back. So every rank makes the same calls
 * below us in the same order, whatever kind of memory each of them has, and
 * nothing needs to be agreed on. Plans, which run on the devices, come with
 * plan/ and will decide before mca_coll_ascend_run() stages.
 *
 * Copies are cut in pieces and both buffers move at once. The saved function
 * itself is not called in pieces: a rank with host buffers makes one call, and
 * a device rank cannot know that its peers have device buffers too.
 */
#ifndef MCA_COLL_ASCEND_H
#define MCA_COLL_ASCEND_H

#include "ompi_config.h"

#include "mpi.h"
#include "ompi/constants.h"
#include "ompi/communicator/communicator.h"
#include "ompi/mca/coll/base/base.h"
#include "ompi/mca/coll/coll.h"
#include "ompi/proc/proc.h"

#include "mpi_glue/common/common_ascend.h"

BEGIN_C_DECLS

/* Every slot of a communicator's table that is saved and installed: those that
 * take a buffer, and the blocking barrier, which is only recorded. */
#define MCA_COLL_ASCEND_SLOTS_OF(X, _prefix, _suffix) \
    X(_prefix##allgather##_suffix) \
    X(_prefix##allgatherv##_suffix) \
    X(_prefix##alltoall##_suffix) \
    X(_prefix##alltoallv##_suffix) \
    X(_prefix##alltoallw##_suffix)
#define MCA_COLL_ASCEND_SLOTS_ALL(X, _prefix, _suffix) \
    MCA_COLL_ASCEND_SLOTS_OF(X, _prefix, _suffix) \
    X(_prefix##allreduce##_suffix) \
    X(_prefix##bcast##_suffix) \
    X(_prefix##exscan##_suffix) \
    X(_prefix##gather##_suffix) \
    X(_prefix##gatherv##_suffix) \
    X(_prefix##reduce##_suffix) \
    X(_prefix##reduce_scatter##_suffix) \
    X(_prefix##reduce_scatter_block##_suffix) \
    X(_prefix##scan##_suffix) \
    X(_prefix##scatter##_suffix) \
    X(_prefix##scatterv##_suffix)
#define MCA_COLL_ASCEND_SLOTS(X) \
    MCA_COLL_ASCEND_SLOTS_ALL(X, , ) \
    MCA_COLL_ASCEND_SLOTS_ALL(X, i, ) \
    MCA_COLL_ASCEND_SLOTS_ALL(X, , _init) \
    MCA_COLL_ASCEND_SLOTS_OF(X, neighbor_, ) \
    MCA_COLL_ASCEND_SLOTS_OF(X, ineighbor_, ) \
    MCA_COLL_ASCEND_SLOTS_OF(X, neighbor_, _init) \
    X(barrier) \
    X(reduce_local)

typedef struct mca_coll_ascend_component {
    mca_coll_base_component_2_0_0_t super;
    bool enable;
    bool check; /**< compare the records of calls */
    int priority;
    int verbose;
    int output;
} mca_coll_ascend_component_t;

OMPI_DECLSPEC extern mca_coll_ascend_component_t mca_coll_ascend_component;

typedef struct mca_coll_ascend_module {
    mca_coll_base_module_t super;
    mca_coll_base_comm_coll_t lower; /**< what the communicator had before us */
    bool records;                    /**< its blocking calls are recorded */
    bool peers_known;                /**< local peers were opened */
    bool unchecked;                  /**< a peer was found to post nothing */
    bool told;                       /**< a difference was reported */
    uint32_t context;                /**< context id, once something is posted */
    uint32_t posted;                 /**< sequence number of the last record, 0: none */
    uint64_t born;                   /**< when the module was made, for the records */
    int npeers;
    const void **mails; /**< mail areas by rank, NULL where not to be read */
} mca_coll_ascend_module_t;

OBJ_CLASS_DECLARATION(mca_coll_ascend_module_t);

mca_coll_base_module_t *mca_coll_ascend_comm_query(struct ompi_communicator_t *comm, int *priority);

/** Each sets the slots of its family. */
void mca_coll_ascend_install_allgather(mca_coll_base_module_t *module);
void mca_coll_ascend_install_alltoall(mca_coll_base_module_t *module);
void mca_coll_ascend_install_barrier(mca_coll_base_module_t *module);
void mca_coll_ascend_install_bcast(mca_coll_base_module_t *module);
void mca_coll_ascend_install_gather(mca_coll_base_module_t *module);
void mca_coll_ascend_install_neighbor_allgather(mca_coll_base_module_t *module);
void mca_coll_ascend_install_neighbor_alltoall(mca_coll_base_module_t *module);
void mca_coll_ascend_install_reduce(mca_coll_base_module_t *module);
void mca_coll_ascend_install_reduce_scatter(mca_coll_base_module_t *module);
void mca_coll_ascend_install_scan(mca_coll_base_module_t *module);
void mca_coll_ascend_install_scatter(mca_coll_base_module_t *module);

/* ----------------------------------------------------------- a call ------ */

typedef enum mca_coll_ascend_form {
    MCA_COLL_ASCEND_BLOCKING,
    MCA_COLL_ASCEND_NONBLOCKING,
    MCA_COLL_ASCEND_PERSISTENT,
    MCA_COLL_ASCEND_FORMS
} mca_coll_ascend_form_t;

/**
 * The arguments of one call of any collective. Staging replaces sbuf and rbuf
 * before the saved function is called. Reductions have their count and type on
 * the receive side, bcast has its buffer there.
 */
typedef struct mca_coll_ascend_call {
    const struct mca_coll_ascend_family *family;
    mca_coll_ascend_form_t form;
    bool staged; /**< sbuf or rbuf is a host copy */
    const void *sbuf;
    void *rbuf;
    int scount, rcount;
    struct ompi_datatype_t *sdtype, *rdtype;
    const int *scounts, *sdispls, *rcounts, *rdispls;
    const MPI_Aint *sadispls, *radispls;
    struct ompi_datatype_t *const *sdtypes, *const *rdtypes;
    struct ompi_op_t *op;
    int root;
    struct ompi_communicator_t *comm; /**< NULL for reduce_local */
    struct ompi_info_t *info;
    ompi_request_t **request;
    mca_coll_base_module_t *module;
} mca_coll_ascend_call_t;

/** The collectives; values travel in records. mca_coll_ascend_traits[] says
 *  what is particular to each where data do not matter. */
typedef enum mca_coll_ascend_kind {
    MCA_COLL_ASCEND_NONE,
    MCA_COLL_ASCEND_ALLGATHER,
    MCA_COLL_ASCEND_ALLGATHERV,
    MCA_COLL_ASCEND_ALLREDUCE,
    MCA_COLL_ASCEND_ALLTOALL,
    MCA_COLL_ASCEND_ALLTOALLV,
    MCA_COLL_ASCEND_ALLTOALLW,
    MCA_COLL_ASCEND_BARRIER,
    MCA_COLL_ASCEND_BCAST,
    MCA_COLL_ASCEND_EXSCAN,
    MCA_COLL_ASCEND_GATHER,
    MCA_COLL_ASCEND_GATHERV,
    MCA_COLL_ASCEND_NEIGHBOR_ALLGATHER,
    MCA_COLL_ASCEND_NEIGHBOR_ALLGATHERV,
    MCA_COLL_ASCEND_NEIGHBOR_ALLTOALL,
    MCA_COLL_ASCEND_NEIGHBOR_ALLTOALLV,
    MCA_COLL_ASCEND_NEIGHBOR_ALLTOALLW,
    MCA_COLL_ASCEND_REDUCE,
    MCA_COLL_ASCEND_REDUCE_LOCAL,
    MCA_COLL_ASCEND_REDUCE_SCATTER,
    MCA_COLL_ASCEND_REDUCE_SCATTER_BLOCK,
    MCA_COLL_ASCEND_SCAN,
    MCA_COLL_ASCEND_SCATTER,
    MCA_COLL_ASCEND_SCATTERV,
    MCA_COLL_ASCEND_KINDS
} mca_coll_ascend_kind_t;

/** Whose arrival a rank's call waits for in any case. */
typedef enum mca_coll_ascend_watch {
    MCA_COLL_ASCEND_WATCH_NONE,
    MCA_COLL_ASCEND_WATCH_ALL,
    MCA_COLL_ASCEND_WATCH_LOWER,  /**< ranks below */
    MCA_COLL_ASCEND_WATCH_ROOT,   /**< all but the root for the root */
    MCA_COLL_ASCEND_WATCH_LEAVES, /**< the root for all others */
} mca_coll_ascend_watch_t;

/** What MPI wants equal. */
typedef enum mca_coll_ascend_match {
    MCA_COLL_ASCEND_MATCH_NONE,   /**< nothing that one number could tell */
    MCA_COLL_ASCEND_MATCH_EQUAL,  /**< the bytes on all ranks */
    MCA_COLL_ASCEND_MATCH_BLOCKS, /**< what is sent to a rank and what that receives */
} mca_coll_ascend_match_t;

typedef struct mca_coll_ascend_trait {
    const char *names[MCA_COLL_ASCEND_FORMS]; /**< the MPI functions, by form */
    mca_coll_ascend_watch_t watch;
    mca_coll_ascend_match_t match;
    bool rooted;
    bool reduces;
} mca_coll_ascend_trait_t;

/** By kind. */
extern const mca_coll_ascend_trait_t mca_coll_ascend_traits[MCA_COLL_ASCEND_KINDS];

/** What is particular to one collective's data. */
typedef struct mca_coll_ascend_family {
    mca_coll_ascend_kind_t kind;

    /** Says which data the call reads and writes on this rank. The uses are
     *  zeroed: what is not significant here is left alone. Must be cheap, for
     *  it runs for host buffers, too. */
    void (*describe)(const mca_coll_ascend_call_t *call, mca_common_ascend_use_t *send,
                     mca_common_ascend_use_t *recv);

    /** Calls the saved function of call->form. */
    int (*invoke)(const mca_coll_ascend_call_t *call);
} mca_coll_ascend_family_t;

/** Passes the call on or stages it. */
int mca_coll_ascend_run(mca_coll_ascend_call_t *call);

static inline const mca_coll_base_comm_coll_t *
mca_coll_ascend_lower(const mca_coll_ascend_call_t *call)
{
    return &((const mca_coll_ascend_module_t *)call->module)->lower;
}

/** Ranks that one side of a collective exchanges data with. */
static inline int mca_coll_ascend_peers(const mca_coll_ascend_call_t *call)
{
    return OMPI_COMM_IS_INTER(call->comm) ? ompi_comm_remote_size(call->comm)
                                          : ompi_comm_size(call->comm);
}

/** Is this rank the one that has the root's arguments? */
static inline bool mca_coll_ascend_is_root(const mca_coll_ascend_call_t *call)
{
    return OMPI_COMM_IS_INTER(call->comm) ? MPI_ROOT == call->root
                                          : ompi_comm_rank(call->comm) == call->root;
}

/** Does this rank have the arguments of a rank that is not root? (On the root
 *  of an intracommunicator both are true.) */
static inline bool mca_coll_ascend_is_leaf(const mca_coll_ascend_call_t *call)
{
    return OMPI_COMM_IS_INTRA(call->comm) || call->root >= 0;
}

/** Equal blocks of count elements, one after the other. */
static inline void mca_coll_ascend_blocks(mca_common_ascend_layout_t *layout, const void *buf,
                                          int nblocks, int count, struct ompi_datatype_t *dtype)
{
    *layout = (mca_common_ascend_layout_t){
        .buf = buf, .nblocks = 1, .count = (size_t)count * (size_t)nblocks, .dtype = dtype};
}

/** A block for each rank, as v-variants give them. */
static inline void mca_coll_ascend_vector(mca_common_ascend_layout_t *layout, const void *buf,
                                          int nblocks, const int *counts, const int *displs,
                                          struct ompi_datatype_t *dtype)
{
    *layout = (mca_common_ascend_layout_t){
        .buf = buf, .nblocks = nblocks, .dtype = dtype, .counts = counts, .displs = displs};
}

/** One block at @a displ extents. */
static inline void mca_coll_ascend_own_block(mca_common_ascend_layout_t *layout, const void *buf,
                                             ptrdiff_t displ, int count,
                                             struct ompi_datatype_t *dtype)
{
    ptrdiff_t lb, extent;

    (void)ompi_datatype_get_extent(dtype, &lb, &extent);
    mca_common_ascend_layout_simple(layout, (const char *)buf + displ * extent, (size_t)count,
                                    dtype);
}

/* ------------------------------------------------------------- modex ----- */

/** Publishes who this process is; before the fence of MPI_Init. */
int mca_coll_ascend_modex_send(void);

/** The address that @a name has published; false when it published none. */
bool mca_coll_ascend_modex_addr(const opal_process_name_t *name, asc_link_addr_t *addr);

/** Opens the peers of @a comm on this node, so that link/ knows them before
 *  the first export. Failures are silent: such pairs use other paths.
 *  @param mails gets the mail area of each rank of the local group, or NULL
 *         for the process itself and for those that have none; may be NULL. */
void mca_coll_ascend_open_peers(struct ompi_communicator_t *comm, const void **mails);

/** PMIx behind link/asc_oob.h. */
void mca_coll_ascend_oob_plug(void);
void mca_coll_ascend_oob_unplug(void);

/** Name of the process with that uid, from the modex of the local processes. */
bool mca_coll_ascend_find_uid(uint64_t uid, opal_process_name_t *name);

void mca_coll_ascend_modex_close(void);

END_C_DECLS

#endif
