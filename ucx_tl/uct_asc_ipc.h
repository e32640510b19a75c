/* SPDX-License-Identifier: BSD-3-Clause */
/** What the files of the memory domain ascend_ipc and its transport share. */
#ifndef UCT_ASC_IPC_H
#define UCT_ASC_IPC_H

#include "asc_iface.h"

#include <ucs/datastruct/list.h>

#include <pthread.h>

/**
 * Which memories an interface copies between. UCX 1.13 accepts a lane for a
 * rendezvous if the local domain registers the local memory's type and the key
 * is one of the domain at the lane's other end. So host and device memory have
 * a domain each, and lanes that cross them; none joins host with host, which
 * keeps us out of such messages.
 */
typedef enum uct_asc_ipc_role {
    UCT_ASC_IPC_DEVICE,  /* own device memory, peer's device memory */
    UCT_ASC_IPC_TO_HOST, /* own device memory, peer's host memory */
    UCT_ASC_IPC_HOST,    /* own host memory, peer's device memory */
    UCT_ASC_IPC_ROLES
} uct_asc_ipc_role_t;

#define UCT_ASC_IPC_MD_NAME  "ascend_ipc"
#define UCT_ASC_HOST_MD_NAME "ascend_host"

typedef struct uct_asc_ipc_md {
    uct_md_t super;
    pthread_mutex_t lock;   /* of ifaces */
    ucs_list_link_t ifaces; /* uct_asc_ipc_iface_t */
    int served;             /* atomic; memory was registered, peers may want something */
    int enable;             /* UCX_ASC_IPC_ENABLE */
    int enable_host;        /* UCX_ASC_IPC_HOST */
    int is_host;            /* the domain of host memory */
} uct_asc_ipc_md_t;

typedef struct uct_asc_ipc_iface {
    uct_asc_iface_t super;
    ucs_list_link_t list; /* in the domain's */
    uct_asc_ipc_role_t role;
    unsigned close_timeout_ms;
    unsigned polls;
    ucs_list_link_t eps;
    uint64_t gave_up; /* transfers that peers gave up, when eps were looked through */
} uct_asc_ipc_iface_t;

typedef struct uct_asc_ipc_ep {
    uct_asc_ep_t super;
    asc_link_peer_t *peer; /* owned by link/ */
    ucs_list_link_t list;  /* of the interface */
    uint64_t gave_up;      /* transfers that the peer gave up and UCX knows of */
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

/** UCX 1.13's receiver tells a sender nothing of a copy that failed: the peer's
 *  board does, and the endpoint is reported as failed. */
void uct_asc_ipc_ep_look(uct_asc_ipc_ep_t *ep);

/** The peer whose interface address is @a addr, or NULL with the reason in
 *  @a why. */
asc_link_peer_t *uct_asc_ipc_open_peer(const uct_iface_addr_t *addr, char *why, size_t why_len);

/* Domain of host memory. Its remote keys are references of link/, told by bit 0
 * from the pointers that are keys of device memory. */
extern uct_md_ops_t uct_asc_host_md_ops;

static inline uct_rkey_t uct_asc_host_rkey(uint64_t ref)
{
    return (uct_rkey_t)((ref << 1) | 1);
}

static inline uint64_t uct_asc_host_rkey_ref(uct_rkey_t rkey)
{
    return (uint64_t)rkey >> 1;
}

static inline int uct_asc_host_is_rkey(uct_rkey_t rkey)
{
    return (rkey & 1) != 0;
}

void uct_asc_ipc_md_close(uct_md_h md);

/** Memory is registered: the domain's interfaces have to look after it. */
void uct_asc_ipc_md_serve_slow(uct_asc_ipc_md_t *md);
static inline void uct_asc_ipc_md_serve(uct_md_h tl_md)
{
    uct_asc_ipc_md_t *md = ucs_derived_of(tl_md, uct_asc_ipc_md_t);

    if (ucs_unlikely(!__atomic_load_n(&md->served, __ATOMIC_RELAXED))) {
        uct_asc_ipc_md_serve_slow(md);
    }
}
int uct_asc_host_is_key(const void *rkey_buffer);
ucs_status_t uct_asc_host_rkey_unpack(const void *rkey_buffer, uct_rkey_t *rkey_p, void **handle_p);

#endif
