/* SPDX-License-Identifier: BSD-3-Clause */
/* Events: the two opposite encodings, before the first record, times,
 * timeouts, flags. */
#include <time.h>

#include "t_sim.h"

int main(void)
{
    aclrtEvent old, ex, plain;
    aclrtEventRecordedStatus st;
    aclrtEventStatus inverse;
    float ms;
    t_deadline(60);
    t_device(0);
    aclrtStream s = t_stream(), other = t_stream();
    aclrtNotify gate;
    t_acl_ok(aclrtCreateNotify(&gate, 0));
    t_acl_ok(aclrtCreateEvent(&old));
    t_acl_ok(aclrtCreateEventExWithFlag(&ex, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE));
    t_acl_ok(aclrtCreateEventExWithFlag(&plain, ACL_EVENT_CAPTURE_STREAM_PROGRESS));
    t_acl_fails(aclrtCreateEventExWithFlag(&ex, ACL_EVENT_IPC), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    t_acl_fails(aclrtCreateEventWithFlag(&ex, 0x8000), ACL_ERROR_RT_PARAM_INVALID);
    t_acl_fails(aclrtCreateEventWithFlag(&old, ACL_EVENT_EXTERNAL | ACL_EVENT_SYNC),
                ACL_ERROR_RT_PARAM_INVALID);

    t_acl_ok(aclrtQueryEventStatus(ex, &st));
    t_check(st == ACL_EVENT_RECORDED_STATUS_COMPLETE, "before the first record: %d", st);
    t_acl_fails(aclrtEventElapsedTime(&ms, old, ex), ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID);

    t_acl_ok(aclrtWaitAndResetNotify(gate, s, 20));
    t_acl_ok(aclrtRecordEvent(old, s));
    t_acl_ok(aclrtRecordEvent(ex, s));
    t_acl_ok(aclrtQueryEventStatus(ex, &st));
    t_check(st == ACL_EVENT_RECORDED_STATUS_NOT_READY, "behind a wait: %d", st);
    t_acl_ok(aclrtQueryEvent(old, &inverse));
    t_check(inverse == ACL_EVENT_STATUS_NOT_READY, "old query: %d", inverse);
    t_acl_fails(aclrtQueryEvent(ex, &inverse), ACL_ERROR_RT_PARAM_INVALID);
    t_acl_fails(aclrtSynchronizeEventWithTimeout(ex, 20), ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
    t_acl_fails(aclrtSynchronizeStreamWithTimeout(s, 20), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    t_acl_fails(aclrtSynchronizeStreamWithTimeout(s, -2), ACL_ERROR_RT_PARAM_INVALID);

    t_acl_ok(aclrtRecordNotify(gate, other));
    t_acl_ok(aclrtSynchronizeEvent(ex));
    t_acl_ok(aclrtSynchronizeEvent(old));
    t_acl_ok(aclrtQueryEvent(old, &inverse));
    t_check(inverse == ACL_EVENT_STATUS_COMPLETE, "old query: %d", inverse);

    struct timespec nap = {0, 20000000};
    nanosleep(&nap, NULL);
    t_acl_ok(aclrtRecordEvent(ex, s));
    t_acl_ok(aclrtSynchronizeStream(s));
    t_acl_ok(aclrtEventElapsedTime(&ms, old, ex));
    t_check(ms >= 19.0f && ms < 20000.0f, "20 ms nap measured as %f ms", (double)ms);
    t_acl_fails(aclrtEventElapsedTime(&ms, ex, old), ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL);

    t_acl_ok(aclrtRecordEvent(plain, s));
    t_acl_fails(aclrtStreamWaitEvent(other, plain), ACL_ERROR_RT_PARAM_INVALID);
    t_acl_ok(aclrtSynchronizeStream(s));
    t_acl_fails(aclrtEventElapsedTime(&ms, plain, ex), ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID);

    /* an event wait that expires ends its stream */
    t_acl_ok(aclrtWaitAndResetNotify(gate, s, 20));
    t_acl_ok(aclrtRecordEvent(ex, s));
    t_acl_ok(aclrtStreamWaitEventWithTimeout(other, ex, 1));
    t_acl_fails(aclrtSynchronizeStream(other), ACL_ERROR_RT_TS_ERROR);
    t_acl_ok(aclrtDestroyStreamForce(s));
    return 0;
}
