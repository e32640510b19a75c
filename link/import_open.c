/* SPDX-License-Identifier: BSD-3-Clause */
/* What the driver does for an import, and why it may not. */
#include "link/import_open.h"

#include "acl/asc_log.h"
#include "link/context.h"
#include "link/hazard.h"
#include "link/peer_access.h"
#include "link/rescue.h"
#include "link/topo_facts.h"

/* A pair that falls back is worth one line, not one line a message. */
static void mention_once(asc_link_peer_t *owner, unsigned cause)
{
    unsigned bit = 1u << cause;

    if ((atomic_fetch_or(&owner->mentioned, bit) & bit) == 0) {
        asc_log(ASC_LOG_WARN, "%s", asc_link_last_reason());
    }
}

enum {
    CAUSE_REFUSED,
    CAUSE_PEER_ACCESS,
    CAUSE_SLOW
};

/* By the user's own figures: no news worth a warning. */
static bool slower_than_host(const link_rkey_t *rkey, asc_link_peer_t *owner)
{
    double direct, staged;

    if (rkey->physical == 0 ||
        !link_topo_prefers_host(asc_link_home_device(), rkey->physical - 1, &direct, &staged)) {
        return false;
    }
    link_set_reason("a MiB from device %d takes %.3g ms by the link that ASCEND_TOPO_LINKS gives "
                    "and %.3g ms through host memory, which process %d and this one take",
                    rkey->physical - 1, direct * 1e3, staged * 1e3, owner->addr.pid);
    if ((atomic_fetch_or(&owner->mentioned, 1u << CAUSE_SLOW) & (1u << CAUSE_SLOW)) == 0) {
        asc_log(ASC_LOG_INFO, "%s", asc_link_last_reason());
    }
    return true;
}

asc_status_t link_import_check(const link_rkey_t *rkey, asc_link_peer_t *owner)
{
    const asc_acl_t *acl = asc_acl_get();
    const link_board_row_t *row;
    uint64_t since;

    if (owner->self) {
        return ASC_OK;
    }
    if (link_rescue_demoted(owner)) {
        link_set_reason("direct copies with process %d kept failing", owner->addr.pid);
        return ASC_ERR_UNREACHABLE;
    }
    if ((rkey->flags & LINK_RKEY_EXPORTED) == 0) {
        link_set_reason("process %d could not export the memory at %llx", owner->addr.pid,
                        (unsigned long long)rkey->base);
        return ASC_ERR_UNREACHABLE;
    }
    if (acl->aclrtIpcMemImportByKey == NULL || acl->aclrtIpcMemClose == NULL) {
        link_set_reason("the runtime is older than 8.2.RC1 and has no shared memory");
        return ASC_ERR_UNREACHABLE;
    }
    /* without that row the owner would not look at our hazards, and could
     * free the memory under a copy */
    row = link_peer_back_row(owner);
    if (row == NULL) {
        link_set_reason("process %d does not know this process yet: its key is not for it",
                        owner->addr.pid);
        return ASC_ERR_UNREACHABLE;
    }
    since = atomic_load(&row->since);
    if ((rkey->flags & LINK_RKEY_OPEN) == 0 && (since == 0 || rkey->epoch < since)) {
        link_set_reason("process %d made its key before it could know that this process uses a "
                        "device",
                        owner->addr.pid);
        return ASC_ERR_UNREACHABLE;
    }
    return slower_than_host(rkey, owner) ? ASC_ERR_UNREACHABLE : ASC_OK;
}

bool link_import_usable(const asc_link_import_t *import)
{
    return import->ctx_epoch == link_ctx_epoch(import->device);
}

bool link_import_current(const asc_link_import_t *import)
{
    return (import->rkey.flags & LINK_RKEY_LIVE) == 0 ||
           link_hazard_live(import->owner, import->rkey.slot, import->rkey.generation);
}

/* For runtimes that do not know the flag. The owner's id of its device need not
 * be ours, but runtimes that old have no other way. */
static asc_status_t import_plain(const asc_acl_t *acl, asc_link_import_t *import, aclError *error)
{
    *error = acl->aclrtIpcMemImportByKey(&import->local, import->rkey.key, 0);
    if (*error != ACL_SUCCESS) {
        return ASC_ERR_UNREACHABLE;
    }
    if (!link_peer_access(import->device, import->rkey.device)) {
        (void)acl->aclrtIpcMemClose(import->rkey.key);
        link_set_reason("device %d of this process cannot access device %d of process %d: copies "
                        "between them are staged through host memory",
                        import->device, import->rkey.device, import->owner->addr.pid);
        mention_once(import->owner, CAUSE_PEER_ACCESS);
        return ASC_ERR_UNSUPPORTED;
    }
    return ASC_OK;
}

/* A key that was tampered with may claim more than was exported; a copy out
 * there would be anything from a device fault to a crash. */
static bool spans(const asc_acl_t *acl, const asc_link_import_t *import)
{
    uintptr_t local = (uintptr_t)import->local;
    uint64_t size = import->rkey.size;
    aclrtPtrAttributes attr;
    void *base;
    size_t got;

    if (local + size < local) {
        return false;
    }
    if (acl->aclrtMemGetAddressRange != NULL &&
        acl->aclrtMemGetAddressRange(import->local, &base, &got) == ACL_SUCCESS) {
        return (uintptr_t)base <= local && local + size <= (uintptr_t)base + got;
    }
    return acl->aclrtPointerGetAttributes == NULL ||
           (acl->aclrtPointerGetAttributes((void *)(local + size - 1), &attr) == ACL_SUCCESS &&
            attr.location.type == ACL_MEM_LOCATION_TYPE_DEVICE);
}

/* Context current. */
static asc_status_t import_in_context(asc_link_import_t *import)
{
    const asc_acl_t *acl = asc_acl_get();
    char text[ASC_ACL_TEXT_MAX];
    asc_status_t status = ASC_OK;
    aclError error;

    /* asked for on one device too: ids differ between processes that see
     * different sets of devices, and on the same device it changes nothing */
    error = acl->aclrtIpcMemImportByKey(&import->local, import->rkey.key,
                                        ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS);
    if (error == ACL_ERROR_RT_PARAM_INVALID || error == ACL_ERROR_RT_FEATURE_NOT_SUPPORT) {
        status = import_plain(acl, import, &error);
    }
    if (status == ASC_ERR_UNSUPPORTED) {
        return ASC_ERR_UNREACHABLE;
    }
    if (error != ACL_SUCCESS) {
        link_set_reason("device memory of process %d (device %d) was refused on device %d, error "
                        "%s: copies between them are staged through host memory",
                        import->owner->addr.pid, import->rkey.device, import->device,
                        asc_acl_error_text(error, text, sizeof(text)));
        return ASC_ERR_UNREACHABLE;
    }
    if (!spans(acl, import)) {
        (void)acl->aclrtIpcMemClose(import->rkey.key);
        link_set_reason("the key of process %d claims %llu bytes, more than were exported",
                        import->owner->addr.pid, (unsigned long long)import->rkey.size);
        return ASC_ERR_UNREACHABLE;
    }
    import->ctx_epoch = link_ctx_epoch(import->device);
    return ASC_OK;
}

static asc_status_t open_own(asc_link_import_t *import)
{
    asc_link_mem_t mem;

    if (asc_link_mem_query((const void *)(uintptr_t)import->rkey.base, import->rkey.size, &mem) !=
        ASC_LINK_MEM_DEVICE) {
        link_set_reason("own memory at %llx is not device memory any more",
                        (unsigned long long)import->rkey.base);
        return ASC_ERR_UNREACHABLE;
    }
    import->local = (void *)(uintptr_t)import->rkey.base;
    import->device = mem.device;
    import->ctx_epoch = link_ctx_epoch(mem.device);
    return ASC_OK;
}

asc_status_t link_import_driver_open(asc_link_import_t *import)
{
    asc_status_t status;
    link_ctx_t ctx;

    if (import->owner->self) {
        return open_own(import);
    }
    import->device = asc_link_home_device();
    if (import->device < 0) {
        link_set_reason("this process has not used a device yet: memory of process %d is staged "
                        "through host memory",
                        import->owner->addr.pid);
        return ASC_ERR_UNREACHABLE;
    }
    status = link_ctx_enter(import->device, &ctx);
    if (status != ASC_OK) {
        link_set_reason("device %d is not usable: %s", import->device, asc_status_text(status));
        return ASC_ERR_UNREACHABLE;
    }
    status = import_in_context(import);
    link_ctx_leave(&ctx);
    /* a refusal of memory that was freed meanwhile, or of a process that has
     * ended, is no demotion of the pair */
    if (status != ASC_OK && asc_link_peer_alive(import->owner) && link_import_current(import)) {
        mention_once(import->owner, CAUSE_REFUSED);
    }
    return status;
}

void link_import_driver_close(const asc_link_import_t *import)
{
    const asc_acl_t *acl = asc_acl_get();
    link_ctx_t ctx;

    if (import->owner->self || !link_import_usable(import) || !link_ctx_usable(import->device) ||
        link_ctx_enter(import->device, &ctx) != ASC_OK) {
        return;
    }
    (void)acl->aclrtIpcMemClose(import->rkey.key);
    link_ctx_leave(&ctx);
}
