/* SPDX-License-Identifier: BSD-3-Clause */
/* NPUSIM_FAULT on calls: the n-th, every one, all from the n-th on, some by
 * chance and seed, calls of one MPI rank only; a plan that is not understood is
 * refused with what is wrong and what would be right (K8, P15, P56). */
#include <stdio.h>

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

static int from_second_on(void *arg)
{
    void *p;
    (void)arg;
    setenv("NPUSIM_FAULT", "aclrtMalloc:2+=207018", 1);
    t_device(0);
    t_dev_alloc(8);
    for (int i = 0; i < 3; i++) {
        t_acl_fails(aclrtMalloc(&p, 8, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_DEVICE_OOM);
    }
    return 0;
}

#define CALLS 2000

struct chance {
    const char *seed, *rank;
    unsigned char failed[CALLS];
};

/* which of many calls fail, by seed and rank */
static int chance(void *arg)
{
    struct chance *c = arg;
    uint64_t count = 0;
    setenv("NPUSIM_FAULT", "aclrtGetDevice:2.5%=507899", 1);
    setenv("NPUSIM_SEED", c->seed, 1);
    setenv("OMPI_COMM_WORLD_RANK", c->rank, 1);
    t_device(0);
    for (int i = 0; i < CALLS; i++) {
        int32_t dev;
        aclError rc = aclrtGetDevice(&dev);
        t_check(rc == ACL_SUCCESS || rc == ACL_ERROR_RT_DRV_INTERNAL_ERROR, "code %d", rc);
        c->failed[i] = rc != ACL_SUCCESS;
        count += rc != ACL_SUCCESS;
    }
    t_check(npusim_counter("fault.injected") == count, "all %d failures are counted", (int)count);
    t_check(count > CALLS / 100 && count < CALLS / 20, "%d of %d failed", (int)count, CALLS);
    return 0;
}

static void by_chance(void)
{
    static const char *const runs[][2] = {{"1", "0"}, {"1", "0"}, {"2", "0"}, {"1", "1"}};
    struct chance *c = t_shared(4 * sizeof(*c));
    for (int i = 0; i < 4; i++) {
        c[i].seed = runs[i][0];
        c[i].rank = runs[i][1];
        t_wait_ok(t_child(chance, &c[i]));
    }
    t_check(memcmp(c[0].failed, c[1].failed, CALLS) == 0, "the same seed and rank, the same calls");
    t_check(memcmp(c[0].failed, c[2].failed, CALLS) != 0, "another seed, other calls");
    t_check(memcmp(c[0].failed, c[3].failed, CALLS) != 0, "another rank, other calls");
}

struct refused {
    const char *plan, *part, *remedy;
};

static int is_refused(void *arg)
{
    const struct refused *r = arg;
    setenv("NPUSIM_FAULT", r->plan, 1);
    t_check(freopen("/dev/null", "w", stderr) != NULL, "stderr is quiet");
    aclError rc = aclInit(NULL);
    const char *m = aclGetRecentErrMsg();
    return rc != ACL_ERROR_INVALID_PARAM || m == NULL || strstr(m, r->part) == NULL ||
           strstr(m, r->remedy) == NULL;
}

static void refusals(void)
{
    static const struct refused all[] = {
        {"aclrtMalloc:1=5,aclrtMaloc:1=5", "'aclrtMaloc' is no function", "stream, copy"},
        {"aclrtMalloc=5", "'aclrtMalloc=5' is not of the form", "WHAT:WHEN=EFFECT"},
        {"aclrtMalloc:1=5,", "a rule is empty", ""},
        {"aclrtMalloc:0=5", "'0' does not say when", "N+"},
        {"aclrtMalloc:-1=5", "'-1' does not say when", "from 1"},
        {"aclrtMalloc:2x=5", "'2x' does not say when", "P%"},
        {"aclrtMalloc:0%=5", "'0%' is no chance", "up to 100"},
        {"aclrtMalloc:101%=5", "'101%' is no chance", "up to 100"},
        {"aclrtMalloc:1=", "'' is no effect", "a code above 0"},
        {"aclrtMalloc:1=-5", "'-5' is no effect", "a code above 0"},
        {"aclrtMalloc:1=5000000000", "'5000000000' is no effect", "a code above 0"},
        {"stream:1=stall/200", "'stall/200' is no effect", "us, ms or s"},
        {"stream:1=stall/2h", "'stall/2h' is no effect", "us, ms or s"},
        {"stream:1=stall/3601s", "'stall/3601s' is no effect", "an hour"},
        {"stream:1=lost", "'lost' cannot happen to 'stream'", "stall/TIME"},
        {"aclrtMalloc:1=lost", "'lost' cannot happen to 'aclrtMalloc'", "a code or stall/TIME"},
        {"notify:1=later", "'later' is no effect", "late/TIME"},
        {"device:1=507010", "'507010' cannot happen to 'device'", "takes lost"},
        {"device:5%=lost", "'5%' for 'device'", "write N or *"},
        {"device/64:1=lost", "'device/64' does not name a device", "below 64"},
        {"aclrtMalloc:1=5@", "'@' is no rank", "a number"},
        {"aclrtMalloc:1=5@x", "'@x' is no rank", "a number"},
    };
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        t_check(t_wait(t_child(is_refused, (void *)&all[i])) == 0, "%s is explained", all[i].plan);
    }
}

int main(void)
{
    t_deadline(100);
    t_wait_ok(t_child(from_second_on, NULL));
    by_chance();
    refusals();
    t_wait_ok(t_child(third_and_all, NULL));
    t_wait_ok(t_child(by_rank, "2"));
    t_wait_ok(t_child(by_rank, "0"));
    return 0;
}
