/* SPDX-License-Identifier: BSD-3-Clause */
#include "link/peer_access.h"
#include "acl/asc_log.h"
#include "link/context.h"

/* Answer of a pair: epochs of both devices, shifted, and the verdict. 0: not
 * asked yet. */
static uint64_t link_pairs[LINK_MAX_DEVICES][LINK_MAX_DEVICES];

static aclError link_peer_enable(const asc_acl_t *acl, int from, int to)
{
    link_ctx_t guard;
    aclError err;

    if (link_ctx_enter(from, &guard) != ASC_OK) {
        return ACL_ERROR_RT_CONTEXT_NULL;
    }
    err = acl->aclrtDeviceEnablePeerAccess(to, 0);
    link_ctx_leave(&guard);
    return err;
}

static bool link_peer_try(int a, int b)
{
    const asc_acl_t *acl = asc_acl_get();
    char text[ASC_ACL_TEXT_MAX];
    int32_t can = 0;
    aclError err;

    if (acl == NULL || acl->aclrtDeviceCanAccessPeer == NULL ||
        acl->aclrtDeviceEnablePeerAccess == NULL) {
        return false;
    }
    err = acl->aclrtDeviceCanAccessPeer(&can, a, b);
    if (err == ACL_SUCCESS && can == 0) {
        asc_log(ASC_LOG_DEBUG, "devices %d and %d have no access to each other", a, b);
        return false;
    }
    if (err == ACL_SUCCESS) {
        err = link_peer_enable(acl, a, b);
    }
    if (err == ACL_SUCCESS) {
        err = link_peer_enable(acl, b, a);
    }
    if (err != ACL_SUCCESS) {
        asc_log(ASC_LOG_WARN, "devices %d and %d copy by way of the host: peer access failed, %s",
                a, b, asc_acl_error_text(err, text, sizeof(text)));
    }
    return err == ACL_SUCCESS;
}

bool link_peer_access(int a, int b)
{
    uint64_t key, known;

    if (a < 0 || b < 0 || a >= LINK_MAX_DEVICES || b >= LINK_MAX_DEVICES) {
        return false;
    }
    if (a == b) {
        return true;
    }
    key = ((uint64_t)link_ctx_epoch(a) << 33 ^ (uint64_t)link_ctx_epoch(b) << 2) | 2;
    known = __atomic_load_n(&link_pairs[a][b], __ATOMIC_ACQUIRE);
    if ((known | 1) != (key | 1)) {
        known = key | (link_peer_try(a, b) ? 1 : 0);
        __atomic_store_n(&link_pairs[a][b], known, __ATOMIC_RELEASE);
        __atomic_store_n(
            &link_pairs[b][a],
            (((uint64_t)link_ctx_epoch(b) << 33 ^ (uint64_t)link_ctx_epoch(a) << 2) | 2) |
                (known & 1),
            __ATOMIC_RELEASE);
    }
    return (known & 1) != 0;
}
