/* SPDX-License-Identifier: BSD-3-Clause */
/* NPUSIM_FAULT: the n-th call, every call, calls of one MPI rank only (K8,
 * P15, P56). */
#include "t_sim.h"

static int third_and_all(void *arg)
{
    void *p;
    aclrtEvent ev;
    (void)arg;
    setenv("NPUSIM_FAULT", "aclrtMalloc:3=207018,aclrtCreateEvent:*=207007", 1);
    t_device(0);
    t_dev_alloc(8);
    t_dev_alloc(8);
    t_acl_fails(aclrtMalloc(&p, 8, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_DEVICE_OOM);
    t_message_has("NPUSIM_FAULT");
    t_dev_alloc(8);
    t_acl_fails(aclrtCreateEvent(&ev), ACL_ERROR_RT_NO_EVENT_RESOURCE);
    t_acl_fails(aclrtCreateEvent(&ev), ACL_ERROR_RT_NO_EVENT_RESOURCE);
    t_check(npusim_counter("fault.injected") == 3, "three calls were failed");
    t_check(npusim_counter("call.aclrtMalloc") == 4, "failed calls are counted as calls");
    return 0;
}

static int by_rank(void *arg)
{
    const char *rank = arg;
    setenv("NPUSIM_FAULT", "aclInit:1=500001@2", 1);
    setenv("OMPI_COMM_WORLD_RANK", rank, 1);
    t_acl_fails(aclInit(NULL), strcmp(rank, "2") == 0 ? ACL_ERROR_FAILURE : ACL_SUCCESS);
    return 0;
}

int main(void)
{
    t_deadline(60);
    t_wait_ok(t_child(third_and_all, NULL));
    t_wait_ok(t_child(by_rank, "2"));
    t_wait_ok(t_child(by_rank, "0"));
    return 0;
}
