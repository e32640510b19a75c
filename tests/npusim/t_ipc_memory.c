/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of one process in another: a listed process imports by key and copies
 * both ways; the refusals of the driver; closing by key. Two devices, peer
 * access enabled by the import flag. */
#include "t_sim.h"

#define LEN (3 * T_MIB + 5)

static int importer(void *arg)
{
    struct t_duo *d = arg;
    void *p = NULL, *again = NULL, *q;
    aclrtPtrAttributes at;
    t_device(1);
    t_announce(d);
    t_await(&d->step, 1);

    t_acl_fails(aclrtIpcMemImportByKey(&q, d->other_key, 1), ACL_ERROR_RT_DRV_INTERNAL_ERROR);
    t_acl_fails(aclrtIpcMemImportByKey(&q, d->key, 4), ACL_ERROR_RT_PARAM_INVALID);
    t_acl_fails(aclrtIpcMemImportByKey(NULL, d->key, 1), ACL_ERROR_INVALID_PARAM);
    t_acl_fails(aclrtIpcMemImportByKey(&q, "nonsense", 1), ACL_ERROR_RT_DRV_INTERNAL_ERROR);
    t_acl_ok(aclrtIpcMemImportByKey(&p, d->key, 1));
    t_acl_ok(aclrtPointerGetAttributes(p, &at));
    t_check(at.location.type == ACL_MEM_LOCATION_TYPE_DEVICE && at.location.id == 1,
            "type %d device %u", at.location.type, at.location.id);

    aclrtStream s = t_stream();
    char *mine = t_dev_alloc(LEN), *host = t_pinned(LEN);
    t_d2d(mine, p, LEN, s);
    t_acl_ok(aclrtSynchronizeStream(s));
    t_dev_verify(mine, LEN, 11, 0);
    t_dev_fill(mine, LEN, 12);
    t_d2d(p, mine, LEN, s);
    t_acl_ok(aclrtSynchronizeStream(s));
    t_check(npusim_counter("copy.imported") == 2, "both copies are counted");

    t_acl_fails(aclrtMemcpyAsync(host, LEN, p, LEN, ACL_MEMCPY_DEVICE_TO_HOST, s),
                ACL_ERROR_RT_PARAM_INVALID);
    t_acl_fails(aclrtMemcpyAsync(p, LEN, host, LEN, ACL_MEMCPY_HOST_TO_DEVICE, s),
                ACL_ERROR_RT_PARAM_INVALID);
    t_acl_fails(aclrtMemcpyAsync(mine, LEN, p, LEN, ACL_MEMCPY_DEFAULT, s),
                ACL_ERROR_RT_PARAM_INVALID);
    t_acl_fails(aclrtMemcpy(mine, LEN, p, LEN, ACL_MEMCPY_DEVICE_TO_DEVICE),
                ACL_ERROR_RT_PARAM_INVALID);
    t_acl_fails(aclrtMemset(p, LEN, 0, LEN), ACL_ERROR_RT_PARAM_INVALID);
    t_acl_fails(aclrtFree(p), ACL_ERROR_RT_PARAM_INVALID);
    t_acl_fails(aclrtIpcMemGetExportKey(p, LEN, d->notify_key, T_KEY, 0),
                ACL_ERROR_RT_DRV_INTERNAL_ERROR);

    t_acl_ok(aclrtIpcMemImportByKey(&again, d->key, 0));
    t_check(again == p, "the same address for the same key");
    t_acl_ok(aclrtSetDevice(2));
    t_acl_fails(aclrtIpcMemImportByKey(&q, d->key, 0), ACL_ERROR_RT_DRV_INTERNAL_ERROR);
    t_acl_ok(aclrtSetDevice(1));
    t_acl_ok(aclrtIpcMemClose(d->key));
    t_d2d(mine, p, LEN, s); /* one import is left */
    t_acl_ok(aclrtSynchronizeStream(s));
    t_acl_ok(aclrtIpcMemClose(d->key));
    t_acl_fails(aclrtIpcMemClose(d->key), ACL_ERROR_RT_DRV_INTERNAL_ERROR);
    t_check(npusim_counter("live.import") == 0, "no import is left");
    atomic_store(&d->reply, 1);
    t_await(&d->step, 2);
    t_acl_fails(aclrtIpcMemImportByKey(&q, d->key, 0), ACL_ERROR_RT_DRV_INTERNAL_ERROR);
    return 0;
}

int main(void)
{
    struct t_duo *d = t_shared(sizeof(*d));
    void *self;
    int32_t pids[32] = {0}, me;
    t_deadline(60);
    pid_t child = t_child(importer, d);
    t_device(0);
    t_acl_ok(aclrtDeviceGetBareTgid(&me));
    t_check(me == (int32_t)getpid(), "bare tgid %d", me);
    char *p = t_dev_alloc(LEN);
    t_dev_fill(p, LEN, 11);
    int32_t pid = t_partner(d);

    t_acl_fails(aclrtIpcMemGetExportKey(p, LEN, d->key, T_KEY - 1, 0), ACL_ERROR_RT_PARAM_INVALID);
    t_acl_fails(aclrtIpcMemGetExportKey(p, LEN, d->key, T_KEY, 2), ACL_ERROR_RT_PARAM_INVALID);
    t_acl_fails(aclrtIpcMemGetExportKey(p, 0, d->key, T_KEY, 0), ACL_ERROR_RT_PARAM_INVALID);
    t_acl_fails(aclrtIpcMemGetExportKey(p + 512, 512, d->key, T_KEY, 0),
                ACL_ERROR_RT_DRV_INTERNAL_ERROR);
    t_acl_fails(aclrtIpcMemGetExportKey(t_pinned(64), 64, d->key, T_KEY, 0),
                ACL_ERROR_RT_DRV_INTERNAL_ERROR);
    t_acl_fails(aclrtIpcMemGetExportKey(p, LEN + 100, d->key, T_KEY, 0),
                ACL_ERROR_RT_DRV_INTERNAL_ERROR);

    t_export_to(p, LEN, d->key, pid);
    t_check(strlen(d->key) == T_KEY - 1, "a key has 64 characters: %s", d->key);
    t_acl_ok(aclrtIpcMemGetExportKey(p, LEN, d->other_key, T_KEY, 0));
    t_check(memcmp(d->key, d->other_key, T_KEY) != 0, "each export has a key of its own");
    t_acl_fails(aclrtIpcMemSetImportPid(d->other_key, &me, 1), ACL_ERROR_RT_DRV_INTERNAL_ERROR);
    t_acl_fails(aclrtIpcMemSetImportPid(d->other_key, pids, 0), ACL_ERROR_RT_PARAM_INVALID);
    t_acl_fails(aclrtIpcMemSetImportPid(d->other_key, pids, 32), ACL_ERROR_RT_PARAM_INVALID);
    t_acl_fails(aclrtIpcMemImportByKey(&self, d->key, 0), ACL_ERROR_RT_DRV_INTERNAL_ERROR);
    atomic_store(&d->step, 1);

    t_await(&d->reply, 1);
    t_dev_verify(p, LEN, 12, 0);
    t_acl_fails(aclrtIpcMemSetImportPid(d->key, &pid, 1), ACL_ERROR_RT_DRV_INTERNAL_ERROR);
    t_acl_ok(aclrtIpcMemClose(d->key));
    t_acl_fails(aclrtIpcMemClose(d->key), ACL_ERROR_RT_DRV_INTERNAL_ERROR);
    atomic_store(&d->step, 2);
    t_wait_ok(child);

    /* without validation a process imports its own memory: the import closes
     * first, then the export */
    char key[T_KEY] = "";
    t_acl_ok(aclrtIpcMemGetExportKey(p, LEN, key, T_KEY, 1));
    t_acl_fails(aclrtIpcMemSetImportPid(key, &pid, 1), ACL_ERROR_RT_NO_PERMISSION);
    t_acl_ok(aclrtIpcMemImportByKey(&self, key, 0));
    t_acl_ok(aclrtIpcMemClose(key));
    t_check(npusim_counter("live.import") == 0 && npusim_counter("live.export") == 2,
            "the import was closed");
    t_acl_ok(aclrtIpcMemClose(key));
    t_dev_free(p);
    t_check(npusim_counter("live.export") == 0, "a free ends what was exported");
    return 0;
}
