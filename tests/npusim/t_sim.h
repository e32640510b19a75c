/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the simulator's own tests share. They are linked with the library, so
 * the ABI's functions are called directly; children are forked before anybody
 * initialises.
 */
#ifndef T_SIM_H
#define T_SIM_H

#include <npusim.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/helpers/t_helpers.h"

#define T_MIB ((size_t)1 << 20)
#define T_KEY ASCEND_ABI_IPC_KEY_SIZE

/* the words two processes of a test share; use is up to the test */
struct t_duo {
    atomic_int step;  /* first process says how far it is */
    atomic_int reply; /* second process says how far it is */
    atomic_int tgid;  /* bare tgid of the second */
    char key[T_KEY], notify_key[T_KEY], other_key[T_KEY];
};

/* Has aclGetRecentErrMsg() this text in it? Reading clears it. */
static inline void t_message_has(const char *text)
{
    const char *m = aclGetRecentErrMsg();
    t_check(m != NULL && strstr(m, text) != NULL, "'%s' in the recent message, which is: %s", text,
            m != NULL ? m : "none");
}

static inline aclrtStream t_stream(void)
{
    aclrtStream s = NULL;
    t_acl_ok(aclrtCreateStream(&s));
    return s;
}

static inline void *t_pinned(size_t size)
{
    void *p = NULL;
    t_acl_ok(aclrtMallocHost(&p, size));
    return p;
}

/* Asynchronous device-to-device copy that must be accepted. */
static inline void t_d2d(void *dst, const void *src, size_t size, aclrtStream s)
{
    t_acl_ok(aclrtMemcpyAsync(dst, size, src, size, ACL_MEMCPY_DEVICE_TO_DEVICE, s));
}

/* Second process of a duo: says who it is, once a device is set. */
static inline void t_announce(struct t_duo *d)
{
    int32_t pid;
    t_acl_ok(aclrtDeviceGetBareTgid(&pid));
    atomic_store(&d->tgid, pid);
}

/* First process: waits for that. */
static inline int32_t t_partner(struct t_duo *d)
{
    t_await(&d->tgid, 1);
    return atomic_load(&d->tgid);
}

/* Exports with the partner on the list. */
static inline void t_export_to(void *p, size_t size, char *key, int32_t pid)
{
    memset(key, 0, T_KEY);
    t_acl_ok(aclrtIpcMemGetExportKey(p, size, key, T_KEY, 0));
    t_acl_ok(aclrtIpcMemSetImportPid(key, &pid, 1));
}

#endif
