/* SPDX-License-Identifier: BSD-3-Clause */
#include "uct_asc_ipc.h"

#include <ucs/debug/log.h>
#include <uct/base/uct_iov.inl>

static UCS_CLASS_INIT_FUNC(uct_asc_ipc_ep_t, const uct_ep_params_t *params)
{
    char why[256];

    UCT_EP_PARAMS_CHECK_DEV_IFACE_ADDRS(params);
    UCS_CLASS_CALL_SUPER_INIT(uct_asc_ep_t, ucs_derived_of(params->iface, uct_asc_iface_t));

    self->peer = uct_asc_ipc_open_peer(params->iface_addr, why, sizeof(why));
    if (self->peer == NULL) {
        ucs_debug("no endpoint to an Ascend peer: %s", why);
        return UCS_ERR_UNREACHABLE;
    }
    self->gave_up = asc_link_peer_gave_up(self->peer);
    ucs_list_add_tail(&ucs_derived_of(params->iface, uct_asc_ipc_iface_t)->eps, &self->list);
    return UCS_OK;
}

static UCS_CLASS_CLEANUP_FUNC(uct_asc_ipc_ep_t)
{
    ucs_list_del(&self->list);
}

UCS_CLASS_DEFINE(uct_asc_ipc_ep_t, uct_asc_ep_t);
UCS_CLASS_DEFINE_NEW_FUNC(uct_asc_ipc_ep_t, uct_ep_t, const uct_ep_params_t *);
UCS_CLASS_DEFINE_DELETE_FUNC(uct_asc_ipc_ep_t, uct_ep_t);

static asc_status_t uct_asc_ipc_ep_start(uct_asc_ipc_ep_t *ep, void *buffer, size_t length,
                                         uint64_t remote_addr, uct_rkey_t rkey, asc_link_op_t *copy,
                                         uct_asc_dir_t dir)
{
    uct_asc_ipc_iface_t *iface = ucs_derived_of(ep->super.super.super.iface, uct_asc_ipc_iface_t);
    asc_link_import_t *import = (asc_link_import_t *)rkey;
    uint64_t ref = 0;

    if ((iface->role == UCT_ASC_IPC_DEVICE) && !uct_asc_host_is_rkey(rkey)) {
        return (dir == UCT_ASC_GET)
                   ? asc_link_get_or_relay(import, remote_addr, buffer, length, copy)
                   : asc_link_put_or_relay(import, remote_addr, buffer, length, copy);
    }

    if (uct_asc_host_is_rkey(rkey)) {
        ref = uct_asc_host_rkey_ref(rkey);
    }
    return (dir == UCT_ASC_GET)
               ? asc_link_relay_get(ep->peer, ref, remote_addr, buffer, length, copy)
               : asc_link_relay_put(ep->peer, ref, remote_addr, buffer, length, copy);
}

static ucs_status_t uct_asc_ipc_ep_zcopy(uct_ep_h tl_ep, const uct_iov_t *iov, size_t iovcnt,
                                         uint64_t remote_addr, uct_rkey_t rkey,
                                         uct_completion_t *comp, uct_asc_dir_t dir)
{
    uct_asc_iface_t *iface = ucs_derived_of(tl_ep->iface, uct_asc_iface_t);
    size_t length = (iovcnt == 0) ? 0 : uct_iov_get_length(iov);
    asc_status_t status;
    uct_asc_op_t *op;

    UCT_CHECK_IOV_SIZE(iovcnt, 1ul, "uct_asc_ipc_ep_zcopy");
    if (length == 0) {
        return UCS_OK;
    }

    if (ucs_unlikely(asc_link_mem_query(iov->buffer, length, NULL) == ASC_LINK_MEM_BAD)) {
        uct_asc_bad_memory(iov->buffer, length, "buffer of a message under way");
    }

    op = uct_asc_iface_get_op(iface);
    if (op == NULL) {
        return UCS_ERR_NO_MEMORY;
    }

    status = uct_asc_ipc_ep_start(ucs_derived_of(tl_ep, uct_asc_ipc_ep_t), iov->buffer, length,
                                  remote_addr, rkey, &op->copy, dir);
    return uct_asc_iface_started(iface, tl_ep, op, status, comp);
}

ucs_status_t uct_asc_ipc_ep_get_zcopy(uct_ep_h tl_ep, const uct_iov_t *iov, size_t iovcnt,
                                      uint64_t remote_addr, uct_rkey_t rkey, uct_completion_t *comp)
{
    UCT_TL_EP_STAT_OP(ucs_derived_of(tl_ep, uct_base_ep_t), GET, ZCOPY,
                      uct_iov_total_length(iov, iovcnt));
    return uct_asc_ipc_ep_zcopy(tl_ep, iov, iovcnt, remote_addr, rkey, comp, UCT_ASC_GET);
}

ucs_status_t uct_asc_ipc_ep_put_zcopy(uct_ep_h tl_ep, const uct_iov_t *iov, size_t iovcnt,
                                      uint64_t remote_addr, uct_rkey_t rkey, uct_completion_t *comp)
{
    UCT_TL_EP_STAT_OP(ucs_derived_of(tl_ep, uct_base_ep_t), PUT, ZCOPY,
                      uct_iov_total_length(iov, iovcnt));
    return uct_asc_ipc_ep_zcopy(tl_ep, iov, iovcnt, remote_addr, rkey, comp, UCT_ASC_PUT);
}

void uct_asc_ipc_ep_look(uct_asc_ipc_ep_t *ep)
{
    uct_asc_iface_t *iface = ucs_derived_of(ep->super.super.super.iface, uct_asc_iface_t);
    uint64_t gave_up = asc_link_peer_gave_up(ep->peer);

    if ((gave_up != ep->gave_up) &&
        (uct_asc_iface_report_ep_error(iface, &ep->super.super.super) == UCS_OK)) {
        ep->gave_up = gave_up;
    }
}

ucs_status_t uct_asc_ipc_ep_check(uct_ep_h tl_ep, unsigned flags, uct_completion_t *comp)
{
    uct_asc_ipc_ep_t *ep = ucs_derived_of(tl_ep, uct_asc_ipc_ep_t);

    UCT_ASC_EP_CHECK_PARAMS(flags, comp);
    if (asc_link_peer_alive(ep->peer)) {
        return UCS_OK;
    }
    return uct_asc_iface_report_ep_error(ucs_derived_of(tl_ep->iface, uct_asc_iface_t), tl_ep);
}
