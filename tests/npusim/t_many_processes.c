/* SPDX-License-Identifier: BSD-3-Clause */
/* A process that outlives many others keeps nothing of them: with few file
 * descriptors it still sees the memory of the last as it saw the first's. */
#include <signal.h>
#include <sys/resource.h>

#include "t_sim.h"

#define PROCESSES 60
#define BIG       (40 * T_MIB)

static int survivor(void *arg)
{
    struct t_duo *d = arg;
    struct rlimit few = {32, 32};
    size_t free_bytes, total;
    t_check(setrlimit(RLIMIT_NOFILE, &few) == 0, "32 descriptors");
    t_device(0);
    for (int i = 1; i <= PROCESSES; i++) {
        t_await(&d->step, i);
        t_acl_ok(aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total));
        t_check(free_bytes <= total - BIG, "process %d is seen, %zu of %zu free", i, free_bytes,
                total);
        atomic_store(&d->reply, i);
    }
    return 0;
}

static int passer_by(void *arg)
{
    struct t_duo *d = arg;
    t_device(0);
    t_dev_alloc(BIG);
    atomic_fetch_add(&d->step, 1);
    pause();
    return 1;
}

int main(void)
{
    struct t_duo *d = t_shared(sizeof(*d));
    t_deadline(60);
    setenv("NPUSIM_HBM", "64M", 1);
    pid_t old = t_child(survivor, d);
    for (int i = 1; i <= PROCESSES; i++) {
        pid_t child = t_child(passer_by, d);
        t_await(&d->reply, i);
        kill(child, SIGKILL);
        t_wait(child);
    }
    t_wait_ok(old);
    return 0;
}
