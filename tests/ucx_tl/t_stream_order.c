/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * P66: whose duty it is to wait for the stream that writes a buffer, as docs/ucx.md
 * and docs/mpi.md say it. A message carries what a synchronised stream has
 * written, also where streams do nothing unasked; it does not wait for one that
 * was not synchronised (the old bytes go, without an error). What was received
 * is there for any stream at once, and a buffer that was sent may be written to
 * as soon as the send has completed. run.tab makes streams lazy.
 */
#include "t_ucx.h"

#define SIZE ((size_t)1 << 20)

static aclrtStream t_stream(void)
{
    aclrtStream stream;

    T_ACL(aclrtCreateStream(&stream));
    return stream;
}

/* The producer: a device copy on the program's own stream. */
static void t_produce(void *dst, const void *src, aclrtStream stream)
{
    T_ACL(aclrtMemcpyAsync(dst, SIZE, src, SIZE, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
}

static void t_sender(t_ctx_t *t)
{
    aclrtStream stream = t_stream();
    char *fresh = t_alloc(T_DEVICE, SIZE), *buf = t_alloc(T_DEVICE, SIZE);
    aclrtStream other = t_stream();
    aclrtNotify gate;

    /* Synchronised: the new bytes. Then overwritten at once: they have gone. */
    t_fill(T_DEVICE, buf, SIZE, 1);
    t_fill(T_DEVICE, fresh, SIZE, 2);
    t_produce(buf, fresh, stream);
    T_ACL(aclrtSynchronizeStream(stream));
    t_wait(t, t_send(t, t->ep, buf, SIZE, 1));
    T_ACL(aclrtMemsetAsync(buf, SIZE, 0, SIZE, stream));
    T_ACL(aclrtSynchronizeStream(stream));
    t_sync(t);

    /* Not synchronised, and held back for certain: the old bytes. */
    t_fill(T_DEVICE, buf, SIZE, 3);
    t_fill(T_DEVICE, fresh, SIZE, 4);
    T_ACL(aclrtCreateNotify(&gate, 0));
    T_ACL(aclrtWaitAndResetNotify(gate, stream, 30000));
    t_produce(buf, fresh, stream);
    t_wait(t, t_send(t, t->ep, buf, SIZE, 2));
    t_sync(t);
    T_ACL(aclrtRecordNotify(gate, other));
    T_ACL(aclrtSynchronizeStream(other));
    T_ACL(aclrtSynchronizeStream(stream));
    t_verify(T_DEVICE, buf, SIZE, 4, "what the stream wrote in the end");
    T_ACL(aclrtDestroyNotify(gate));
    T_ACL(aclrtDestroyStream(other));
    T_ACL(aclrtDestroyStream(stream));
    t_free(T_DEVICE, fresh);
    t_free(T_DEVICE, buf);
}

static void t_receiver(t_ctx_t *t)
{
    aclrtStream stream = t_stream();
    char *buf = t_alloc(T_DEVICE, SIZE), *copy = t_alloc(T_DEVICE, SIZE);

    /* The consumer's stream has not been told of anything. */
    t_poison(T_DEVICE, buf, SIZE);
    t_wait(t, t_recv(t, buf, SIZE, 1));
    t_produce(copy, buf, stream);
    T_ACL(aclrtSynchronizeStream(stream));
    t_verify(T_DEVICE, copy, SIZE, 2, "what the sender's stream had written");
    t_sync(t);

    t_poison(T_DEVICE, buf, SIZE);
    t_wait(t, t_recv(t, buf, SIZE, 2));
    t_verify(T_DEVICE, buf, SIZE, 3, "what was in the buffer before the stream went on");
    t_sync(t);
    T_ACL(aclrtDestroyStream(stream));
    t_free(T_DEVICE, copy);
    t_free(T_DEVICE, buf);
}

static void t_stream_order(t_ctx_t *t)
{
    t_load_module();
    t_acl_open(t);
    t_open(t, 0);
    (t->rank == 0 ? t_sender : t_receiver)(t);
    t_close(t);
}

int main(int argc, char **argv)
{
    return t_pair(argc, argv, t_stream_order);
}
