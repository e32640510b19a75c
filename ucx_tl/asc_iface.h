/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Base class of both transports: copies under way in a queue that progress
 * polls, flushes in their midst, and requests that wait for room.
 *
 * Everything here runs under the UCX worker's lock.
 */
#ifndef UCT_ASC_IFACE_H
#define UCT_ASC_IFACE_H

#include "asc_perf.h"

#include <ucs/datastruct/mpool.h>
#include <ucs/datastruct/queue.h>

typedef struct uct_asc_iface_config {
    uct_iface_config_t super;
    uct_asc_perf_config_t perf;
    unsigned max_poll;
} uct_asc_iface_config_t;

typedef struct uct_asc_progress {
    unsigned wanted; /* UCX's flags */
    int awake;       /* atomic; stays */
    int id;          /* in the worker's callback queue */
} uct_asc_progress_t;

typedef struct uct_asc_iface {
    uct_base_iface_t super;
    uct_asc_progress_t progress;
    ucs_queue_head_t ops;     /* uct_asc_op_t, oldest first */
    ucs_queue_head_t pending; /* requests that found no room */
    ucs_mpool_t op_pool;
    uct_asc_perf_t perf;
    unsigned max_poll;
    int event_fd; /* never signalled: arming refuses while work is left */
} uct_asc_iface_t;

typedef struct uct_asc_ep {
    uct_base_ep_t super;
} uct_asc_ep_t;

/** Which way a copy goes, seen from the local buffer. */
typedef enum uct_asc_dir {
    UCT_ASC_GET,
    UCT_ASC_PUT
} uct_asc_dir_t;

typedef enum uct_asc_op_kind {
    UCT_ASC_OP_COPY,
    UCT_ASC_OP_FLUSH,   /* done once no older entry belongs to its endpoint */
    UCT_ASC_OP_EP_ERROR /* tells UCX from progress that the endpoint's peer died */
} uct_asc_op_kind_t;

typedef struct uct_asc_op {
    ucs_queue_elem_t queue;
    uct_asc_op_kind_t kind;
    uct_ep_h ep;            /* NULL once the endpoint is gone */
    uct_completion_t *comp; /* NULL: nobody asks */
    asc_link_op_t copy;
} uct_asc_op_t;

UCS_CLASS_DECLARE(uct_asc_iface_t, uct_iface_ops_t *, uct_iface_internal_ops_t *, uct_md_h,
                  uct_worker_h, const uct_iface_params_t *, const uct_iface_config_t *);
UCS_CLASS_DECLARE(uct_asc_ep_t, uct_asc_iface_t *);

/** Fields that are equal in both; capabilities of short operations are added
 *  by those who have them. */
void uct_asc_iface_query(uct_asc_iface_t *iface, uct_iface_attr_t *attr);

/** An entry for a copy about to start, or NULL when memory is short. */
uct_asc_op_t *uct_asc_iface_get_op(uct_asc_iface_t *iface);

/** Takes @a op back or queues it, after a start that gave @a status; what to
 *  return to UCX. */
ucs_status_t uct_asc_iface_started(uct_asc_iface_t *iface, uct_ep_h ep, uct_asc_op_t *op,
                                   asc_status_t status, uct_completion_t *comp);

/** Reports the loss of @a ep from the next progress, where UCX may destroy it. */
ucs_status_t uct_asc_iface_report_ep_error(uct_asc_iface_t *iface, uct_ep_h ep);

/** Completions found; 0 also when nothing is under way. */
unsigned uct_asc_iface_poll(uct_asc_iface_t *iface);

/** Waits at most @a timeout_ms for copies that UCX has given up on; nobody is
 *  told of their end. */
void uct_asc_iface_drain(uct_asc_iface_t *iface, unsigned timeout_ms);

/** Whether anything is queued. */
static inline int uct_asc_iface_is_idle(const uct_asc_iface_t *iface)
{
    return ucs_queue_is_empty(&iface->ops) && ucs_queue_is_empty(&iface->pending);
}

void uct_asc_iface_wake_slow(uct_asc_iface_t *iface);

/** There is something to do: from now on @a iface is in the progress loop, if
 *  UCX wants its progress. From any thread. */
static inline void uct_asc_iface_wake(uct_asc_iface_t *iface)
{
    if (ucs_unlikely(!__atomic_load_n(&iface->progress.awake, __ATOMIC_RELAXED))) {
        uct_asc_iface_wake_slow(iface);
    }
}

/* Methods of the two transports. */
void uct_asc_iface_progress_enable(uct_iface_h tl_iface, unsigned flags);
void uct_asc_iface_progress_disable(uct_iface_h tl_iface, unsigned flags);
ucs_status_t uct_asc_iface_flush(uct_iface_h tl_iface, unsigned flags, uct_completion_t *comp);
ucs_status_t uct_asc_iface_event_fd_get(uct_iface_h tl_iface, int *fd_p);
ucs_status_t uct_asc_iface_event_arm(uct_iface_h tl_iface, unsigned events);
ucs_status_t uct_asc_iface_estimate_perf(uct_iface_h tl_iface, uct_perf_attr_t *attr);
void uct_asc_iface_vfs_refresh(uct_iface_h tl_iface);
ucs_status_t uct_asc_ep_flush(uct_ep_h tl_ep, unsigned flags, uct_completion_t *comp);
ucs_status_t uct_asc_ep_fence(uct_ep_h tl_ep, unsigned flags);
ucs_status_t uct_asc_ep_pending_add(uct_ep_h tl_ep, uct_pending_req_t *req, unsigned flags);
void uct_asc_ep_pending_purge(uct_ep_h tl_ep, uct_pending_purge_callback_t cb, void *arg);
ucs_status_t uct_asc_ep_query(uct_ep_h tl_ep, uct_ep_attr_t *attr);
ucs_status_t uct_asc_ep_invalidate(uct_ep_h tl_ep, uct_asc_ep_invalidate_arg_t arg);

/* _offset: where the uct_asc_iface_config_t lies in the transport's own. */
#define UCT_ASC_IFACE_CONFIG_FIELDS(_offset, _what) \
    {"", "", NULL, (_offset) + ucs_offsetof(uct_asc_iface_config_t, super), \
     UCS_CONFIG_TYPE_TABLE(uct_iface_config_table)}, \
\
        UCT_ASC_PERF_CONFIG_FIELDS((_offset) + ucs_offsetof(uct_asc_iface_config_t, perf), _what), \
\
    { \
        "MAX_POLL", "16", "Most completions of " _what " that one call of progress reports.", \
            (_offset) + ucs_offsetof(uct_asc_iface_config_t, max_poll), UCS_CONFIG_TYPE_UINT \
    }

#endif
