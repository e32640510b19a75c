/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Listeners hear of an allocation after it was made and of a free while the
 * memory is still there, in the order in which they were added, each event
 * once, with base and size. A free of unseen memory is announced too.
 */
#include "tests/link/t_local.h"

#include <string.h>

typedef struct t_heard {
    int who;
    asc_link_mem_event_t event;
    void *base;
    size_t size;
    bool there; /* what the runtime itself said then */
} t_heard_t;

static t_heard_t heard[64];
static unsigned count;

static void listen_to(asc_link_mem_event_t event, void *base, size_t size, void *arg)
{
    aclrtPtrAttributes attr;

    t_check(count < 64, "fewer events");
    heard[count++] = (t_heard_t){
        .who = *(int *)arg,
        .event = event,
        .base = base,
        .size = size,
        .there = asc_acl_get()->aclrtPointerGetAttributes(base, &attr) == ACL_SUCCESS &&
                 attr.location.type == ACL_MEM_LOCATION_TYPE_DEVICE,
    };
}

static void check_both(asc_link_mem_event_t event, void *base, size_t size)
{
    t_check(count == 2, "two listeners told once, not %u", count);
    for (unsigned i = 0; i < count; ++i) {
        t_check(heard[i].who == (int)i, "listener %u in turn, not %d", i, heard[i].who);
        t_check(heard[i].event == event && heard[i].base == base && heard[i].size == size,
                "event %d of %p + %zu, not %d of %p + %zu", (int)event, base, size,
                (int)heard[i].event, heard[i].base, heard[i].size);
        t_check(heard[i].there, "the memory to be there during event %d", (int)event);
    }
    count = 0;
}

int main(void)
{
    static int ids[] = {0, 1};
    void *unseen, *ptr;

    t_deadline(30);
    t_acl_ok(aclInit(NULL));
    t_acl_ok(aclrtSetDevice(0));
    t_acl_ok(aclrtMalloc(&unseen, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    t_link_start(0);
    t_link_hooks("hooks");
    t_check(asc_link_add_mem_listener(NULL, NULL) == ASC_ERR_INVALID, "a function is needed");
    t_check(asc_link_add_mem_listener(listen_to, &ids[0]) == ASC_OK, "first");
    t_check(asc_link_add_mem_listener(listen_to, &ids[1]) == ASC_OK, "second");
    t_acl_ok(aclrtMalloc(&ptr, 12345, ACL_MEM_MALLOC_HUGE_FIRST));
    check_both(ASC_LINK_MEM_ALLOC, ptr, 12345);
    t_acl_ok(aclrtFree(ptr));
    check_both(ASC_LINK_MEM_FREE, ptr, 12345);
    t_acl_ok(aclrtFree(unseen));
    check_both(ASC_LINK_MEM_FREE, unseen, 1);
    t_acl_ok(aclrtMalloc(&ptr, 777, ACL_MEM_MALLOC_HUGE_FIRST));
    count = 0;
    t_acl_ok(aclrtResetDeviceForce(0));
    t_check(count == 2 && heard[0].base == ptr && heard[0].event == ASC_LINK_MEM_FREE,
            "a reset to announce the end of what the device held");
    return T_PASS;
}
