/* SPDX-License-Identifier: BSD-3-Clause */
/* Copy, then record in the same stream: the peer's wait sees the data, for
 * many rounds in both directions, without host synchronisation in between.
 * Export once, whitelist one pid a call, importers cannot wait. */
#include "t_sim.h"

#define ROUNDS 300
#define LEN    2048

struct ends {
    struct t_duo d;
    char mem_key[2][T_KEY], bit_key[2][T_KEY];
    atomic_int tgid[2], exported[2], imported[2], done[2];
};

static void refusals(aclrtNotify mine, aclrtNotify theirs, aclrtStream s)
{
    char key[T_KEY];
    int32_t pids[2] = {1, 2};
    aclrtNotify n;
    t_acl_fails(aclrtNotifyGetExportKey(mine, key, T_KEY, 0), ACL_ERROR_RT_INTERNAL_ERROR);
    t_acl_fails(aclrtNotifyGetExportKey(theirs, key, T_KEY, 0), ACL_ERROR_RT_INTERNAL_ERROR);
    t_acl_fails(aclrtNotifyGetExportKey(mine, key, 40, 0), ACL_ERROR_RT_PARAM_INVALID);
    t_acl_fails(aclrtNotifyGetExportKey(mine, key, T_KEY, 1), ACL_ERROR_RT_PARAM_INVALID);
    t_acl_fails(aclrtNotifySetImportPid(mine, pids, 2), ACL_ERROR_RT_PARAM_INVALID);
    t_acl_fails(aclrtWaitAndResetNotify(theirs, s, 1), ACL_ERROR_RT_PARAM_INVALID);
    t_acl_fails(aclrtNotifyImportByKey(&n, "0", 2), ACL_ERROR_RT_DRV_INTERNAL_ERROR);
}

static int side(struct ends *e, int me)
{
    int peer = 1 - me;
    int32_t pid;
    aclrtNotify mine, theirs;
    void *far;
    t_device(me);
    t_acl_ok(aclrtDeviceGetBareTgid(&pid));
    atomic_store(&e->tgid[me], pid);
    t_await(&e->tgid[peer], 1);
    pid = atomic_load(&e->tgid[peer]);

    aclrtStream s = t_stream(), w = t_stream();
    char *box = t_dev_alloc(LEN), *src = t_dev_alloc(LEN), *out = t_pinned(ROUNDS * LEN);
    char *in = t_pinned(ROUNDS * LEN);
    t_fill(in, ROUNDS * LEN, (uint64_t)me + 1);
    t_export_to(box, LEN, e->mem_key[me], pid);
    t_acl_ok(aclrtCreateNotify(&mine, 0));
    t_acl_ok(aclrtNotifyGetExportKey(mine, e->bit_key[me], T_KEY, 0));
    t_check(strlen(e->bit_key[me]) == 40, "a notify key has 40 characters");
    t_acl_ok(aclrtNotifySetImportPid(mine, &pid, 1));
    atomic_store(&e->exported[me], 1);
    t_await(&e->exported[peer], 1);
    t_acl_ok(aclrtIpcMemImportByKey(&far, e->mem_key[peer], 1));
    t_acl_ok(aclrtNotifyImportByKey(&theirs, e->bit_key[peer], 2));
    refusals(mine, theirs, s);
    atomic_store(&e->imported[me], 1);
    t_await(&e->imported[peer], 1);

    /* ping-pong: side 0 starts; the bit means "the box is yours" */
    for (int i = 0; i < ROUNDS; i++) {
        if (me == 1 || i > 0) {
            t_acl_ok(aclrtWaitAndResetNotify(mine, s, 20));
            t_acl_ok(aclrtMemcpyAsync(out + i * LEN, LEN, box, LEN, ACL_MEMCPY_DEVICE_TO_HOST, s));
        }
        t_acl_ok(aclrtMemcpyAsync(src, LEN, in + i * LEN, LEN, ACL_MEMCPY_HOST_TO_DEVICE, s));
        t_d2d(far, src, LEN, s);
        t_acl_ok(aclrtRecordNotify(theirs, s));
    }
    if (me == 0) {
        t_acl_ok(aclrtWaitAndResetNotify(mine, s, 20));
    }
    t_acl_ok(aclrtSynchronizeStream(s));
    int shift = me == 0;
    t_verify(out + shift * LEN, (size_t)(ROUNDS - shift) * LEN, (uint64_t)peer + 1, 0);
    t_check(npusim_counter("notify.record_on_set") == 0 &&
                npusim_counter("notify.wait_done") == ROUNDS,
            "every record was consumed");
    atomic_store(&e->done[me], 1);
    t_await(&e->done[peer], 1);
    t_acl_ok(aclrtDestroyNotify(theirs));
    t_acl_ok(aclrtDestroyNotify(mine));
    t_acl_ok(aclrtIpcMemClose(e->mem_key[peer]));
    t_acl_ok(aclrtDestroyStream(w));
    return 0;
}

static int second(void *arg)
{
    return side(arg, 1);
}

int main(void)
{
    struct ends *e = t_shared(sizeof(*e));
    t_deadline(60);
    pid_t child = t_child(second, e);
    side(e, 0);
    t_wait_ok(child);
    return 0;
}
