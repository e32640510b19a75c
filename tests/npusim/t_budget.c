/* SPDX-License-Identifier: BSD-3-Clause */
/* A device's memory (NPUSIM_HBM) is shared by all processes: what one holds,
 * another cannot get; what one that was killed with -9 held comes back with
 * the next aclInit, or with the allocation that would otherwise fail (P09). */
#include <signal.h>

#include "t_sim.h"

#define BIG (40 * T_MIB)

static int holder(void *arg)
{
    struct t_duo *d = arg;
    t_device(0);
    t_dev_alloc(BIG);
    atomic_store(&d->reply, 1);
    pause();
    return 1;
}

int main(void)
{
    struct t_duo *d = t_shared(sizeof(*d));
    size_t free_bytes, total;
    void *p;
    t_deadline(60);
    setenv("NPUSIM_HBM", "64M", 1);
    pid_t child = t_child(holder, d);
    t_await(&d->reply, 1);

    t_device(0);
    t_acl_ok(aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total));
    t_check(total == 64 * T_MIB && free_bytes <= total - BIG, "%zu of %zu free", free_bytes, total);
    t_acl_fails(aclrtMalloc(&p, BIG, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_MEMORY_ALLOCATION);
    t_message_has("aclrtMalloc");
    t_acl_ok(aclrtSetDevice(1));
    p = t_dev_alloc(BIG); /* another device has its own */
    t_dev_free(p);

    kill(child, SIGKILL);
    t_check(t_wait(child) == 128 + SIGKILL, "the holder was killed");
    t_acl_ok(aclrtSetDevice(0));
    p = t_dev_alloc(BIG);
    t_dev_free(p);

    /* rounding up to 2 MiB pages does not fit: 4 KiB pages do */
    p = t_dev_alloc(61 * T_MIB);
    void *q = t_dev_alloc(2 * T_MIB - 64 * 1024);
    t_dev_free(q);
    t_dev_free(p);
    return 0;
}
