/* SPDX-License-Identifier: BSD-3-Clause */
/* A notify is one bit: a record before the wait is kept, a second one is lost
 * and counted, a wait consumes, a wait that expires ends its stream, only the
 * device of creation waits; NPUSIM_MAX_NOTIFY is the device's supply (P68). */
#include "t_sim.h"

int main(void)
{
    aclrtNotify n, more;
    aclrtStreamStatus st;
    t_deadline(60);
    setenv("NPUSIM_MAX_NOTIFY", "3", 1);
    t_device(0);
    aclrtStream s = t_stream(), r = t_stream();
    t_acl_ok(aclrtCreateNotify(&n, ACL_NOTIFY_DEFAULT));
    t_acl_fails(aclrtCreateNotify(&more, 2), ACL_ERROR_RT_PARAM_INVALID);

    t_acl_ok(aclrtRecordNotify(n, r));
    t_acl_ok(aclrtRecordNotify(n, r));
    t_acl_ok(aclrtSynchronizeStream(r));
    t_check(npusim_counter("notify.record_on_set") == 1, "the second record is counted");
    t_acl_ok(aclrtWaitAndResetNotify(n, s, 5));
    t_acl_ok(aclrtSynchronizeStream(s));
    t_acl_ok(aclrtWaitAndResetNotify(n, s, 1));
    t_acl_ok(aclrtStreamQuery(s, &st));
    t_check(st == ACL_STREAM_STATUS_NOT_READY, "one record satisfies one wait, status %d", st);
    t_acl_fails(aclrtSynchronizeStream(s), ACL_ERROR_RT_TS_ERROR);
    t_message_has("timed out after 1 s");
    t_check(npusim_counter("notify.wait_done") == 1, "one wait was satisfied");

    t_acl_ok(aclrtRecordNotify(n, r));
    t_acl_ok(aclrtSynchronizeStream(r));
    t_acl_ok(aclrtNotifyBatchReset(&n, 1));
    aclrtStream s2 = t_stream();
    t_acl_ok(aclrtWaitAndResetNotify(n, s2, 0));
    t_acl_ok(aclrtStreamQuery(s2, &st));
    t_check(st == ACL_STREAM_STATUS_NOT_READY, "the reset cleared the bit");
    t_acl_ok(aclrtDestroyStreamForce(s2));

    t_acl_ok(aclrtCreateNotify(&more, 0));
    t_acl_ok(aclrtCreateNotify(&more, 0));
    aclrtNotify none;
    t_acl_fails(aclrtCreateNotify(&none, 0), ACL_ERROR_RT_NO_NOTIFY_RESOURCE);
    t_acl_ok(aclrtDestroyNotify(more));
    t_acl_fails(aclrtDestroyNotify(more), ACL_ERROR_RT_INVALID_HANDLE);
    t_acl_ok(aclrtCreateNotify(&more, 0));

    t_acl_ok(aclrtSetDevice(1));
    aclrtStream far = t_stream();
    t_acl_fails(aclrtWaitAndResetNotify(n, far, 1), ACL_ERROR_RT_PARAM_INVALID);
    t_acl_ok(aclrtCreateNotify(&none, 0));
    return 0;
}
