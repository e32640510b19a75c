/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * What is inside an asc_link_op_t: a position in a stream, marked by an event,
 * and what to do once it is reached.
 */
#ifndef LINK_OP_H
#define LINK_OP_H

#include "link/asc_link.h"
#include "link/stream.h"

typedef struct link_op link_op_t;

/**
 * Called once by asc_link_op_test() when the event has fired (@a status
 * ASC_OK) or the stream has failed, with the event already given back. May
 * start a next phase with link_op_start() and return ASC_INPROGRESS; else its
 * result is the op's. A phase that is in no stream (stream NULL) is asked by
 * every test, with ASC_INPROGRESS, until it returns something else.
 */
typedef asc_status_t (*link_op_finish_fn)(link_op_t *op, asc_status_t status);

struct link_op {
    link_stream_t *stream; /**< NULL: in no stream, finish is asked */
    aclrtEvent event;
    link_op_finish_fn finish; /**< NULL: nothing to do */
    void *arg[3];             /**< for finish, as the next two */
    uint64_t len;
    uint32_t flags;
    uint32_t polls;
    uint32_t quiet; /**< the one who started it tells of its failure; 0 after start */
    aclError error; /**< of the runtime, when finish is told of a failure; 0: none */
};

_Static_assert(sizeof(struct link_op) <= sizeof(asc_link_op_t), "op must fit its door");

/**
 * Records an event behind what is in @a stream now and fills @a op except for
 * arg, len and flags. The stream's context must be current (link_ctx_enter).
 * @return ASC_INPROGRESS, or ASC_ERR_ACL (logged; nothing to test, and what is
 *         in the stream goes on).
 */
asc_status_t link_op_mark(link_op_t *op, link_stream_t *stream, link_op_finish_fn finish);

/** The same for copies: where no event can be had, waits for the stream.
 *  @return ASC_OK then; on ASC_ERR_ACL nothing is left in the stream. */
asc_status_t link_op_start(link_op_t *op, link_stream_t *stream, link_op_finish_fn finish);

/** Waits for @a op at most @a timeout_ms, polling. ASC_ERR_TIMEOUT: still
 *  under way; test it later. */
asc_status_t link_op_wait(link_op_t *op, unsigned timeout_ms);

/** Milliseconds of the monotonic clock. */
uint64_t link_now_ms(void);

#endif
