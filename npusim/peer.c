/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * peer.c - which devices reach each other: the machine's wiring (NPUSIM_PEER)
 * and what processes have enabled. A path works once both directions are
 * enabled; for imported memory the exporter's process may have done its own.
 */
#include "context.h"
#include "node.h"

static pthread_mutex_t peer_lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t enabled[SIM_MAX_DEVICES][SIM_MAX_DEVICES]; /* calls not undone */

static bool wired(int a, int b)
{
    return (knobs.no_peer[a] >> b & 1) == 0 && (knobs.no_peer[b] >> a & 1) == 0;
}

static bool is_enabled(const struct node *n, int a, int b)
{
    return (atomic_load_explicit(&n->file->dev[a].peers, memory_order_acquire) >> b & 1) != 0;
}

bool peer_usable(int a, int b, const struct node *owner)
{
    if (a == b) {
        return true;
    }
    return wired(a, b) && is_enabled(node_self, a, b) &&
           (is_enabled(node_self, b, a) || (owner != NULL && is_enabled(owner, b, a)));
}

static void enable(int a, int b)
{
    pthread_mutex_lock(&peer_lock);
    enabled[a][b]++;
    atomic_fetch_or(&node_self->file->dev[a].peers, 1ull << b);
    pthread_mutex_unlock(&peer_lock);
}

bool peer_enable_both(int a, int b)
{
    if (a != b && !wired(a, b)) {
        return false;
    }
    if (a != b) {
        enable(a, b);
        enable(b, a);
    }
    return true;
}

void peer_forget_all(void)
{
    pthread_mutex_lock(&peer_lock);
    for (int i = 0; i < SIM_MAX_DEVICES; i++) {
        for (int j = 0; j < SIM_MAX_DEVICES; j++) {
            enabled[i][j] = 0;
        }
    }
    pthread_mutex_unlock(&peer_lock);
}

static aclError pair(int64_t user_a, int64_t user_b, int *a, int *b)
{
    aclError rc = device_phys(user_a, a);
    if (rc != ACL_SUCCESS || (rc = device_phys(user_b, b)) != ACL_SUCCESS) {
        return rc;
    }
    if (*a == *b) {
        return sim_fail(ACL_ERROR_INVALID_PARAM, "both ids are device %lld", (long long)user_a);
    }
    return ACL_SUCCESS;
}

SIM_API aclError aclrtDeviceCanAccessPeer(int32_t *canAccessPeer, int32_t deviceId,
                                          int32_t peerDeviceId)
{
    int a, b;
    aclError rc = sim_enter(SIM_F_aclrtDeviceCanAccessPeer);
    if (rc == ACL_SUCCESS && canAccessPeer == NULL) {
        return sim_fail(ACL_ERROR_INVALID_PARAM, "canAccessPeer is NULL");
    }
    if (rc == ACL_SUCCESS && (rc = sim_chip(SOC_PEERS)) == ACL_SUCCESS &&
        (rc = pair(deviceId, peerDeviceId, &a, &b)) == ACL_SUCCESS) {
        *canAccessPeer = wired(a, b);
    }
    return rc;
}

static aclError current_pair(int32_t peer, int *a, int *b)
{
    struct context *ctx;
    aclError rc = context_need(&ctx);
    if (rc != ACL_SUCCESS || (rc = sim_chip(SOC_PEERS)) != ACL_SUCCESS) {
        return rc;
    }
    return pair(knobs_user(ctx->dev), peer, a, b);
}

SIM_API aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags)
{
    int a, b;
    aclError rc = sim_enter(SIM_F_aclrtDeviceEnablePeerAccess);
    if (rc != ACL_SUCCESS) {
        return rc;
    }
    if (flags != 0) {
        return sim_fail(ACL_ERROR_FEATURE_UNSUPPORTED, "flags 0x%x must be 0", flags);
    }
    if ((rc = current_pair(peerDeviceId, &a, &b)) != ACL_SUCCESS) {
        return rc;
    }
    if (!wired(a, b)) {
        return sim_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                        "devices %d and %d have no path (NPUSIM_PEER)", a, b);
    }
    enable(a, b);
    return ACL_SUCCESS;
}

SIM_API aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId)
{
    int a, b;
    aclError rc = sim_enter(SIM_F_aclrtDeviceDisablePeerAccess);
    if (rc != ACL_SUCCESS || (rc = current_pair(peerDeviceId, &a, &b)) != ACL_SUCCESS) {
        return rc;
    }
    pthread_mutex_lock(&peer_lock);
    if (enabled[a][b] == 0) {
        rc = ACL_ERROR_RT_PARAM_INVALID;
    } else if (--enabled[a][b] == 0) {
        atomic_fetch_and(&node_self->file->dev[a].peers, ~(1ull << b));
    }
    pthread_mutex_unlock(&peer_lock);
    return rc == ACL_SUCCESS ? rc
                             : sim_fail(rc, "access to device %d was not enabled", peerDeviceId);
}

/* As in the driver, the second id is a physical one. */
SIM_API aclError aclrtDevicePeerAccessStatus(int32_t deviceId, int32_t peerDeviceId,
                                             int32_t *status)
{
    int a;
    aclError rc = sim_enter(SIM_F_aclrtDevicePeerAccessStatus);
    if (rc == ACL_SUCCESS && status == NULL) {
        return sim_fail(ACL_ERROR_INVALID_PARAM, "status is NULL");
    }
    if (rc != ACL_SUCCESS || (rc = device_phys(deviceId, &a)) != ACL_SUCCESS) {
        return rc;
    }
    if (peerDeviceId < 0 || peerDeviceId >= (int32_t)knobs.devices) {
        return sim_fail(ACL_ERROR_RT_PARAM_INVALID, "peer id %d", peerDeviceId);
    }
    *status = a != peerDeviceId && peer_usable(a, peerDeviceId, NULL);
    return ACL_SUCCESS;
}

/* One bit for the kind of link, as each family is wired. */
static uint64_t link_kind(int a, int b)
{
    switch (knobs.family) {
    case SOC_A3:
        return a / 2 == b / 2 ? ACL_RT_DEVS_TOPOLOGY_SIO : ACL_RT_DEVS_TOPOLOGY_HCCS_SW;
    case SOC_910:
        return a / 4 == b / 4 ? ACL_RT_DEVS_TOPOLOGY_HCCS : ACL_RT_DEVS_TOPOLOGY_SYS;
    case SOC_A2:
        return a / 8 == b / 8 ? ACL_RT_DEVS_TOPOLOGY_HCCS : ACL_RT_DEVS_TOPOLOGY_SYS;
    case SOC_950:
        return ACL_RT_DEVS_TOPOLOGY_HCCS;
    default:
        return ACL_RT_DEVS_TOPOLOGY_PHB;
    }
}

SIM_API aclError aclrtGetDevicesTopo(uint32_t deviceId, uint32_t otherDeviceId, uint64_t *value)
{
    int a, b;
    aclError rc = sim_enter(SIM_F_aclrtGetDevicesTopo);
    if (rc == ACL_SUCCESS && value == NULL) {
        return sim_fail(ACL_ERROR_INVALID_PARAM, "value is NULL");
    }
    if (rc == ACL_SUCCESS && (rc = pair(deviceId, otherDeviceId, &a, &b)) == ACL_SUCCESS) {
        *value = wired(a, b) ? link_kind(a, b) : ACL_RT_DEVS_TOPOLOGY_SYS;
    }
    return rc;
}
