/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
/* Whitelists name bare tgids, which need not be process ids
 * (NPUSIM_TGID_OFFSET), and count only for processes that ran when they were
 * listed (K4, P39). */
#include <linux/sched.h>
#include <signal.h>
#include <sys/syscall.h>

#include "t_sim.h"

static int named_by_tgid(void *arg)
{
    struct t_duo *d = arg;
    void *p;
    int32_t pid;
    setenv("NPUSIM_TGID_OFFSET", "100000", 1);
    t_device(0);
    t_acl_ok(aclrtDeviceGetBareTgid(&pid));
    t_check(pid == (int32_t)getpid() + 100000, "tgid %d of process %d", pid, (int)getpid());
    t_announce(d);
    t_await(&d->step, 1);
    t_acl_fails(aclrtIpcMemImportByKey(&p, d->other_key, 0), ACL_ERROR_RT_DRV_INTERNAL_ERROR);
    t_acl_ok(aclrtIpcMemImportByKey(&p, d->key, 0));
    return 0;
}

/* A process with a chosen id, for the test of reused ids. */
static pid_t fork_as(pid_t pid)
{
    struct clone_args args = {
        .exit_signal = SIGCHLD, .set_tid = (uintptr_t)&pid, .set_tid_size = 1};
    return (pid_t)syscall(SYS_clone3, &args, sizeof(args));
}

/* Makes a process that starts after its id was listed: it is another one. */
static int late(void *arg)
{
    struct t_duo *d = arg;
    t_await(&d->step, 1);
    pid_t pid = fork_as((pid_t)atomic_load(&d->tgid));
    if (pid < 0) {
        return T_SKIP; /* only a privileged process may choose */
    }
    if (pid == 0) {
        void *p;
        t_device(0);
        t_acl_fails(aclrtIpcMemImportByKey(&p, d->key, 0), ACL_ERROR_RT_DRV_INTERNAL_ERROR);
        _exit(0);
    }
    return t_wait(pid);
}

static pid_t unused_pid(void)
{
    pid_t pid = getpid() + 2000;
    while (kill(pid, 0) == 0) {
        pid++;
    }
    return pid;
}

int main(void)
{
    struct t_duo *d = t_shared(sizeof(*d)), *e = t_shared(sizeof(*e));
    t_deadline(60);
    pid_t child = t_child(named_by_tgid, d), maker = t_child(late, e);
    t_device(0);
    void *m = t_dev_alloc(100);
    int32_t tgid = t_partner(d);
    t_check(tgid == (int32_t)child + 100000, "announced %d, process %d", tgid, (int)child);
    t_export_to(m, 100, d->key, tgid);
    t_export_to(m, 100, d->other_key, (int32_t)child); /* getpid() is the wrong name */
    atomic_store(&d->step, 1);
    t_wait_ok(child);

    pid_t next = unused_pid();
    t_export_to(m, 100, e->key, (int32_t)next);
    usleep(30000); /* start times have a resolution of 10 ms */
    atomic_store(&e->tgid, (int)next);
    atomic_store(&e->step, 1);
    int status = t_wait(maker);
    t_check(status == 0 || status == T_SKIP, "the late process ended with %d", status);
    return 0;
}
