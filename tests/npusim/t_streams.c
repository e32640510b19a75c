/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks of a stream run in order, streams wait for each other's events, and
 * freed memory in a queued task is an error of that stream alone. */
#include "t_sim.h"

#define ROUNDS 500
#define LEN    1024

int main(void)
{
    t_deadline(60);
    t_device(0);
    aclrtStream one = t_stream(), two = t_stream();
    aclrtEvent there, back;
    t_acl_ok(aclrtCreateEventExWithFlag(&there, ACL_EVENT_SYNC));
    t_acl_ok(aclrtCreateEventExWithFlag(&back, ACL_EVENT_SYNC));
    char *host = t_pinned(ROUNDS * LEN), *out = t_pinned(ROUNDS * LEN);
    char *a = t_dev_alloc(LEN), *b = t_dev_alloc(LEN);
    t_fill(host, ROUNDS * LEN, 9);
    for (int i = 0; i < ROUNDS; i++) {
        t_acl_ok(aclrtMemcpyAsync(a, LEN, host + i * LEN, LEN, ACL_MEMCPY_HOST_TO_DEVICE, one));
        t_acl_ok(aclrtRecordEvent(there, one));
        t_acl_ok(aclrtStreamWaitEvent(two, there));
        t_d2d(b, a, LEN, two);
        t_acl_ok(aclrtMemcpyAsync(out + i * LEN, LEN, b, LEN, ACL_MEMCPY_DEVICE_TO_HOST, two));
        t_acl_ok(aclrtRecordEvent(back, two));
        t_acl_ok(aclrtStreamWaitEvent(one, back));
    }
    t_acl_ok(aclrtSynchronizeStream(two));
    t_verify(out, ROUNDS * LEN, 9, 0);

    /* held back by a notify, so that the free comes before the copy */
    aclrtNotify gate;
    t_acl_ok(aclrtCreateNotify(&gate, 0));
    t_acl_ok(aclrtWaitAndResetNotify(gate, one, 20));
    t_d2d(b, a, LEN, one);
    t_dev_free(a);
    t_acl_ok(aclrtRecordNotify(gate, two));
    t_acl_fails(aclrtSynchronizeStream(one), ACL_ERROR_RT_DEVICE_MEM_ERROR);
    t_acl_ok(aclrtSynchronizeStream(two));
    aclrtStreamStatus st;
    t_acl_fails(aclrtStreamQuery(one, &st), ACL_ERROR_RT_DEVICE_MEM_ERROR);
    t_acl_fails(aclrtSynchronizeDevice(), ACL_ERROR_RT_DEVICE_MEM_ERROR);

    /* later work of a failed stream is not done; its events end with the error */
    t_acl_ok(aclrtRecordEvent(there, one));
    t_acl_fails(aclrtSynchronizeEvent(there), ACL_ERROR_RT_DEVICE_MEM_ERROR);

    t_acl_ok(aclrtDestroyStreamForce(one));
    t_acl_fails(aclrtSynchronizeStream(one), ACL_ERROR_RT_INVALID_HANDLE);
    t_acl_fails(aclrtDestroyStream((aclrtStream)&one), ACL_ERROR_RT_INVALID_HANDLE);
    t_acl_ok(aclrtDestroyStream(two));
    t_acl_ok(aclrtDestroyEvent(there));
    t_acl_fails(aclrtDestroyEvent(there), ACL_ERROR_RT_INVALID_HANDLE);
    return 0;
}
