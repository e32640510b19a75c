/* SPDX-License-Identifier: BSD-3-Clause */
/** What the files of the memory domain ascend_ipc and its transport share. */
#ifndef UCT_ASC_IPC_H
#define UCT_ASC_IPC_H

#include "asc_iface.h"

typedef struct uct_asc_ipc_md {
    uct_md_t super;
    int enable; /* UCX_ASC_IPC_ENABLE */
} uct_asc_ipc_md_t;

typedef struct uct_asc_ipc_iface {
    uct_asc_iface_t super;
    unsigned close_timeout_ms;
    unsigned polls;
} uct_asc_ipc_iface_t;

typedef struct uct_asc_ipc_ep {
    uct_asc_ep_t super;
    asc_link_peer_t *peer; /* owned by link/ */
} uct_asc_ipc_ep_t;

UCS_CLASS_DECLARE_NEW_FUNC(uct_asc_ipc_ep_t, uct_ep_t, const uct_ep_params_t *);
UCS_CLASS_DECLARE_DELETE_FUNC(uct_asc_ipc_ep_t, uct_ep_t);

ucs_status_t uct_asc_ipc_ep_get_zcopy(uct_ep_h tl_ep, const uct_iov_t *iov, size_t iovcnt,
                                      uint64_t remote_addr, uct_rkey_t rkey,
                                      uct_completion_t *comp);
ucs_status_t uct_asc_ipc_ep_put_zcopy(uct_ep_h tl_ep, const uct_iov_t *iov, size_t iovcnt,
                                      uint64_t remote_addr, uct_rkey_t rkey,
                                      uct_completion_t *comp);
ucs_status_t uct_asc_ipc_ep_check(uct_ep_h tl_ep, unsigned flags, uct_completion_t *comp);

/** The peer whose interface address is @a addr, or NULL with the reason in
 *  @a why. */
asc_link_peer_t *uct_asc_ipc_open_peer(const uct_iface_addr_t *addr, char *why, size_t why_len);

#endif
