/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * notify.c - notifies: one bit in the owner's shared file. Recording sets it,
 * waiting consumes it. A handle names an own bit or an imported one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fault.h"
#include "ipc_key.h"
#include "leaks.h"
#include "node.h"
#include "stream.h"
#include "sysmem.h"

#define WAIT_DEFAULT    0xffffffffu /* "the configured default", here none */
#define FOREIGN_HANDLES NODE_FOREIGN

struct notify {
    struct handle_head head;
    struct node *owner;
    struct node_notify *word;
    uint32_t slot, gen;
    int dev; /* physical, where it was created */
    bool imported;
    uint32_t foreign;       /* entry in our file, when imported */
    _Atomic uint32_t tasks; /* queued tasks that hold it, plus the handle */
};

static struct handle_table notifies = HANDLE_TABLE(struct notify, NODE_NOTIFIES + FOREIGN_HANDLES);

/* guards the slots of our own file */
static pthread_mutex_t slot_lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- slots ---- */

struct slot_ref {
    uint32_t slot, gen;
};

static bool refers(struct node *n, const void *arg)
{
    const struct slot_ref *ref = arg;
    for (int i = 0; i < NODE_FOREIGN; i++) {
        struct node_foreign *f = &n->file->foreign[i];
        if (atomic_load(&f->tgid) == node_self->tgid && f->slot == ref->slot &&
            f->gen == ref->gen) {
            return true;
        }
    }
    return false;
}

static void slot_release(struct node_notify *w)
{
    atomic_store(&w->gen, 0);
    node_give(w->device, BUDGET_NOTIFIES, 1);
}

/* A destroyed notify keeps its place until the last importer is gone. */
static void sweep_dying(void)
{
    for (uint32_t i = 0; i < NODE_NOTIFIES; i++) {
        struct node_notify *w = &node_self->file->notify[i];
        struct slot_ref ref = {i, atomic_load(&w->gen)};
        if (ref.gen != 0 && (atomic_load(&w->flags) & NOTIFY_DYING) && !node_each(refers, &ref)) {
            slot_release(w);
        }
    }
}

static bool slot_take(int dev, uint32_t *slot)
{
    if (!node_take(dev, BUDGET_NOTIFIES, 1)) {
        return false;
    }
    for (uint32_t i = 0; i < NODE_NOTIFIES; i++) {
        struct node_notify *w = &node_self->file->notify[i];
        if (atomic_load_explicit(&w->gen, memory_order_relaxed) == 0) {
            atomic_store(&w->bit, 0);
            atomic_store(&w->flags, 0);
            atomic_store(&w->pid_count, 0);
            w->device = dev;
            w->last_gen = w->last_gen % 0x7ffff + 1; /* fits a key's id field */
            atomic_store(&w->gen, w->last_gen);
            *slot = i;
            return true;
        }
    }
    node_give(dev, BUDGET_NOTIFIES, 1);
    return false;
}

/* ---- tasks ---- */

static void notify_put(struct notify *n)
{
    if (atomic_fetch_sub(&n->tasks, 1) == 1) {
        handle_free(&notifies, n);
    }
}

static void notify_drop(struct stream *s, struct task *t)
{
    (void)s;
    notify_put(t->u.notify.n);
}

static void bit_set(struct notify *n)
{
    if (atomic_exchange(&n->word->bit, 1) != 0) {
        sim_count(SIM_C_NOTIFY_RECORD_ON_SET, 1);
    }
    sim_count(SIM_C_NOTIFY_RECORD, 1);
    node_ring(n->owner->file);
}

/* Records that the fault plan keeps back. They count as queued, so that the
 * worker stays awake for them. */
static pthread_mutex_t late_lock = PTHREAD_MUTEX_INITIALIZER;
static struct late {
    struct late *next;
    struct notify *n; /* with a reference */
    uint64_t due_ns;  /* 0: as soon as the bit is clear */
} * late_records;

/* Takes a reference of its own. */
static bool late_add(struct notify *n, uint64_t due_ns)
{
    struct late *l = malloc(sizeof(*l));
    if (l == NULL) {
        return false;
    }
    atomic_fetch_add(&n->tasks, 1);
    atomic_fetch_add(&stream_queued_total, 1);
    pthread_mutex_lock(&late_lock);
    *l = (struct late){late_records, n, due_ns};
    late_records = l;
    pthread_mutex_unlock(&late_lock);
    if (due_ns != 0) {
        stream_due(due_ns);
    }
    worker_kick(true);
    return true;
}

/* Its time has not come. Both notify and owner may end meanwhile. */
static bool late_waits(const struct late *l)
{
    if (l->due_ns != 0) {
        stream_due(l->due_ns);
        return sysmem_now() < l->due_ns;
    }
    atomic_store(&stream_poll_needed, true);
    return atomic_load(&l->n->word->bit) != 0;
}

int notify_deliver(void)
{
    int set = 0;
    pthread_mutex_lock(&late_lock);
    for (struct late **at = &late_records; *at != NULL;) {
        struct late *l = *at;
        bool there = node_alive(l->n->owner) && atomic_load(&l->n->word->gen) == l->n->gen;
        if (there && late_waits(l)) {
            at = &l->next;
            continue;
        }
        *at = l->next;
        if (there) {
            bit_set(l->n);
            set++;
        }
        notify_put(l->n);
        free(l);
        atomic_fetch_sub(&stream_queued_total, 1);
    }
    pthread_mutex_unlock(&late_lock);
    return set;
}

static enum task_result record_run(struct stream *s, struct task *t)
{
    struct notify *n = t->u.notify.n;
    if (n->imported && !node_alive(n->owner)) {
        stream_fault(s, ACL_ERROR_RT_SUSPECT_REMOTE_ERROR, "the owner of the notify is gone");
    } else if (!peer_usable(s->dev, n->dev, n->owner)) {
        stream_fault(s, ACL_ERROR_RT_LINK_ERROR,
                     "record to a notify of another device without peer access");
    } else if (t->fault != FAULT_LOST &&
               (t->fault != FAULT_LATE || !late_add(n, sysmem_now() + t->fault_ns))) {
        bit_set(n);
        if (t->fault == FAULT_DOUBLE) {
            late_add(n, 0);
        }
    }
    notify_put(n);
    return TASK_DONE;
}

static enum task_result wait_run(struct stream *s, struct task *t)
{
    struct notify *n = t->u.notify.n;
    uint32_t set = 1;
    if (atomic_load_explicit(&n->word->bit, memory_order_acquire) != 0 &&
        atomic_compare_exchange_strong(&n->word->bit, &set, 0)) {
        sim_count(SIM_C_NOTIFY_WAIT_DONE, 1);
        notify_put(n);
        return TASK_DONE;
    }
    if (t->u.notify.timeout_s == 0 || t->u.notify.timeout_s == WAIT_DEFAULT) {
        return TASK_BLOCKED;
    }
    uint64_t now = sysmem_now();
    if (t->deadline_ns == 0) {
        t->deadline_ns = now + t->u.notify.timeout_s * 1000000000ull;
    }
    if (now < t->deadline_ns) {
        return TASK_BLOCKED;
    }
    stream_fault(s, ACL_ERROR_RT_TS_ERROR, "wait for notify %u timed out after %u s", n->slot,
                 t->u.notify.timeout_s);
    notify_put(n);
    return TASK_DONE;
}

const struct task_ops notify_record_ops = {record_run, notify_drop, NULL};
const struct task_ops notify_wait_ops = {wait_run, notify_drop, NULL};

/* ---- handles ---- */

static struct notify *handle_make(struct node *owner, uint32_t slot, uint32_t gen, bool imported)
{
    struct notify *n = handle_new(&notifies, sizeof(*n));
    if (n != NULL) {
        n->owner = owner;
        n->word = &owner->file->notify[slot];
        n->slot = slot;
        n->gen = gen;
        n->dev = n->word->device;
        n->imported = imported;
        atomic_store(&n->tasks, 1);
    }
    return n;
}

static aclError notify_use(aclrtNotify handle, struct notify **n)
{
    *n = handle_get(&notifies, handle);
    if (*n == NULL) {
        return sim_fail(handle == NULL ? ACL_ERROR_INVALID_PARAM : ACL_ERROR_RT_INVALID_HANDLE,
                        "%p is not a live notify", handle);
    }
    return (*n)->imported ? ACL_SUCCESS : device_there((*n)->dev);
}

static void notify_end(struct notify *n)
{
    if (!handle_kill(n)) {
        return;
    }
    sim_uncount(SIM_C_LIVE_NOTIFY, 1);
    if (n->imported) {
        atomic_store(&node_self->file->foreign[n->foreign].tgid, 0);
    } else {
        pthread_mutex_lock(&slot_lock);
        if ((atomic_load(&n->word->flags) & NOTIFY_EXPORTED) != 0) {
            atomic_fetch_or(&n->word->flags, NOTIFY_DYING);
        } else {
            slot_release(n->word);
        }
        pthread_mutex_unlock(&slot_lock);
    }
    notify_put(n);
}

void notify_leaks(int dev)
{
    struct notify *n;
    for (uint32_t i = 0; (n = handle_at(&notifies, i)) != NULL; i++) {
        if (handle_live(n) && n->dev == dev) {
            leak_add(LEAK_NOTIFY, 0, &n->head.origin);
        }
    }
}

void notify_end_device(int dev)
{
    struct notify *n;
    for (uint32_t i = 0; (n = handle_at(&notifies, i)) != NULL; i++) {
        if (handle_live(n) && n->dev == dev) {
            notify_end(n);
        }
    }
}

SIM_API aclError aclrtCreateNotify(aclrtNotify *notify, uint64_t flag)
{
    struct context *ctx;
    uint32_t slot;
    aclError rc = sim_enter(SIM_F_aclrtCreateNotify);
    if (rc != ACL_SUCCESS) {
        return rc;
    }
    if (notify == NULL) {
        return sim_fail(ACL_ERROR_INVALID_PARAM, "notify is NULL");
    }
    if (flag > ACL_NOTIFY_DEVICE_USE_ONLY) {
        return sim_fail(ACL_ERROR_RT_PARAM_INVALID, "flag %llu is unknown",
                        (unsigned long long)flag);
    }
    if ((rc = context_need(&ctx)) != ACL_SUCCESS) {
        return rc;
    }
    pthread_mutex_lock(&slot_lock);
    bool ok = slot_take(ctx->dev, &slot);
    if (!ok) {
        sweep_dying();
        ok = slot_take(ctx->dev, &slot);
    }
    pthread_mutex_unlock(&slot_lock);
    struct node_notify *w = ok ? &node_self->file->notify[slot] : NULL;
    struct notify *n = ok ? handle_make(node_self, slot, atomic_load(&w->gen), false) : NULL;
    if (n == NULL) {
        if (ok) {
            slot_release(w);
        }
        return sim_fail(ACL_ERROR_RT_NO_NOTIFY_RESOURCE, "device %d has no notify left (%u in all)",
                        knobs_user(ctx->dev), knobs.max_notify);
    }
    sim_count(SIM_C_LIVE_NOTIFY, 1);
    handle_publish(n);
    *notify = n;
    return ACL_SUCCESS;
}

SIM_API aclError aclrtDestroyNotify(aclrtNotify notify)
{
    struct notify *n;
    aclError rc = sim_enter(SIM_F_aclrtDestroyNotify);
    if (rc == ACL_SUCCESS && (rc = notify_use(notify, &n)) == ACL_SUCCESS) {
        notify_end(n);
    }
    return rc;
}

static aclError submit(enum task_type type, struct notify *n, struct stream *s, uint32_t timeout)
{
    struct task t = {.type = type, .u.notify = {n, timeout}};
    atomic_fetch_add_explicit(&n->tasks, 1, memory_order_relaxed);
    return stream_submit(s, &t);
}

SIM_API aclError aclrtRecordNotify(aclrtNotify notify, aclrtStream stream)
{
    struct notify *n;
    struct stream *s;
    aclError rc = sim_enter(SIM_F_aclrtRecordNotify);
    if (rc != ACL_SUCCESS || (rc = notify_use(notify, &n)) != ACL_SUCCESS ||
        (rc = stream_use(stream, &s)) != ACL_SUCCESS) {
        return rc;
    }
    return submit(TASK_NOTIFY_RECORD, n, s, 0);
}

SIM_API aclError aclrtWaitAndResetNotify(aclrtNotify notify, aclrtStream stream, uint32_t timeout)
{
    struct notify *n;
    struct stream *s;
    aclError rc = sim_enter(SIM_F_aclrtWaitAndResetNotify);
    if (rc != ACL_SUCCESS || (rc = notify_use(notify, &n)) != ACL_SUCCESS ||
        (rc = stream_use(stream, &s)) != ACL_SUCCESS) {
        return rc;
    }
    if (n->imported || n->dev != s->dev) {
        return sim_fail(ACL_ERROR_RT_PARAM_INVALID,
                        "only the process and device that created a notify may wait for it");
    }
    return submit(TASK_NOTIFY_WAIT, n, s, timeout);
}

SIM_API aclError aclrtGetNotifyId(aclrtNotify notify, uint32_t *notifyId)
{
    struct notify *n;
    aclError rc = sim_enter(SIM_F_aclrtGetNotifyId);
    if (rc == ACL_SUCCESS && notifyId == NULL) {
        return sim_fail(ACL_ERROR_INVALID_PARAM, "notifyId is NULL");
    }
    if (rc == ACL_SUCCESS && (rc = notify_use(notify, &n)) == ACL_SUCCESS) {
        *notifyId = n->slot;
    }
    return rc;
}

SIM_API aclError aclrtNotifyBatchReset(aclrtNotify *list, size_t num)
{
    aclError rc = sim_enter(SIM_F_aclrtNotifyBatchReset);
    if (rc == ACL_SUCCESS && (list == NULL || num == 0)) {
        return sim_fail(ACL_ERROR_INVALID_PARAM, "no notifies given");
    }
    rc = rc == ACL_SUCCESS ? sim_chip(SOC_NEWER) : rc;
    for (size_t i = 0; rc == ACL_SUCCESS && i < num; i++) {
        struct notify *n;
        rc = notify_use(list[i], &n);
        if (rc == ACL_SUCCESS && n->imported) {
            rc = sim_fail(ACL_ERROR_RT_PARAM_INVALID, "notify %zu of the list is imported", i);
        } else if (rc == ACL_SUCCESS) {
            atomic_store(&n->word->bit, 0);
        }
    }
    return rc;
}

/* ---- between processes ---- */

SIM_API aclError aclrtNotifyGetExportKey(aclrtNotify notify, char *key, size_t len, uint64_t flags)
{
    struct notify *n;
    struct context *ctx;
    aclError rc = sim_enter(SIM_F_aclrtNotifyGetExportKey);
    if (rc != ACL_SUCCESS) {
        return rc;
    }
    if (key == NULL) {
        return sim_fail(ACL_ERROR_INVALID_PARAM, "key is NULL");
    }
    if (len < ASCEND_ABI_IPC_KEY_SIZE ||
        (flags & ~ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION) != 0) {
        return sim_fail(ACL_ERROR_RT_PARAM_INVALID, "len %zu is below 65 or flags 0x%llx unknown",
                        len, (unsigned long long)flags);
    }
    if ((rc = notify_use(notify, &n)) != ACL_SUCCESS || (rc = context_need(&ctx)) != ACL_SUCCESS ||
        (rc = sim_chip(SOC_PEERS)) != ACL_SUCCESS) {
        return rc;
    }
    uint32_t set = NOTIFY_EXPORTED | (flags != ACL_RT_NOTIFY_EXPORT_FLAG_DEFAULT ? NOTIFY_OPEN : 0);
    if (n->imported || (atomic_fetch_or(&n->word->flags, NOTIFY_EXPORTED) & NOTIFY_EXPORTED)) {
        return sim_fail(ACL_ERROR_RT_INTERNAL_ERROR,
                        "a notify can be exported once, and only by its creator");
    }
    atomic_fetch_or(&n->word->flags, set);
    key_write_notify(key, node_self->tgid, n->dev, n->slot, n->gen);
    sim_count(SIM_C_NOTIFY_EXPORT, 1);
    return ACL_SUCCESS;
}

SIM_API aclError aclrtNotifySetImportPid(aclrtNotify notify, int32_t *pid, size_t num)
{
    struct notify *n;
    aclError rc = sim_enter(SIM_F_aclrtNotifySetImportPid);
    if (rc != ACL_SUCCESS) {
        return rc;
    }
    if (pid == NULL) {
        return sim_fail(ACL_ERROR_INVALID_PARAM, "pid is NULL");
    }
    if (num != 1) {
        return sim_fail(ACL_ERROR_RT_PARAM_INVALID, "num %zu must be 1: call once per pid", num);
    }
    if ((rc = notify_use(notify, &n)) != ACL_SUCCESS) {
        return rc;
    }
    uint32_t flags = atomic_load(&n->word->flags);
    if (n->imported || (flags & NOTIFY_EXPORTED) == 0) {
        return sim_fail(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "the notify is not exported by this "
                                                         "process");
    }
    if ((flags & NOTIFY_OPEN) != 0) {
        return sim_fail(ACL_ERROR_RT_NO_PERMISSION, "the notify was exported without validation");
    }
    pthread_mutex_lock(&slot_lock);
    uint32_t count = atomic_load(&n->word->pid_count);
    if (*pid <= 0 || (*pid != node_self->tgid && count == NODE_NOTIFY_PIDS)) {
        rc = ACL_ERROR_RT_DRV_INTERNAL_ERROR;
    } else if (*pid != node_self->tgid) {
        node_list(&n->word->pids[count], *pid);
        atomic_store(&n->word->pid_count, count + 1);
    }
    pthread_mutex_unlock(&slot_lock);
    return rc == ACL_SUCCESS ? rc
                             : sim_fail(rc, "pid %d: not valid, or %d are listed already", *pid,
                                        NODE_NOTIFY_PIDS);
}

static bool may_import(struct node *owner, uint32_t slot, uint32_t gen)
{
    struct node_notify *w = &owner->file->notify[slot];
    uint32_t flags = atomic_load(&w->flags);
    return atomic_load(&w->gen) == gen && (flags & NOTIFY_EXPORTED) && !(flags & NOTIFY_DYING) &&
           (owner == node_self || (flags & NOTIFY_OPEN) ||
            node_listed(w->pids, atomic_load(&w->pid_count)));
}

static bool foreign_enter(struct notify *n)
{
    for (uint32_t i = 0; i < NODE_FOREIGN; i++) {
        struct node_foreign *f = &node_self->file->foreign[i];
        if (atomic_load(&f->tgid) == 0) {
            f->slot = n->slot;
            f->gen = n->gen;
            n->foreign = i;
            atomic_store(&f->tgid, n->owner->tgid);
            return true;
        }
    }
    return false;
}

static aclError import_make(struct node *owner, uint32_t slot, uint32_t gen, aclrtNotify *out)
{
    pthread_mutex_lock(&slot_lock);
    struct notify *n = handle_make(owner, slot, gen, true);
    bool ok = n != NULL && foreign_enter(n);
    pthread_mutex_unlock(&slot_lock);
    if (!ok) {
        if (n != NULL) {
            handle_free(&notifies, n);
        }
        return sim_fail(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, "too many imported notifies");
    }
    sim_count(SIM_C_LIVE_NOTIFY, 1);
    sim_count(SIM_C_NOTIFY_IMPORT, 1);
    handle_publish(n);
    *out = n;
    return ACL_SUCCESS;
}

SIM_API aclError aclrtNotifyImportByKey(aclrtNotify *notify, const char *key, uint64_t flags)
{
    struct context *ctx;
    struct key_notify k;
    aclError rc = sim_enter(SIM_F_aclrtNotifyImportByKey);
    if (rc != ACL_SUCCESS) {
        return rc;
    }
    if (notify == NULL || key == NULL) {
        return sim_fail(ACL_ERROR_INVALID_PARAM, "notify or key is NULL");
    }
    if (flags > 3) {
        return sim_fail(ACL_ERROR_RT_PARAM_INVALID, "flags 0x%llx are unknown",
                        (unsigned long long)flags);
    }
    if ((rc = context_need(&ctx)) != ACL_SUCCESS || (rc = sim_chip(SOC_PEERS)) != ACL_SUCCESS) {
        return rc;
    }
    struct node *owner = key_read_notify(key, &k) ? node_find(k.tgid) : NULL;
    if (owner == NULL || !may_import(owner, k.slot, k.gen)) {
        return sim_fail(ACL_ERROR_RT_DRV_INTERNAL_ERROR,
                        "the notify is unknown, gone, or this process (%d) is not listed",
                        node_self->tgid);
    }
    int dev = owner->file->notify[k.slot].device;
    if ((flags & ACL_RT_NOTIFY_IMPORT_FLAG_ENABLE_PEER_ACCESS) != 0 &&
        (knobs_user(dev) < 0 || !peer_enable_both(ctx->dev, dev))) {
        return sim_fail(ACL_ERROR_RT_DRV_INTERNAL_ERROR,
                        "no peer access to device %d: not visible here, or no path", dev);
    }
    return import_make(owner, k.slot, k.gen, notify);
}
