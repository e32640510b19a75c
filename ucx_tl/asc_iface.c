/* SPDX-License-Identifier: BSD-3-Clause */
#include "asc_iface.h"

#include <ucs/debug/log.h>
#include <ucs/debug/memtrack_int.h>
#include <ucs/arch/cpu.h>
#include <ucs/sys/math.h>
#include <ucs/time/time.h>

#include <errno.h>
#include <limits.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* A request that waits carries the endpoint it belongs to. */
typedef struct uct_asc_pending_priv {
    uct_pending_req_priv_queue_t super;
    uct_ep_h ep;
} uct_asc_pending_priv_t;

static ucs_mpool_ops_t uct_asc_op_pool_ops = {.chunk_alloc = ucs_mpool_chunk_malloc,
                                              .chunk_release = ucs_mpool_chunk_free,
                                              .obj_init = NULL,
                                              .obj_cleanup = NULL,
                                              .obj_str = NULL};

uct_asc_op_t *uct_asc_iface_get_op(uct_asc_iface_t *iface)
{
    return ucs_mpool_get(&iface->op_pool);
}

static void uct_asc_iface_push(uct_asc_iface_t *iface, uct_asc_op_t *op, uct_asc_op_kind_t kind,
                               uct_ep_h ep, uct_completion_t *comp)
{
    op->kind = kind;
    op->ep = ep;
    op->comp = comp;
    ucs_queue_push(&iface->ops, &op->queue);
    uct_asc_iface_wake(iface);
}

ucs_status_t uct_asc_iface_started(uct_asc_iface_t *iface, uct_ep_h ep, uct_asc_op_t *op,
                                   asc_status_t status, uct_completion_t *comp)
{
    if (status == ASC_INPROGRESS) {
        uct_asc_iface_push(iface, op, UCT_ASC_OP_COPY, ep, comp);
    } else {
        ucs_mpool_put(op);
    }
    return uct_asc_status(status);
}

ucs_status_t uct_asc_iface_report_ep_error(uct_asc_iface_t *iface, uct_ep_h ep)
{
    uct_asc_op_t *op;

    ucs_queue_for_each (op, &iface->ops, queue) {
        if ((op->kind == UCT_ASC_OP_EP_ERROR) && (op->ep == ep)) {
            return UCS_OK;
        }
    }

    op = uct_asc_iface_get_op(iface);
    if (op == NULL) {
        return UCS_ERR_NO_MEMORY;
    }

    uct_asc_iface_push(iface, op, UCT_ASC_OP_EP_ERROR, ep, NULL);
    return UCS_OK;
}

/* Anything of @a ep older than @a end (NULL: anything at all)? */
static int uct_asc_iface_has_ops_of(uct_asc_iface_t *iface, uct_ep_h ep, const uct_asc_op_t *end)
{
    uct_asc_op_t *op;

    ucs_queue_for_each (op, &iface->ops, queue) {
        if (op == end) {
            return 0;
        }
        if ((op->ep == ep) && (op->kind != UCT_ASC_OP_EP_ERROR)) {
            return 1;
        }
    }
    return 0;
}

static ucs_status_t uct_asc_op_test(uct_asc_iface_t *iface, uct_asc_op_t *op)
{
    switch (op->kind) {
    case UCT_ASC_OP_COPY:
        return uct_asc_status(asc_link_op_test(&op->copy));
    case UCT_ASC_OP_FLUSH:
        return ((op->ep != NULL) && uct_asc_iface_has_ops_of(iface, op->ep, op)) ? UCS_INPROGRESS
                                                                                 : UCS_OK;
    case UCT_ASC_OP_EP_ERROR:
        break;
    }
    return UCS_OK;
}

static void uct_asc_op_finish(uct_asc_iface_t *iface, uct_asc_op_t *op, ucs_status_t status)
{
    uct_asc_op_kind_t kind = op->kind;
    uct_completion_t *comp = op->comp;
    uct_ep_h ep = op->ep;

    ucs_mpool_put(op);
    if (comp != NULL) {
        uct_invoke_completion(comp, status);
    } else if ((kind == UCT_ASC_OP_EP_ERROR) && (ep != NULL)) {
        (void)uct_iface_handle_ep_err(&iface->super.super, ep, UCS_ERR_ENDPOINT_TIMEOUT);
    }
}

static unsigned uct_asc_iface_dispatch_pending(uct_asc_iface_t *iface)
{
    uct_asc_pending_priv_t *priv;
    unsigned count = 0;

    uct_pending_queue_dispatch(priv, &iface->pending, (count++ < iface->max_poll));
    return count;
}

unsigned uct_asc_iface_poll(uct_asc_iface_t *iface)
{
    unsigned count = 0;
    ucs_status_t status;
    ucs_queue_iter_t iter;
    uct_asc_op_t *op;

    /* Not in order: copies of one pair are, those of different pairs are not. */
    ucs_queue_for_each_safe(op, iter, &iface->ops, queue)
    {
        status = uct_asc_op_test(iface, op);
        if (status == UCS_INPROGRESS) {
            continue;
        }

        ucs_queue_del_iter(&iface->ops, iter);
        uct_asc_op_finish(iface, op, status);
        if (++count >= iface->max_poll) {
            break;
        }
    }

    if (!ucs_queue_is_empty(&iface->pending)) {
        asc_link_progress();
        count += uct_asc_iface_dispatch_pending(iface);
    }
    return count;
}

ucs_status_t uct_asc_iface_flush(uct_iface_h tl_iface, unsigned flags, uct_completion_t *comp)
{
    uct_asc_iface_t *iface = ucs_derived_of(tl_iface, uct_asc_iface_t);

    (void)flags;
    if (comp != NULL) {
        return UCS_ERR_UNSUPPORTED;
    }

    if (uct_asc_iface_is_idle(iface)) {
        UCT_TL_IFACE_STAT_FLUSH(&iface->super);
        return UCS_OK;
    }

    UCT_TL_IFACE_STAT_FLUSH_WAIT(&iface->super);
    return UCS_INPROGRESS;
}

ucs_status_t uct_asc_iface_event_fd_get(uct_iface_h tl_iface, int *fd_p)
{
    uct_asc_iface_t *iface = ucs_derived_of(tl_iface, uct_asc_iface_t);

    if (iface->event_fd == -1) {
        iface->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (iface->event_fd == -1) {
            ucs_error("failed to create an event descriptor: %m");
            return UCS_ERR_IO_ERROR;
        }
    }

    *fd_p = iface->event_fd;
    return UCS_OK;
}

ucs_status_t uct_asc_iface_event_arm(uct_iface_h tl_iface, unsigned events)
{
    uct_asc_iface_t *iface = ucs_derived_of(tl_iface, uct_asc_iface_t);

    /* A device cannot wake a host that sleeps in epoll, so nobody may go to
     * sleep while copies are under way. */
    (void)events;
    return uct_asc_iface_is_idle(iface) ? UCS_OK : UCS_ERR_BUSY;
}

ucs_status_t uct_asc_iface_estimate_perf(uct_iface_h tl_iface, uct_perf_attr_t *attr)
{
    return uct_asc_perf_estimate(&ucs_derived_of(tl_iface, uct_asc_iface_t)->perf, attr);
}

void uct_asc_iface_vfs_refresh(uct_iface_h tl_iface)
{
    (void)tl_iface;
}

static void uct_asc_iface_fill_zcopy(size_t *max_short, size_t *max_bcopy, size_t *min_zcopy,
                                     size_t *max_zcopy, size_t *align, size_t *mtu, size_t *max_iov)
{
    *max_short = 0;
    *max_bcopy = 0;
    *min_zcopy = 0;
    *max_zcopy = SIZE_MAX;
    *align = 1;
    *mtu = 1;
    *max_iov = 1;
}

void uct_asc_iface_query(uct_asc_iface_t *iface, uct_iface_attr_t *attr)
{
    uct_base_iface_query(&iface->super, attr);

    attr->cap.flags = UCT_IFACE_FLAG_CONNECT_TO_IFACE | UCT_IFACE_FLAG_PENDING |
                      UCT_IFACE_FLAG_GET_ZCOPY | UCT_IFACE_FLAG_PUT_ZCOPY;
    attr->cap.event_flags =
        UCT_IFACE_FLAG_EVENT_SEND_COMP | UCT_IFACE_FLAG_EVENT_RECV | UCT_IFACE_FLAG_EVENT_FD;

    uct_asc_iface_fill_zcopy(&attr->cap.put.max_short, &attr->cap.put.max_bcopy,
                             &attr->cap.put.min_zcopy, &attr->cap.put.max_zcopy,
                             &attr->cap.put.opt_zcopy_align, &attr->cap.put.align_mtu,
                             &attr->cap.put.max_iov);
    uct_asc_iface_fill_zcopy(&attr->cap.get.max_short, &attr->cap.get.max_bcopy,
                             &attr->cap.get.min_zcopy, &attr->cap.get.max_zcopy,
                             &attr->cap.get.opt_zcopy_align, &attr->cap.get.align_mtu,
                             &attr->cap.get.max_iov);
    attr->cap.am.opt_zcopy_align = 1;
    attr->cap.am.align_mtu = 1;
    attr->cap.am.max_iov = 1;

    uct_asc_perf_fill_iface_attr(&iface->perf, attr);
}

ucs_status_t uct_asc_ep_flush(uct_ep_h tl_ep, unsigned flags, uct_completion_t *comp)
{
    uct_asc_iface_t *iface = ucs_derived_of(tl_ep->iface, uct_asc_iface_t);
    uct_asc_op_t *op;

    (void)flags;
    if (!uct_asc_iface_has_ops_of(iface, tl_ep, NULL)) {
        UCT_TL_EP_STAT_FLUSH(ucs_derived_of(tl_ep, uct_base_ep_t));
        return UCS_OK;
    }

    if (comp != NULL) {
        op = uct_asc_iface_get_op(iface);
        if (op == NULL) {
            return UCS_ERR_NO_MEMORY;
        }
        uct_asc_iface_push(iface, op, UCT_ASC_OP_FLUSH, tl_ep, comp);
    }

    UCT_TL_EP_STAT_FLUSH_WAIT(ucs_derived_of(tl_ep, uct_base_ep_t));
    return UCS_INPROGRESS;
}

ucs_status_t uct_asc_ep_fence(uct_ep_h tl_ep, unsigned flags)
{
    /* Copies with a peer run on one stream, in order. Those inside the process
     * have a stream a kind, but UCX's own packing waits for each. */
    (void)tl_ep;
    (void)flags;
    UCT_TL_EP_STAT_FENCE(ucs_derived_of(tl_ep, uct_base_ep_t));
    return UCS_OK;
}

ucs_status_t uct_asc_ep_pending_add(uct_ep_h tl_ep, uct_pending_req_t *req, unsigned flags)
{
    uct_asc_iface_t *iface = ucs_derived_of(tl_ep->iface, uct_asc_iface_t);
    uct_asc_pending_priv_t *priv = (uct_asc_pending_priv_t *)&req->priv;

    UCS_STATIC_ASSERT(sizeof(*priv) <= UCT_PENDING_REQ_PRIV_LEN);

    (void)flags;
    priv->ep = tl_ep;
    uct_pending_req_queue_push(&iface->pending, req);
    uct_asc_iface_wake(iface);
    UCT_TL_EP_STAT_PEND(ucs_derived_of(tl_ep, uct_base_ep_t));
    return UCS_OK;
}

void uct_asc_ep_pending_purge(uct_ep_h tl_ep, uct_pending_purge_callback_t cb, void *arg)
{
    uct_asc_iface_t *iface = ucs_derived_of(tl_ep->iface, uct_asc_iface_t);
    uct_asc_pending_priv_t *priv;

    uct_pending_queue_purge(priv, &iface->pending, priv->ep == tl_ep, cb, arg);
}

ucs_status_t uct_asc_ep_query(uct_ep_h tl_ep, uct_ep_attr_t *attr)
{
    (void)tl_ep;
    (void)attr;
    return UCS_ERR_UNSUPPORTED;
}

ucs_status_t uct_asc_ep_invalidate(uct_ep_h tl_ep, uct_asc_ep_invalidate_arg_t arg)
{
    (void)tl_ep;
    (void)arg;
    return UCS_ERR_UNSUPPORTED;
}

void uct_asc_iface_drain(uct_asc_iface_t *iface, unsigned timeout_ms)
{
    ucs_time_t deadline = ucs_get_time() + ucs_time_from_msec(timeout_ms);
    ucs_queue_iter_t iter;
    uct_asc_op_t *op;

    do {
        ucs_queue_for_each_safe(op, iter, &iface->ops, queue)
        {
            if ((op->kind != UCT_ASC_OP_COPY) || (asc_link_op_test(&op->copy) != ASC_INPROGRESS)) {
                ucs_queue_del_iter(&iface->ops, iter);
                ucs_mpool_put(op);
            }
        }
    } while (!ucs_queue_is_empty(&iface->ops) && (ucs_get_time() < deadline));
}

/* UCX reads a negative time without complaint, and it wraps round. */
static int uct_asc_config_below_zero(ucs_time_t value)
{
    return (value > (UCS_TIME_INFINITY / 2)) && (value < UCS_TIME_AUTO);
}

static ucs_status_t uct_asc_check_config(const uct_asc_iface_config_t *config, const char *tl_name)
{
    const char *name = NULL;

    if ((config->max_poll == 0) || (config->max_poll > INT_MAX)) {
        name = "MAX_POLL (1 to 2147483647)";
    } else if (uct_asc_config_below_zero(config->perf.latency)) {
        name = "LAT (0 or more)";
    } else if (uct_asc_config_below_zero(config->perf.overhead)) {
        name = "OVERHEAD (0 or more)";
    }
    if (name == NULL) {
        return UCS_OK;
    }
    ucs_error(
        "transport %s cannot work with the given value of its setting %s: correct or unset it",
        tl_name, name);
    return UCS_ERR_INVALID_PARAM;
}

UCS_CLASS_INIT_FUNC(uct_asc_iface_t, uct_iface_ops_t *ops, uct_iface_internal_ops_t *internal_ops,
                    uct_md_h md, uct_worker_h worker, const uct_iface_params_t *params,
                    const uct_iface_config_t *tl_config)
{
    const uct_asc_iface_config_t *config = ucs_derived_of(tl_config, uct_asc_iface_config_t);
    ucs_status_t status;

    UCS_CLASS_CALL_SUPER_INIT(uct_base_iface_t, ops, internal_ops, md, worker, params,
                              tl_config UCS_STATS_ARG(params->stats_root)
                                  UCS_STATS_ARG(UCT_ASC_DEV_NAME));

    status = uct_asc_check_config(config, params->mode.device.tl_name);
    if (status != UCS_OK) {
        return status;
    }

    status = uct_asc_mpool_init(&self->op_pool, sizeof(uct_asc_op_t), 64, &uct_asc_op_pool_ops,
                                "asc_ops");
    if (status != UCS_OK) {
        return status;
    }

    ucs_queue_head_init(&self->ops);
    ucs_queue_head_init(&self->pending);
    self->max_poll = config->max_poll;
    self->event_fd = -1;
    self->progress = (uct_asc_progress_t){.id = UCS_CALLBACKQ_ID_NULL};
    return UCS_OK;
}

static UCS_CLASS_CLEANUP_FUNC(uct_asc_iface_t)
{
    ucs_queue_iter_t iter;
    uct_asc_op_t *op;

    uct_asc_iface_progress_disable(&self->super.super, UCT_PROGRESS_SEND | UCT_PROGRESS_RECV);

    /* The device did not finish these in time. */
    ucs_queue_for_each_safe(op, iter, &self->ops, queue)
    {
        ucs_queue_del_iter(&self->ops, iter);
        ucs_mpool_put(op);
    }

    if (self->event_fd != -1) {
        close(self->event_fd);
    }
    ucs_mpool_cleanup(&self->op_pool, 1);
}

UCS_CLASS_DEFINE(uct_asc_iface_t, uct_base_iface_t);

UCS_CLASS_INIT_FUNC(uct_asc_ep_t, uct_asc_iface_t *iface)
{
    UCS_CLASS_CALL_SUPER_INIT(uct_base_ep_t, &iface->super);
    return UCS_OK;
}

static UCS_CLASS_CLEANUP_FUNC(uct_asc_ep_t)
{
    uct_asc_iface_t *iface = ucs_derived_of(self->super.super.iface, uct_asc_iface_t);
    uct_asc_op_t *op;

    /* The copies go on, and so do their completions: the memory is in use
     * until then. */
    ucs_queue_for_each (op, &iface->ops, queue) {
        if (op->ep == &self->super.super) {
            op->ep = NULL;
        }
    }
}

UCS_CLASS_DEFINE(uct_asc_ep_t, uct_base_ep_t);
