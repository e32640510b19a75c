/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * P37: UCX is started, and the processes are connected, before any device is
 * chosen; later the process changes to another device and sends from there.
 */
#include "t_ucx.h"

static void t_exchange(t_ctx_t *t, uint64_t tag)
{
    static const size_t sizes[] = {64, 8192, 1048576};

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); ++i) {
        void *buf = t_alloc(T_DEVICE, sizes[i]);

        if (t->rank == 0) {
            t_fill(T_DEVICE, buf, sizes[i], tag + i);
            t_wait(t, t_send(t, t->ep, buf, sizes[i], tag + i));
        } else {
            t_wait(t, t_recv(t, buf, sizes[i], tag + i));
            t_verify(T_DEVICE, buf, sizes[i], tag + i, "after a change of device");
        }
        t_sync(t);
        t_free(T_DEVICE, buf);
    }
}

static void t_device_later(t_ctx_t *t)
{
    int32_t device = -1;
    uint32_t count = 0;

    t_load_module();
    t_open(t, 0);
    t_acl_open(t);
    t_exchange(t, 100);

    T_ACL(aclrtGetDeviceCount(&count));
    if (count > 1) {
        T_ACL(aclrtSetDevice((t->rank + 1) % (int)count));
        t_exchange(t, 200);
        T_ACL(aclrtGetDevice(&device));
        T_CHECK(device == (t->rank + 1) % (int)count, "UCX left device %d current", device);
        T_ACL(aclrtSetDevice(t->rank % (int)count));
        t_exchange(t, 300);
    }
    t_close(t);
}

int main(int argc, char **argv)
{
    return t_pair(argc, argv, t_device_later);
}
