/* SPDX-License-Identifier: BSD-3-Clause */
/* Nothing the simulator maps or unmaps goes through mmap() and munmap(), where
 * communication libraries would see it: a real driver hides it, too. */
#include <sys/mman.h>
#include <sys/syscall.h>

#include "t_sim.h"

static atomic_int seen;

/* in front of the C library's, as a patched symbol would be */
void *mmap(void *at, size_t len, int prot, int flags, int fd, off_t offset)
{
    atomic_fetch_add(&seen, 1);
    return (void *)syscall(SYS_mmap, at, len, prot, flags, fd, offset);
}

int munmap(void *at, size_t len)
{
    atomic_fetch_add(&seen, 1);
    return (int)syscall(SYS_munmap, at, len);
}

int main(void)
{
    const char *sanitizers = getenv("ASC_SANITIZE");
    char key[T_KEY] = "";
    void *p;
    t_deadline(60);
    if (sanitizers != NULL && sanitizers[0] != '\0') {
        t_skip("sanitizers have an mmap of their own");
    }
    munmap(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4096);
    t_check(atomic_load(&seen) == 2, "the test's own mmap is in front");
    t_device(0);
    t_stream();
    atomic_store(&seen, 0);
    void *a = t_dev_alloc(5 * T_MIB), *h = t_pinned(4096), *b = t_dev_alloc(100);
    t_acl_ok(aclrtIpcMemGetExportKey(b, 100, key, T_KEY, 1));
    t_acl_ok(aclrtIpcMemImportByKey(&p, key, 0));
    t_acl_ok(aclrtMemset(a, 100, 1, 100));
    t_acl_ok(aclrtIpcMemClose(key));
    t_acl_ok(aclrtIpcMemClose(key));
    t_dev_free(a);
    t_dev_free(b);
    t_acl_ok(aclrtFreeHost(h));
    t_check(atomic_load(&seen) == 0, "%d mappings were seen", atomic_load(&seen));
    return 0;
}
