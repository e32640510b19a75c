/* SPDX-License-Identifier: BSD-3-Clause */
/* A CPU that touches device memory, own or imported, gets SIGSEGV: code that
 * takes a device pointer for host memory must not pass on the simulator (P23). */
#include <signal.h>

#include "t_sim.h"

static int reads(void *arg)
{
    (void)arg;
    signal(SIGSEGV, SIG_DFL);
    t_device(0);
    volatile char *p = t_dev_alloc(100);
    return p[0];
}

static int writes(void *arg)
{
    (void)arg;
    signal(SIGSEGV, SIG_DFL);
    t_device(0);
    volatile char *p = t_dev_alloc(3 * T_MIB);
    p[2 * T_MIB] = 1;
    return 0;
}

static int reads_import(void *arg)
{
    char key[T_KEY] = "";
    void *q = NULL;
    (void)arg;
    signal(SIGSEGV, SIG_DFL);
    t_device(0);
    void *p = t_dev_alloc(4096);
    t_acl_ok(aclrtIpcMemGetExportKey(p, 4096, key, T_KEY, 1));
    t_acl_ok(aclrtIpcMemImportByKey(&q, key, 0));
    return *(volatile char *)q;
}

int main(void)
{
    t_deadline(60);
    int (*const fn[])(void *) = {reads, writes, reads_import};
    for (int i = 0; i < 3; i++) {
        int status = t_wait(t_child(fn[i], NULL));
        t_check(status == 128 + SIGSEGV, "case %d ended with %d", i, status);
    }
    return 0;
}
