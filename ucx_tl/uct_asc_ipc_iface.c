/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Transport asc_ipc: one copy on the device between the memories of two
 * processes of a node, driven by the one that holds the other's key.
 */
#include "uct_asc_ipc.h"

#include <ucs/config/parser.h>
#include <ucs/debug/log.h>
#include <ucs/debug/memtrack_int.h>
#include <ucs/sys/string.h>
#include <ucs/sys/sys.h>
#include <ucs/time/time.h>

/* What UCX sends of an interface: which host it is on, and its role. */
typedef struct uct_asc_ipc_device_addr {
    uint64_t system_id;
    uint8_t role;
} UCS_S_PACKED uct_asc_ipc_device_addr_t;

/* The names of the devices tell the roles. */
static const char *const uct_asc_ipc_device_names[UCT_ASC_IPC_ROLES] = {
    [UCT_ASC_IPC_DEVICE] = UCT_ASC_DEV_NAME,
    [UCT_ASC_IPC_TO_HOST] = UCT_ASC_DEV_NAME "_host",
    [UCT_ASC_IPC_HOST] = "host_" UCT_ASC_DEV_NAME};

static const uct_asc_ipc_role_t uct_asc_ipc_far_end[UCT_ASC_IPC_ROLES] = {
    [UCT_ASC_IPC_DEVICE] = UCT_ASC_IPC_DEVICE,
    [UCT_ASC_IPC_TO_HOST] = UCT_ASC_IPC_HOST,
    [UCT_ASC_IPC_HOST] = UCT_ASC_IPC_TO_HOST};

/* How many polls pass between two rounds of upkeep in link/. */
#define UCT_ASC_IPC_UPKEEP_POLLS 4

typedef struct uct_asc_ipc_iface_config {
    uct_asc_iface_config_t super;
    double close_timeout;
} uct_asc_ipc_iface_config_t;

static ucs_config_field_t uct_asc_ipc_iface_config_table[] = {
    UCT_ASC_IFACE_CONFIG_FIELDS(ucs_offsetof(uct_asc_ipc_iface_config_t, super),
                                "a copy between the device memories of two processes"),

    {"CLOSE_TIMEOUT", "1s",
     "Longest time that closing the interface waits for copies and records of\n"
     "peers that are still under way.",
     ucs_offsetof(uct_asc_ipc_iface_config_t, close_timeout), UCS_CONFIG_TYPE_TIME},

    {.name = NULL}};

asc_link_peer_t *uct_asc_ipc_open_peer(const uct_iface_addr_t *addr, char *why, size_t why_len)
{
    asc_link_peer_t *peer;
    asc_link_addr_t peer_addr;

    /* Addresses lie unaligned in UCX's messages. */
    memcpy(&peer_addr, addr, sizeof(peer_addr));
    why[0] = '\0';
    if (asc_link_peer_open(&peer_addr, &peer, why, why_len) != ASC_OK) {
        return NULL;
    }
    return peer;
}

static ucs_status_t uct_asc_ipc_iface_get_device_address(uct_iface_h tl_iface,
                                                         uct_device_addr_t *addr)
{
    uct_asc_ipc_device_addr_t *device_addr = (uct_asc_ipc_device_addr_t *)addr;

    device_addr->system_id = ucs_get_system_id();
    device_addr->role = ucs_derived_of(tl_iface, uct_asc_ipc_iface_t)->role;
    return UCS_OK;
}

static ucs_status_t uct_asc_ipc_iface_get_address(uct_iface_h tl_iface, uct_iface_addr_t *addr)
{
    asc_link_addr_t self_addr;

    (void)tl_iface;
    asc_link_self_addr(&self_addr);
    memcpy(addr, &self_addr, sizeof(self_addr));
    return UCS_OK;
}

static int uct_asc_ipc_iface_is_reachable(const uct_iface_h tl_iface,
                                          const uct_device_addr_t *dev_addr,
                                          const uct_iface_addr_t *iface_addr)
{
    const uct_asc_ipc_device_addr_t *far = (const uct_asc_ipc_device_addr_t *)dev_addr;
    uct_asc_ipc_iface_t *iface = ucs_derived_of(tl_iface, uct_asc_ipc_iface_t);
    asc_link_peer_t *peer;
    char why[256];

    if ((far == NULL) || (iface_addr == NULL) || (far->system_id != ucs_get_system_id()) ||
        (far->role != uct_asc_ipc_far_end[iface->role])) {
        return 0;
    }

    peer = uct_asc_ipc_open_peer(iface_addr, why, sizeof(why));
    if (peer == NULL) {
        ucs_debug("no direct copies with an Ascend peer: %s", why);
        return 0;
    }

    /* Inside one process asc_copy does it without keys. */
    return !asc_link_peer_is_self(peer);
}

UCT_ASC_DEFINE_REACHABILITY(uct_asc_ipc_iface_is_reachable)

static ucs_status_t uct_asc_ipc_iface_query(uct_iface_h tl_iface, uct_iface_attr_t *attr)
{
    uct_asc_iface_query(ucs_derived_of(tl_iface, uct_asc_iface_t), attr);

    attr->iface_addr_len = sizeof(asc_link_addr_t);
    attr->device_addr_len = sizeof(uct_asc_ipc_device_addr_t);
    attr->cap.flags |= UCT_IFACE_FLAG_ERRHANDLE_PEER_FAILURE | UCT_IFACE_FLAG_EP_CHECK;
    return UCS_OK;
}

/* Nothing wakes a process that sleeps to do its part of a relayed copy. */
static ucs_status_t uct_asc_ipc_iface_event_arm(uct_iface_h tl_iface, unsigned events)
{
    return asc_link_relay_expected() ? UCS_ERR_BUSY : uct_asc_iface_event_arm(tl_iface, events);
}

static void uct_asc_ipc_iface_look(uct_asc_ipc_iface_t *iface)
{
    uct_asc_ipc_ep_t *ep;

    iface->gave_up = asc_link_gave_up();
    ucs_list_for_each (ep, &iface->eps, list) {
        uct_asc_ipc_ep_look(ep);
    }
}

static unsigned uct_asc_ipc_iface_progress(uct_iface_h tl_iface)
{
    uct_asc_ipc_iface_t *iface = ucs_derived_of(tl_iface, uct_asc_ipc_iface_t);

    asc_link_relay_progress();

    /* Also while copies are under way: peers wait for what upkeep does. */
    if (++iface->polls % UCT_ASC_IPC_UPKEEP_POLLS == 0) {
        asc_link_progress();
        if (ucs_unlikely(asc_link_gave_up() != iface->gave_up)) {
            uct_asc_ipc_iface_look(iface);
        }
    }
    return uct_asc_iface_is_idle(&iface->super) ? 0 : uct_asc_iface_poll(&iface->super);
}

static void UCS_CLASS_DELETE_FUNC_NAME(uct_asc_ipc_iface_t)(uct_iface_t *);

static uct_iface_ops_t uct_asc_ipc_iface_ops = {
    .ep_put_zcopy = uct_asc_ipc_ep_put_zcopy,
    .ep_get_zcopy = uct_asc_ipc_ep_get_zcopy,
    .ep_pending_add = uct_asc_ep_pending_add,
    .ep_pending_purge = uct_asc_ep_pending_purge,
    .ep_flush = uct_asc_ep_flush,
    .ep_fence = uct_asc_ep_fence,
    .ep_check = uct_asc_ipc_ep_check,
    .ep_create = UCS_CLASS_NEW_FUNC_NAME(uct_asc_ipc_ep_t),
    .ep_destroy = UCS_CLASS_DELETE_FUNC_NAME(uct_asc_ipc_ep_t),
    .iface_flush = uct_asc_iface_flush,
    .iface_fence = uct_base_iface_fence,
    .iface_progress_enable = uct_asc_iface_progress_enable,
    .iface_progress_disable = uct_asc_iface_progress_disable,
    .iface_progress = uct_asc_ipc_iface_progress,
    .iface_event_fd_get = uct_asc_iface_event_fd_get,
    .iface_event_arm = uct_asc_ipc_iface_event_arm,
    .iface_close = UCS_CLASS_DELETE_FUNC_NAME(uct_asc_ipc_iface_t),
    .iface_query = uct_asc_ipc_iface_query,
    .iface_get_device_address = uct_asc_ipc_iface_get_device_address,
    .iface_get_address = uct_asc_ipc_iface_get_address,
    .iface_is_reachable = UCT_ASC_IS_REACHABLE(uct_asc_ipc_iface_is_reachable)};

static uct_iface_internal_ops_t uct_asc_ipc_iface_internal_ops = {
    .iface_estimate_perf = uct_asc_iface_estimate_perf,
    .iface_vfs_refresh = uct_asc_iface_vfs_refresh,
    .ep_query = uct_asc_ep_query,
    .ep_invalidate = uct_asc_ep_invalidate,
    UCT_ASC_INTERNAL_OPS_MORE(uct_asc_ipc_iface_is_reachable)};

static uct_asc_ipc_role_t uct_asc_ipc_role_of(uct_md_h md, const char *dev_name)
{
    if (ucs_derived_of(md, uct_asc_ipc_md_t)->is_host) {
        return UCT_ASC_IPC_HOST;
    }
    return !strcmp(dev_name, uct_asc_ipc_device_names[UCT_ASC_IPC_TO_HOST]) ? UCT_ASC_IPC_TO_HOST
                                                                            : UCT_ASC_IPC_DEVICE;
}

static UCS_CLASS_INIT_FUNC(uct_asc_ipc_iface_t, uct_md_h md, uct_worker_h worker,
                           const uct_iface_params_t *params, const uct_iface_config_t *tl_config)
{
    const uct_asc_ipc_iface_config_t *config =
        ucs_derived_of(tl_config, uct_asc_ipc_iface_config_t);
    uct_asc_ipc_md_t *domain;

    UCS_CLASS_CALL_SUPER_INIT(uct_asc_iface_t, &uct_asc_ipc_iface_ops,
                              &uct_asc_ipc_iface_internal_ops, md, worker, params, tl_config);

    if (config->close_timeout < 0) {
        ucs_error("UCX_ASC_IPC_CLOSE_TIMEOUT is %g s: give a time of 0 or more, or unset it",
                  config->close_timeout);
        return UCS_ERR_INVALID_PARAM;
    }

    self->close_timeout_ms = (unsigned)(config->close_timeout * 1e3);
    self->polls = 0;
    self->gave_up = asc_link_gave_up();
    ucs_list_head_init(&self->eps);
    self->role = uct_asc_ipc_role_of(md, params->mode.device.dev_name);
    uct_asc_perf_peer(&config->super.perf, &self->super.perf);
    if (self->role == UCT_ASC_IPC_HOST) {
        uct_asc_perf_relay(&self->super.perf);
    }

    domain = ucs_derived_of(md, uct_asc_ipc_md_t);
    pthread_mutex_lock(&domain->lock);
    ucs_list_add_tail(&domain->ifaces, &self->list);
    if (domain->served) {
        uct_asc_iface_wake(&self->super);
    }
    pthread_mutex_unlock(&domain->lock);
    return UCS_OK;
}

static UCS_CLASS_CLEANUP_FUNC(uct_asc_ipc_iface_t)
{
    uct_asc_ipc_md_t *domain = ucs_derived_of(self->super.super.md, uct_asc_ipc_md_t);

    pthread_mutex_lock(&domain->lock);
    ucs_list_del(&self->list);
    pthread_mutex_unlock(&domain->lock);
    uct_asc_iface_drain(&self->super, self->close_timeout_ms);
    asc_link_quiesce(self->close_timeout_ms);
}

UCS_CLASS_DEFINE(uct_asc_ipc_iface_t, uct_asc_iface_t);
static UCS_CLASS_DEFINE_NEW_FUNC(uct_asc_ipc_iface_t, uct_iface_t, uct_md_h, uct_worker_h,
                                 const uct_iface_params_t *, const uct_iface_config_t *);
static UCS_CLASS_DEFINE_DELETE_FUNC(uct_asc_ipc_iface_t, uct_iface_t);

static void uct_asc_ipc_name_device(uct_tl_device_resource_t *device, uct_asc_ipc_role_t role)
{
    ucs_snprintf_zero(device->name, sizeof(device->name), "%s", uct_asc_ipc_device_names[role]);
}

static ucs_status_t uct_asc_ipc_query_devices(uct_md_h tl_md, uct_tl_device_resource_t **devices_p,
                                              unsigned *num_devices_p)
{
    uct_asc_ipc_md_t *md = ucs_derived_of(tl_md, uct_asc_ipc_md_t);
    uct_tl_device_resource_t *devices;
    ucs_status_t status;

    if (!md->enable || (md->is_host && !md->enable_host)) {
        *devices_p = NULL;
        *num_devices_p = 0;
        return UCS_OK;
    }

    /* "Shared memory" is not filtered by UCX_NET_DEVICES. */
    status = uct_asc_query_devices(tl_md, UCT_DEVICE_TYPE_SHM, devices_p, num_devices_p);
    if ((status != UCS_OK) || (*num_devices_p == 0)) {
        return status;
    }

    if (md->is_host) {
        uct_asc_ipc_name_device(*devices_p, UCT_ASC_IPC_HOST);
    } else if (md->enable_host && UCT_ASC_HOST_DOMAIN) {
        devices = ucs_realloc(*devices_p, 2 * sizeof(*devices), "asc_ipc devices");
        if (devices != NULL) {
            devices[1] = devices[0];
            uct_asc_ipc_name_device(&devices[1], UCT_ASC_IPC_TO_HOST);
            *devices_p = devices;
            *num_devices_p = 2;
        }
    }
    return UCS_OK;
}

uct_tl_t uct_asc_ipc_tl = {.name = "asc_ipc",
                           .query_devices = uct_asc_ipc_query_devices,
                           .iface_open = UCS_CLASS_NEW_FUNC_NAME(uct_asc_ipc_iface_t),
                           .config = {.name = "asc_ipc transport",
                                      .prefix = "ASC_IPC_",
                                      .table = uct_asc_ipc_iface_config_table,
                                      .size = sizeof(uct_asc_ipc_iface_config_t)}};
