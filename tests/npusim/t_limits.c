/* SPDX-License-Identifier: BSD-3-Clause */
/* NPUSIM_MAX_STREAM, _EVENT and _EXPORT: one more than there are is refused with
 * its code, what is given back can be had again; streams and events of a device
 * are shared by the processes, exports are a process's own (P09, P26). */
#include "t_sim.h"

static int holder(void *arg)
{
    struct t_duo *d = arg;
    aclrtEvent ev;
    char key[T_KEY];
    t_device(0); /* takes a default stream */
    t_stream();
    t_acl_ok(aclrtCreateEvent(&ev));
    t_acl_ok(aclrtIpcMemGetExportKey(t_dev_alloc(64), 64, key, T_KEY, 1));
    atomic_store(&d->reply, 1);
    t_await(&d->step, 1);
    return 0;
}

static void streams(void)
{
    aclrtStream s = t_stream(), more;
    t_acl_fails(aclrtCreateStream(&more), ACL_ERROR_RT_NO_STREAM_RESOURCE);
    t_acl_ok(aclrtDestroyStream(s));
    t_stream();
    t_acl_fails(aclrtCreateStream(&more), ACL_ERROR_RT_NO_STREAM_RESOURCE);
}

static void events(void)
{
    aclrtEvent ev[2], more;
    t_acl_ok(aclrtCreateEvent(&ev[0]));
    t_acl_ok(aclrtCreateEventExWithFlag(&ev[1], ACL_EVENT_SYNC));
    t_acl_fails(aclrtCreateEvent(&more), ACL_ERROR_RT_NO_EVENT_RESOURCE);
    t_message_has("3 in all");
    t_acl_ok(aclrtDestroyEvent(ev[0]));
    t_acl_ok(aclrtCreateEvent(&ev[0]));
    t_acl_fails(aclrtCreateEvent(&more), ACL_ERROR_RT_NO_EVENT_RESOURCE);
    t_acl_ok(aclrtSetDevice(1));
    t_acl_ok(aclrtCreateEvent(&more)); /* another device has its own */
    t_acl_ok(aclrtSetDevice(0));
}

static void exports(void)
{
    char key[3][T_KEY] = {"", "", ""};
    void *p = t_dev_alloc(64), *q = t_dev_alloc(64), *r = t_dev_alloc(64);
    t_acl_ok(aclrtIpcMemGetExportKey(p, 64, key[0], T_KEY, 1));
    t_acl_ok(aclrtIpcMemGetExportKey(q, 64, key[1], T_KEY, 1));
    t_acl_fails(aclrtIpcMemGetExportKey(r, 64, key[2], T_KEY, 1), ACL_ERROR_RT_RESOURCE_ALLOC_FAIL);
    t_acl_ok(aclrtIpcMemClose(key[0]));
    t_acl_ok(aclrtIpcMemGetExportKey(r, 64, key[2], T_KEY, 1));
    t_dev_free(q); /* ends its export */
    t_acl_ok(aclrtIpcMemGetExportKey(p, 64, key[0], T_KEY, 1));
}

int main(void)
{
    struct t_duo *d = t_shared(sizeof(*d));
    t_deadline(60);
    setenv("NPUSIM_MAX_STREAM", "4", 1);
    setenv("NPUSIM_MAX_EVENT", "3", 1);
    setenv("NPUSIM_MAX_EXPORT", "2", 1);
    pid_t child = t_child(holder, d);
    t_await(&d->reply, 1);
    t_device(0);
    streams();
    events();
    exports();
    atomic_store(&d->step, 1);
    t_wait_ok(child);
    return 0;
}
