/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ipc_mem.c - device memory between processes. An export is a slot in the
 * owner's shared file; an import maps the owner's memfd. Ending an export
 * clears one word, which every importer's engine looks at before and after it
 * copies: nobody waits for anybody.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "context.h"
#include "ipc_key.h"
#include "leaks.h"
#include "memory.h"
#include "node.h"
#include "region.h"
#include "sysmem.h"

#define PIDS_PER_CALL 31
#define POPULATE_MAX  ((size_t)256 << 20)
#define PAGE          4096u

static pthread_mutex_t ipc_lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t export_counter;
static struct origin export_origin[NODE_EXPORTS];
static uint32_t export_live;
static uint32_t export_high; /* slots below were used; those above never */
static struct region **imports;
static size_t import_count, import_cap;

/* ---- exports ---- */

static struct node_export *own_export(const char *key)
{
    struct key_mem k;
    if (!key_read_mem(key, &k) || k.tgid != node_self->tgid) {
        return NULL;
    }
    struct node_export *e = &node_self->file->exports[k.serial % NODE_EXPORTS];
    return atomic_load(&e->serial) == k.serial ? e : NULL;
}

static void export_end(struct node_export *e)
{
    atomic_store(&e->serial, 0);
    export_live--;
    sim_uncount(SIM_C_LIVE_EXPORT, 1);
}

void export_close_range(int dev, uint64_t offset, uint64_t len)
{
    pthread_mutex_lock(&ipc_lock);
    for (uint32_t i = 0; i < export_high; i++) {
        struct node_export *e = &node_self->file->exports[i];
        if (atomic_load_explicit(&e->serial, memory_order_relaxed) != 0 && e->device == dev &&
            e->offset < offset + len && offset < e->offset + e->length) {
            export_end(e);
        }
    }
    pthread_mutex_unlock(&ipc_lock);
}

void export_leaks(int dev)
{
    pthread_mutex_lock(&ipc_lock);
    for (uint32_t i = 0; i < export_high; i++) {
        struct node_export *e = &node_self->file->exports[i];
        if (atomic_load(&e->serial) != 0 && e->device == dev) {
            leak_add(LEAK_EXPORT, 0, &export_origin[i]);
        }
    }
    pthread_mutex_unlock(&ipc_lock);
}

/* Under the lock. */
static struct node_export *export_slot(uint32_t *slot)
{
    for (uint32_t i = 0; export_live < knobs.max_export && i < NODE_EXPORTS; i++) {
        struct node_export *e = &node_self->file->exports[i];
        if (atomic_load_explicit(&e->serial, memory_order_relaxed) == 0) {
            export_high = i < export_high ? export_high : i + 1;
            *slot = i;
            return e;
        }
    }
    return NULL;
}

static aclError export_make(const struct region *r, size_t size, char *key, bool open)
{
    uint32_t slot;
    pthread_mutex_lock(&ipc_lock);
    struct node_export *e = export_slot(&slot);
    struct key_mem k = {node_self->tgid, 0, (uint32_t)r->dev};
    if (e != NULL && atomic_load(&r->live)) {
        e->device = r->dev;
        e->memfd = window_memfd(r->dev);
        e->offset = r->offset;
        e->length = size;
        e->page = r->page;
        atomic_store(&e->imported, 0);
        atomic_store(&e->pid_count, 0);
        atomic_store(&e->open, open);
        k.serial = ++export_counter * NODE_EXPORTS + slot;
        atomic_store(&e->serial, k.serial);
        export_live++;
        export_origin[slot] = origin_here();
        sim_count(SIM_C_LIVE_EXPORT, 1);
    }
    pthread_mutex_unlock(&ipc_lock);
    if (k.serial == 0) {
        return sim_fail(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, "all %u exports are in use",
                        knobs.max_export);
    }
    key_write_mem(key, &k);
    sim_count(SIM_C_MEM_EXPORT, 1);
    return ACL_SUCCESS;
}

SIM_API aclError aclrtIpcMemGetExportKey(void *devPtr, size_t size, char *key, size_t len,
                                         uint64_t flags)
{
    struct context *ctx;
    aclError rc = sim_enter(SIM_F_aclrtIpcMemGetExportKey);
    if (rc != ACL_SUCCESS) {
        return rc;
    }
    if (devPtr == NULL || key == NULL) {
        return sim_fail(ACL_ERROR_INVALID_PARAM, "devPtr or key is NULL");
    }
    if (size == 0 || len < ASCEND_ABI_IPC_KEY_SIZE ||
        flags > ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION) {
        return sim_fail(ACL_ERROR_RT_PARAM_INVALID, "size %zu, len %zu or flags 0x%llx", size, len,
                        (unsigned long long)flags);
    }
    if ((rc = context_need(&ctx)) != ACL_SUCCESS || (rc = sim_chip(SOC_PEERS)) != ACL_SUCCESS) {
        return rc;
    }
    struct region *r = region_get(devPtr);
    if (r == NULL || r->kind != REGION_DEVICE || r->base != (uintptr_t)devPtr ||
        r->base % r->page != 0 || size > r->size) {
        rc = sim_fail(ACL_ERROR_RT_DRV_INTERNAL_ERROR,
                      "%p, %zu bytes: not a whole allocation of this process on a page of its own",
                      devPtr, size);
    } else if (knobs.family == SOC_310P && !r->p2p) {
        rc = sim_fail(ACL_ERROR_RT_DRV_INTERNAL_ERROR,
                      "%p was allocated without a P2P policy, which %s wants", devPtr, knobs.soc);
    } else {
        rc = export_make(r, size, key, flags != 0);
    }
    region_put(r);
    return rc;
}

/* Under the lock: enters the foreign pids of the list. */
static aclError list_pids(struct node_export *e, const int32_t *pid, size_t num)
{
    uint32_t count = atomic_load(&e->pid_count), before = count;
    if (atomic_load(&e->open)) {
        return ACL_ERROR_RT_NO_PERMISSION;
    }
    if (atomic_load(&e->imported)) {
        return ACL_ERROR_RT_DRV_INTERNAL_ERROR;
    }
    for (size_t i = 0; i < num; i++) {
        if (pid[i] == node_self->tgid) {
            continue;
        }
        if (pid[i] <= 0 || count == NODE_EXPORT_PIDS) {
            return ACL_ERROR_RT_DRV_INTERNAL_ERROR;
        }
        node_list(&e->pids[count++], pid[i]);
    }
    atomic_store(&e->pid_count, count);
    return count > before ? ACL_SUCCESS : ACL_ERROR_RT_DRV_INTERNAL_ERROR;
}

SIM_API aclError aclrtIpcMemSetImportPid(const char *key, int32_t *pid, size_t num)
{
    struct context *ctx;
    aclError rc = sim_enter(SIM_F_aclrtIpcMemSetImportPid);
    if (rc != ACL_SUCCESS) {
        return rc;
    }
    if (key == NULL || pid == NULL) {
        return sim_fail(ACL_ERROR_INVALID_PARAM, "key or pid is NULL");
    }
    if (num == 0 || num > PIDS_PER_CALL) {
        return sim_fail(ACL_ERROR_RT_PARAM_INVALID, "num %zu is not 1..%d", num, PIDS_PER_CALL);
    }
    if ((rc = context_need(&ctx)) != ACL_SUCCESS || (rc = sim_chip(SOC_PEERS)) != ACL_SUCCESS) {
        return rc;
    }
    pthread_mutex_lock(&ipc_lock);
    struct node_export *e = own_export(key);
    rc = e != NULL ? list_pids(e, pid, num) : ACL_ERROR_RT_DRV_INTERNAL_ERROR;
    pthread_mutex_unlock(&ipc_lock);
    return rc == ACL_SUCCESS ? rc
                             : sim_fail(rc, "the key is not exported here, was imported already, "
                                            "needs no pids, or the pids are not valid");
}

/* ---- imports ---- */

static struct region *import_find(const char *key, size_t *at)
{
    for (size_t i = 0; i < import_count; i++) {
        if (strcmp(imports[i]->key, key) == 0) {
            *at = i;
            return imports[i];
        }
    }
    return NULL;
}

static int open_memfd(const struct node *owner, int memfd)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)owner->file->pid, memfd);
    return open(path, O_RDWR | O_CLOEXEC);
}

static char *map_export(const struct node *owner, const struct node_export *e, size_t span)
{
    int fd = open_memfd(owner, e->memfd);
    if (fd < 0) {
        return NULL;
    }
    char *at = sysmem_reserve(2 * span, e->page <= (2u << 20) ? e->page : 2u << 20);
    if (at != NULL &&
        sysmem_map_file(at + span, span, fd, e->offset, span <= POPULATE_MAX) == NULL) {
        sysmem_unmap(at, 2 * span);
        at = NULL;
    }
    close(fd);
    if (at != NULL) {
        sysmem_private(at, 2 * span);
    }
    return at;
}

/* Under the lock: a region for the export, or NULL. */
static struct region *import_make(struct node *owner, struct node_export *e, uint64_t serial,
                                  const char *key, int dev)
{
    struct region *r = calloc(1, sizeof(*r));
    if (import_count == import_cap) {
        size_t cap = import_cap != 0 ? 2 * import_cap : 16;
        struct region **bigger = realloc(imports, cap * sizeof(*imports));
        if (bigger != NULL) {
            imports = bigger;
            import_cap = cap;
        }
    }
    size_t span = (e->length + PAGE - 1) / PAGE * PAGE;
    char *at = r != NULL && import_count < import_cap ? map_export(owner, e, span) : NULL;
    atomic_store(&e->imported, 1);
    if (at == NULL || atomic_load(&e->serial) != serial) {
        sysmem_unmap(at, at != NULL ? 2 * span : 0);
        free(r);
        return NULL;
    }
    r->base = (uintptr_t)at;
    r->size = e->length;
    r->span = span;
    r->alias = (ptrdiff_t)span;
    r->kind = REGION_IMPORT;
    r->dev = dev;
    r->page = (uint32_t)e->page;
    r->owner = owner;
    r->exp = e;
    r->exp_serial = serial;
    r->exp_dev = e->device;
    r->imports = 1;
    memcpy(r->key, key, ASCEND_ABI_IPC_KEY_SIZE - 1);
    if (!region_add(r)) {
        sysmem_unmap(at, 2 * span);
        free(r);
        return NULL;
    }
    imports[import_count++] = r;
    sim_count(SIM_C_LIVE_IMPORT, 1);
    return r;
}

/* The export behind a key, if this process may import it. */
static struct node_export *find_export(const char *key, struct key_mem *k, struct node **owner)
{
    *owner = key_read_mem(key, k) ? node_find(k->tgid) : NULL;
    if (*owner == NULL) {
        return NULL;
    }
    struct node_export *e = &(*owner)->file->exports[k->serial % NODE_EXPORTS];
    bool allowed = atomic_load(&e->serial) == k->serial &&
                   (atomic_load(&e->open) ||
                    (*owner != node_self && node_listed(e->pids, atomic_load(&e->pid_count))));
    return allowed ? e : NULL;
}

/* As the flag for peer access asks: both directions. */
static aclError import_reach(int dev, int exp_dev)
{
    return knobs_user(exp_dev) >= 0 && peer_enable_both(dev, exp_dev)
               ? ACL_SUCCESS
               : sim_fail(ACL_ERROR_RT_DRV_INTERNAL_ERROR,
                          "no peer access to device %d: not visible here, or no path", exp_dev);
}

/* Under the lock: another import of a key that this process has. */
static aclError import_again(struct region *r, int dev, bool peer)
{
    if (knobs.one_import) {
        return sim_fail(ACL_ERROR_RT_DRV_INTERNAL_ERROR,
                        "the key is imported already (NPUSIM_ONE_IMPORT)");
    }
    if (r->dev != dev) {
        return sim_fail(ACL_ERROR_RT_DRV_INTERNAL_ERROR,
                        "the key is imported on device %d of this process", knobs_user(r->dev));
    }
    if (atomic_load(&r->exp->serial) != r->exp_serial || !node_alive(r->owner)) {
        return sim_fail(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "the export is gone");
    }
    aclError rc = peer ? import_reach(dev, r->exp_dev) : ACL_SUCCESS;
    r->imports += rc == ACL_SUCCESS;
    return rc;
}

/* Under the lock. */
static aclError import_first(const char *key, int dev, bool peer, struct region **r)
{
    struct key_mem k;
    struct node *owner;
    struct node_export *e = find_export(key, &k, &owner);
    if (e == NULL) {
        return sim_fail(ACL_ERROR_RT_DRV_INTERNAL_ERROR,
                        "the key is unknown or closed, its process is gone, or this process (%d) "
                        "is not listed",
                        node_self->tgid);
    }
    aclError rc = peer ? import_reach(dev, e->device) : ACL_SUCCESS;
    if (rc != ACL_SUCCESS) {
        return rc;
    }
    *r = import_make(owner, e, k.serial, key, dev);
    return *r != NULL ? ACL_SUCCESS
                      : sim_fail(ACL_ERROR_RT_DRV_INTERNAL_ERROR,
                                 "cannot map the memory of process %d", k.tgid);
}

SIM_API aclError aclrtIpcMemImportByKey(void **devPtr, const char *key, uint64_t flags)
{
    struct context *ctx;
    size_t at;
    aclError rc = sim_enter(SIM_F_aclrtIpcMemImportByKey);
    if (rc != ACL_SUCCESS) {
        return rc;
    }
    if (devPtr == NULL || key == NULL) {
        return sim_fail(ACL_ERROR_INVALID_PARAM, "devPtr or key is NULL");
    }
    if (flags > ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS) {
        return sim_fail(ACL_ERROR_RT_PARAM_INVALID, "flags 0x%llx are unknown",
                        (unsigned long long)flags);
    }
    if ((rc = context_need(&ctx)) != ACL_SUCCESS || (rc = sim_chip(SOC_PEERS)) != ACL_SUCCESS) {
        return rc;
    }
    bool peer = flags == ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS;
    pthread_mutex_lock(&ipc_lock);
    struct region *r = import_find(key, &at);
    rc = r != NULL ? import_again(r, ctx->dev, peer) : import_first(key, ctx->dev, peer, &r);
    if (rc == ACL_SUCCESS) {
        *devPtr = (void *)r->base;
        sim_count(SIM_C_MEM_IMPORT, 1);
    }
    pthread_mutex_unlock(&ipc_lock);
    return rc;
}

static bool is_import(const struct region *r)
{
    return r->kind == REGION_IMPORT;
}

/* Under the lock. */
static void import_drop(size_t at)
{
    struct region *r = region_take((void *)imports[at]->base, is_import);
    imports[at] = imports[--import_count];
    sim_uncount(SIM_C_LIVE_IMPORT, 1);
    region_put(r);
}

void import_drop_device(int dev)
{
    pthread_mutex_lock(&ipc_lock);
    for (size_t i = import_count; i > 0; i--) {
        if (imports[i - 1]->dev == dev) {
            import_drop(i - 1);
        }
    }
    pthread_mutex_unlock(&ipc_lock);
}

SIM_API aclError aclrtIpcMemClose(const char *key)
{
    struct context *ctx;
    size_t at;
    aclError rc = sim_enter(SIM_F_aclrtIpcMemClose);
    if (rc != ACL_SUCCESS) {
        return rc;
    }
    if (key == NULL) {
        return sim_fail(ACL_ERROR_INVALID_PARAM, "key is NULL");
    }
    if ((rc = context_need(&ctx)) != ACL_SUCCESS || (rc = sim_chip(SOC_PEERS)) != ACL_SUCCESS) {
        return rc;
    }
    pthread_mutex_lock(&ipc_lock);
    struct region *r = import_find(key, &at);
    struct node_export *e = r == NULL ? own_export(key) : NULL;
    if (r != NULL) {
        if (--r->imports == 0) {
            import_drop(at);
        }
    } else if (e != NULL) {
        export_end(e);
    } else {
        rc = sim_fail(ACL_ERROR_RT_DRV_INTERNAL_ERROR,
                      "the key is neither imported nor exported by this process");
    }
    pthread_mutex_unlock(&ipc_lock);
    if (rc == ACL_SUCCESS) {
        sim_count(SIM_C_MEM_CLOSE, 1);
    }
    return rc;
}
