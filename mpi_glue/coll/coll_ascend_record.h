/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Records of collective calls: what a rank called, for its peers to compare.
 *
 * Every blocking collective on an intracommunicator of several ranks leaves a
 * record in its process's mail area (link/asc_link.h); a rank with a device
 * buffer reads those of the ranks that its call waits for anyway and gives an
 * error where they do not fit, instead of calling the saved function. Not
 * recorded are
 * - nonblocking and persistent calls: Open MPI makes such calls itself, from
 *   progress, when a communicator is duplicated by MPI_Comm_idup, so their
 *   order among blocking ones may differ between the ranks of a right program;
 * - calls that a saved function makes (HAN does);
 * - intercommunicators, and calls that Open MPI ends above us (count 0).
 *
 * The area is 64 buckets of 8 records; communicators whose context ids differ
 * by a multiple of 64 share a bucket. A reader that finds another one's record,
 * or one that is newer, does without the check.
 */
#ifndef MCA_COLL_ASCEND_RECORD_H
#define MCA_COLL_ASCEND_RECORD_H

#include "coll_ascend.h"

BEGIN_C_DECLS

#define MCA_COLL_ASCEND_BUCKETS         64
#define MCA_COLL_ASCEND_RING            8

/** How long a peer's record is waited for. A peer that calls comes into the
 *  saved function as late as that, so this only bounds the wait for one that
 *  calls nothing that leaves a record. */
#define MCA_COLL_ASCEND_RECORD_WAIT_MS  10000

/** How long a rank that gives an error waits for the others to have read its
 *  record, before it goes on and perhaps frees the communicator. */
#define MCA_COLL_ASCEND_RECORD_LEAVE_MS 2000

/** Op of a record when it is not a predefined one: their handles are local. */
#define MCA_COLL_ASCEND_OP_USER         UINT32_MAX

/** What a record says. Bytes are those of the data, without gaps. */
typedef union mca_coll_ascend_facts {
    struct {
        uint64_t sent;     /**< to each rank, where the match has use for it */
        uint64_t received; /**< from each; count x type where there is one count */
        uint32_t type;     /**< set of basic types received, as opal's bdt_used */
        union {
            uint32_t op;        /**< reductions: index of the operation */
            uint32_t sent_type; /**< others: set of basic types sent */
        };
        int32_t root;
        uint16_t kind;  /**< mca_coll_ascend_kind_t */
        uint8_t failed; /**< this rank gives an error and calls nothing */
        uint8_t device; /**< this rank has a device buffer */
    };
    uint64_t words[4];
} mca_coll_ascend_facts_t;

/** A record: one cache line, written by one process. */
typedef struct mca_coll_ascend_record {
    uint64_t tag; /**< (context id + 1) << 32 | sequence number; 0: none. Number 0: the
                       communicator is freed here. Last. */
    uint64_t words[4];
    uint64_t decided; /**< the tag, once its writer gives an error for the call */
    uint64_t ended;   /**< when it was freed */
    uint64_t reserved;
} mca_coll_ascend_record_t;

/** A call's own record, kept for the comparison. */
typedef struct mca_coll_ascend_posted {
    uint64_t tag;
    uint64_t born; /**< the module's */
    mca_coll_ascend_facts_t facts;
    bool late; /**< a peer's record did not come in time */
} mca_coll_ascend_posted_t;

/** Is the call one that leaves a record? */
static inline bool mca_coll_ascend_recorded(const mca_coll_ascend_call_t *call)
{
    return MCA_COLL_ASCEND_BLOCKING == call->form && NULL != call->comm &&
           ((const mca_coll_ascend_module_t *)call->module)->records;
}

/** Takes the communicator's next sequence number and writes the record. A few
 *  stores. */
void mca_coll_ascend_record_post(const mca_coll_ascend_call_t *call, bool device, bool failed,
                                 mca_coll_ascend_posted_t *posted);

/**
 * For a rank with a device buffer, after its post: waits for the records of
 * those that the call needs and compares.
 * @param rc how staging ended on this rank.
 * @return @a rc if that is an error; else an MPI error class, after telling the
 *         user, when the saved function must not be called.
 */
int mca_coll_ascend_record_check(const mca_coll_ascend_call_t *call,
                                 mca_coll_ascend_posted_t *posted, int rc);

/** After the saved function: no more waits for peers that post nothing. */
void mca_coll_ascend_record_done(const mca_coll_ascend_call_t *call,
                                 const mca_coll_ascend_posted_t *posted);

/**
 * A communicator's end: ranks that are not through its last calls yet find that
 * this one is, and do without the check. A later communicator may have the same
 * context id; its ranks tell its end from an earlier one's by the time.
 */
void mca_coll_ascend_record_end(const mca_coll_ascend_module_t *module);

/** Nanoseconds of the node's clock. */
uint64_t mca_coll_ascend_record_now(void);

END_C_DECLS

#endif
