/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Transport asc_copy: copies between host and device memory, and inside device
 * memory, of one process. Its only reachable peer is itself: UCX packs and
 * unpacks device memory through such an endpoint.
 */
#include "asc_iface.h"

#include <ucs/config/parser.h>
#include <ucs/debug/log.h>
#include <ucs/sys/uid.h>
#include <uct/base/uct_iov.inl>

/* Copies inside a process end unless the device hangs. */
#define UCT_ASC_COPY_CLOSE_TIMEOUT_MS 1000

/* How many polls pass between two rounds of upkeep in link/. */
#define UCT_ASC_COPY_UPKEEP_POLLS     16

typedef struct uct_asc_copy_iface {
    uct_asc_iface_t super;
    uint64_t id; /* its address */
    unsigned polls;
} uct_asc_copy_iface_t;

typedef struct uct_asc_copy_ep {
    uct_asc_ep_t super;
} uct_asc_copy_ep_t;

static ucs_config_field_t uct_asc_copy_iface_config_table[] = {
    UCT_ASC_IFACE_CONFIG_FIELDS(0, "a copy between host and device memory"),

    {.name = NULL}};

static void uct_asc_copy_check(const void *address, size_t length)
{
    if (ucs_unlikely(asc_link_mem_query(address, length, NULL) == ASC_LINK_MEM_BAD)) {
        uct_asc_bad_memory(address, length, "buffer of a message under way");
    }
}

/* Both sides are addresses of this process; the "remote" one was named by the
 * user and may have been freed since UCX looked at it. */
static ucs_status_t uct_asc_copy_short(void *dst, const void *src, size_t length,
                                       uint64_t remote_addr)
{
    asc_status_t status;

    if (length == 0) {
        return UCS_OK;
    }

    uct_asc_copy_check((void *)remote_addr, length);
    status = asc_link_copy(dst, src, length);
    if (ucs_likely(status == ASC_OK)) {
        return UCS_OK;
    }

    status = asc_link_copy(dst, src, length);
    if (status != ASC_OK) {
        uct_asc_copy_lost(dst, src, length, status);
    }
    return UCS_OK;
}

static ucs_status_t uct_asc_copy_ep_get_short(uct_ep_h tl_ep, void *buffer, unsigned length,
                                              uint64_t remote_addr, uct_rkey_t rkey)
{
    (void)tl_ep;
    (void)rkey;
    UCT_TL_EP_STAT_OP(ucs_derived_of(tl_ep, uct_base_ep_t), GET, SHORT, length);
    return uct_asc_copy_short(buffer, (void *)remote_addr, length, remote_addr);
}

static ucs_status_t uct_asc_copy_ep_put_short(uct_ep_h tl_ep, const void *buffer, unsigned length,
                                              uint64_t remote_addr, uct_rkey_t rkey)
{
    (void)tl_ep;
    (void)rkey;
    UCT_TL_EP_STAT_OP(ucs_derived_of(tl_ep, uct_base_ep_t), PUT, SHORT, length);
    return uct_asc_copy_short((void *)remote_addr, buffer, length, remote_addr);
}

static ucs_status_t uct_asc_copy_ep_zcopy(uct_ep_h tl_ep, const uct_iov_t *iov, size_t iovcnt,
                                          uint64_t remote_addr, uct_completion_t *comp,
                                          uct_asc_dir_t dir)
{
    uct_asc_iface_t *iface = ucs_derived_of(tl_ep->iface, uct_asc_iface_t);
    size_t length = (iovcnt == 0) ? 0 : uct_iov_get_length(iov);
    void *remote = (void *)remote_addr;
    asc_status_t status;
    uct_asc_op_t *op;

    UCT_CHECK_IOV_SIZE(iovcnt, 1ul, "uct_asc_copy_ep_zcopy");
    if (length == 0) {
        return UCS_OK;
    }

    uct_asc_copy_check(remote, length);
    uct_asc_copy_check(iov->buffer, length);
    op = uct_asc_iface_get_op(iface);
    if (op == NULL) {
        return UCS_ERR_NO_MEMORY;
    }

    status = (dir == UCT_ASC_GET) ? asc_link_copy_start(iov->buffer, remote, length, &op->copy)
                                  : asc_link_copy_start(remote, iov->buffer, length, &op->copy);
    return uct_asc_iface_started(iface, tl_ep, op, status, comp);
}

static ucs_status_t uct_asc_copy_ep_get_zcopy(uct_ep_h tl_ep, const uct_iov_t *iov, size_t iovcnt,
                                              uint64_t remote_addr, uct_rkey_t rkey,
                                              uct_completion_t *comp)
{
    (void)rkey;
    UCT_TL_EP_STAT_OP(ucs_derived_of(tl_ep, uct_base_ep_t), GET, ZCOPY,
                      uct_iov_total_length(iov, iovcnt));
    return uct_asc_copy_ep_zcopy(tl_ep, iov, iovcnt, remote_addr, comp, UCT_ASC_GET);
}

static ucs_status_t uct_asc_copy_ep_put_zcopy(uct_ep_h tl_ep, const uct_iov_t *iov, size_t iovcnt,
                                              uint64_t remote_addr, uct_rkey_t rkey,
                                              uct_completion_t *comp)
{
    (void)rkey;
    UCT_TL_EP_STAT_OP(ucs_derived_of(tl_ep, uct_base_ep_t), PUT, ZCOPY,
                      uct_iov_total_length(iov, iovcnt));
    return uct_asc_copy_ep_zcopy(tl_ep, iov, iovcnt, remote_addr, comp, UCT_ASC_PUT);
}

static ucs_status_t uct_asc_copy_iface_query(uct_iface_h tl_iface, uct_iface_attr_t *attr)
{
    uct_asc_iface_query(ucs_derived_of(tl_iface, uct_asc_iface_t), attr);

    attr->iface_addr_len = sizeof(uint64_t);
    attr->device_addr_len = 0;
    attr->cap.flags |= UCT_IFACE_FLAG_GET_SHORT | UCT_IFACE_FLAG_PUT_SHORT;
    attr->cap.put.max_short = UINT_MAX;
    attr->cap.get.max_short = UINT_MAX;
    return UCS_OK;
}

static ucs_status_t uct_asc_copy_iface_get_device_address(uct_iface_h tl_iface,
                                                          uct_device_addr_t *addr)
{
    (void)tl_iface;
    (void)addr;
    return UCS_OK;
}

static ucs_status_t uct_asc_copy_iface_get_address(uct_iface_h tl_iface, uct_iface_addr_t *addr)
{
    memcpy(addr, &ucs_derived_of(tl_iface, uct_asc_copy_iface_t)->id, sizeof(uint64_t));
    return UCS_OK;
}

static int uct_asc_copy_iface_is_reachable(const uct_iface_h tl_iface,
                                           const uct_device_addr_t *dev_addr,
                                           const uct_iface_addr_t *iface_addr)
{
    const uct_asc_copy_iface_t *iface = ucs_derived_of(tl_iface, uct_asc_copy_iface_t);

    (void)dev_addr;
    return (iface_addr != NULL) && !memcmp(iface_addr, &iface->id, sizeof(iface->id));
}

UCT_ASC_DEFINE_REACHABILITY(uct_asc_copy_iface_is_reachable)

static UCS_CLASS_INIT_FUNC(uct_asc_copy_ep_t, const uct_ep_params_t *params)
{
    UCS_CLASS_CALL_SUPER_INIT(uct_asc_ep_t, ucs_derived_of(params->iface, uct_asc_iface_t));
    return UCS_OK;
}

static UCS_CLASS_CLEANUP_FUNC(uct_asc_copy_ep_t)
{
    (void)self;
}

UCS_CLASS_DEFINE(uct_asc_copy_ep_t, uct_asc_ep_t);
static UCS_CLASS_DEFINE_NEW_FUNC(uct_asc_copy_ep_t, uct_ep_t, const uct_ep_params_t *);
static UCS_CLASS_DEFINE_DELETE_FUNC(uct_asc_copy_ep_t, uct_ep_t);

/* The upkeep is done here too because UCX stops polling asc_ipc with its last
 * endpoint, and a peer may still hold memory that was freed since. */
static unsigned uct_asc_copy_iface_progress(uct_iface_h tl_iface)
{
    uct_asc_copy_iface_t *iface = ucs_derived_of(tl_iface, uct_asc_copy_iface_t);

    if (++iface->polls % UCT_ASC_COPY_UPKEEP_POLLS == 0) {
        asc_link_progress();
    }
    return uct_asc_iface_is_idle(&iface->super) ? 0 : uct_asc_iface_poll(&iface->super);
}

static void UCS_CLASS_DELETE_FUNC_NAME(uct_asc_copy_iface_t)(uct_iface_t *);

static uct_iface_ops_t uct_asc_copy_iface_ops = {
    .ep_put_short = uct_asc_copy_ep_put_short,
    .ep_get_short = uct_asc_copy_ep_get_short,
    .ep_put_zcopy = uct_asc_copy_ep_put_zcopy,
    .ep_get_zcopy = uct_asc_copy_ep_get_zcopy,
    .ep_pending_add = uct_asc_ep_pending_add,
    .ep_pending_purge = uct_asc_ep_pending_purge,
    .ep_flush = uct_asc_ep_flush,
    .ep_fence = uct_asc_ep_fence,
    .ep_create = UCS_CLASS_NEW_FUNC_NAME(uct_asc_copy_ep_t),
    .ep_destroy = UCS_CLASS_DELETE_FUNC_NAME(uct_asc_copy_ep_t),
    .iface_flush = uct_asc_iface_flush,
    .iface_fence = uct_base_iface_fence,
    .iface_progress_enable = uct_asc_iface_progress_enable,
    .iface_progress_disable = uct_asc_iface_progress_disable,
    .iface_progress = uct_asc_copy_iface_progress,
    .iface_event_fd_get = uct_asc_iface_event_fd_get,
    .iface_event_arm = uct_asc_iface_event_arm,
    .iface_close = UCS_CLASS_DELETE_FUNC_NAME(uct_asc_copy_iface_t),
    .iface_query = uct_asc_copy_iface_query,
    .iface_get_device_address = uct_asc_copy_iface_get_device_address,
    .iface_get_address = uct_asc_copy_iface_get_address,
    .iface_is_reachable = UCT_ASC_IS_REACHABLE(uct_asc_copy_iface_is_reachable)};

static uct_iface_internal_ops_t uct_asc_copy_iface_internal_ops = {
    .iface_estimate_perf = uct_asc_iface_estimate_perf,
    .iface_vfs_refresh = uct_asc_iface_vfs_refresh,
    .ep_query = uct_asc_ep_query,
    .ep_invalidate = uct_asc_ep_invalidate,
    UCT_ASC_INTERNAL_OPS_MORE(uct_asc_copy_iface_is_reachable)};

static void uct_asc_copy_iface_first_use(void *arg)
{
    uct_asc_iface_wake(arg);
}

static UCS_CLASS_INIT_FUNC(uct_asc_copy_iface_t, uct_md_h md, uct_worker_h worker,
                           const uct_iface_params_t *params, const uct_iface_config_t *tl_config)
{
    const uct_asc_iface_config_t *config = ucs_derived_of(tl_config, uct_asc_iface_config_t);

    UCS_CLASS_CALL_SUPER_INIT(uct_asc_iface_t, &uct_asc_copy_iface_ops,
                              &uct_asc_copy_iface_internal_ops, md, worker, params, tl_config);

    self->id = ucs_generate_uuid((uintptr_t)self);
    self->polls = 0;
    uct_asc_perf_host(&config->perf, &self->super.perf);
    asc_link_on_first_use(uct_asc_copy_iface_first_use, &self->super);
    return UCS_OK;
}

static UCS_CLASS_CLEANUP_FUNC(uct_asc_copy_iface_t)
{
    asc_link_first_use_forget(uct_asc_copy_iface_first_use, &self->super);
    uct_asc_iface_drain(&self->super, UCT_ASC_COPY_CLOSE_TIMEOUT_MS);
}

UCS_CLASS_DEFINE(uct_asc_copy_iface_t, uct_asc_iface_t);
static UCS_CLASS_DEFINE_NEW_FUNC(uct_asc_copy_iface_t, uct_iface_t, uct_md_h, uct_worker_h,
                                 const uct_iface_params_t *, const uct_iface_config_t *);
static UCS_CLASS_DEFINE_DELETE_FUNC(uct_asc_copy_iface_t, uct_iface_t);

static ucs_status_t uct_asc_copy_query_devices(uct_md_h md, uct_tl_device_resource_t **devices_p,
                                               unsigned *num_devices_p)
{
    return uct_asc_query_devices(md, UCT_DEVICE_TYPE_ACC, devices_p, num_devices_p);
}

uct_tl_t uct_asc_copy_tl = {.name = "asc_copy",
                            .query_devices = uct_asc_copy_query_devices,
                            .iface_open = UCS_CLASS_NEW_FUNC_NAME(uct_asc_copy_iface_t),
                            .config = {.name = "asc_copy transport",
                                       .prefix = "ASC_COPY_",
                                       .table = uct_asc_copy_iface_config_table,
                                       .size = sizeof(uct_asc_iface_config_t)}};
