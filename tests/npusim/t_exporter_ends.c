/* SPDX-License-Identifier: BSD-3-Clause */
/* After the exporter closed, freed or died, a copy from its memory is accepted
 * and fails when it runs; the error stays on the stream and on no other, and
 * the importer closes as always (P12, K5). */
#include <signal.h>
#include <time.h>

#include "t_sim.h"

enum end {
    BY_CLOSE,
    BY_FREE,
    BY_DEATH,
    BY_EXIT
};

struct play {
    struct t_duo d;
    enum end end;
};

static int exporter(void *arg)
{
    struct play *p = arg;
    t_device(0);
    t_await(&p->d.tgid, 1);
    void *m = t_dev_alloc(8192);
    t_dev_fill(m, 8192, 4);
    t_export_to(m, 8192, p->d.key, atomic_load(&p->d.tgid));
    atomic_store(&p->d.step, 1);
    t_await(&p->d.reply, 1);
    if (p->end == BY_CLOSE) {
        t_acl_ok(aclrtIpcMemClose(p->d.key));
    } else if (p->end == BY_FREE) {
        t_dev_free(m);
        t_check(t_dev_alloc(8192) == m, "the address is used again");
    } else if (p->end == BY_DEATH) {
        raise(SIGKILL);
    } else {
        exit(0);
    }
    atomic_store(&p->d.step, 2);
    t_await(&p->d.reply, 2);
    return 0;
}

static int importer(void *arg)
{
    struct play *p = arg;
    void *far;
    t_device(0);
    t_announce(&p->d);
    t_await(&p->d.step, 1);
    t_acl_ok(aclrtIpcMemImportByKey(&far, p->d.key, 0));
    aclrtStream s = t_stream(), good = t_stream();
    void *mine = t_dev_alloc(8192);
    t_d2d(mine, far, 8192, s);
    t_acl_ok(aclrtSynchronizeStream(s));
    t_dev_verify(mine, 8192, 4, 0);
    atomic_store(&p->d.reply, 1);
    if (p->end == BY_DEATH || p->end == BY_EXIT) {
        struct timespec nap = {0, 300000000};
        nanosleep(&nap, NULL);
    } else {
        t_await(&p->d.step, 2);
    }
    t_d2d(mine, far, 8192, s);
    t_acl_fails(aclrtSynchronizeStream(s), ACL_ERROR_RT_SUSPECT_REMOTE_ERROR);
    t_message_has("exporter closed, freed or died");
    t_d2d(mine, mine + 64, 64, s);
    t_acl_fails(aclrtSynchronizeStream(s), ACL_ERROR_RT_SUSPECT_REMOTE_ERROR);
    t_dev_verify(mine, 8192, 4, 0);
    t_d2d((char *)mine + 4096, mine, 64, good);
    t_acl_ok(aclrtSynchronizeStream(good));
    void *again;
    t_acl_fails(aclrtIpcMemImportByKey(&again, p->d.key, 0), ACL_ERROR_RT_DRV_INTERNAL_ERROR);
    t_acl_ok(aclrtIpcMemClose(p->d.key));
    t_acl_fails(aclrtIpcMemClose(p->d.key), ACL_ERROR_RT_DRV_INTERNAL_ERROR);
    atomic_store(&p->d.reply, 2);
    return 0;
}

int main(void)
{
    t_deadline(60);
    for (int end = BY_CLOSE; end <= BY_EXIT; end++) {
        struct play *p = t_shared(sizeof(*p));
        p->end = (enum end)end;
        pid_t a = t_child(exporter, p), b = t_child(importer, p);
        int status = t_wait(a);
        t_check(status == (end == BY_DEATH ? 128 + SIGKILL : 0), "exporter %d: %d", end, status);
        t_wait_ok(b);
    }
    return 0;
}
