/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads that never chose a device can do everything (P31), and a thread that
 * uses another device or an explicit context gets its own back after each call.
 */
#include "tests/link/t_local.h"

#include <pthread.h>
#include <string.h>

#define SIZE 300000

static void *device_memory;

static void round_trip(void)
{
    static _Thread_local unsigned char out[SIZE], in[SIZE];
    asc_link_op_t op;
    asc_status_t status;
    void *pinned, *copy;

    t_fill(out, SIZE, (uint64_t)(uintptr_t)&op);
    t_check(asc_link_mem_alloc(SIZE, &copy) == ASC_OK, "device memory");
    t_check(asc_link_copy(copy, out, SIZE) == ASC_OK, "host to device");
    t_check(asc_link_pinned_get(SIZE, &pinned) == ASC_OK, "pinned memory");
    status = asc_link_copy_start(pinned, copy, SIZE, &op);
    while (status == ASC_INPROGRESS) {
        status = asc_link_op_test(&op);
    }
    t_check(status == ASC_OK, "device to pinned, not %s", asc_status_text(status));
    t_verify(pinned, SIZE, (uint64_t)(uintptr_t)&op, 0);
    t_check(asc_link_copy(in, copy, SIZE) == ASC_OK, "device to host");
    t_verify(in, SIZE, (uint64_t)(uintptr_t)&op, 0);
    t_check(asc_link_copy(in, device_memory, SIZE) == ASC_OK, "another thread's memory");
    t_verify(in, SIZE, 7, 0);
    asc_link_pinned_put(pinned, SIZE);
    t_check(asc_link_mem_free(copy) == ASC_OK, "free");
}

/* What the library tries in vain on the way is not the application's to read. */
static void *bare_thread(void *arg)
{
    const char *left;
    char byte;

    (void)arg;
    for (int i = 0; i < 20; ++i) {
        if (i == 0) { /* before anything has lent this thread a context */
            t_check(asc_link_copy(&byte, device_memory, 1) == ASC_OK, "the thread's first call");
        } else {
            round_trip();
        }
        left = T_ACL(aclGetRecentErrMsg)();
        t_check(left == NULL || left[0] == '\0', "round %d leaves the message: %s", i, left);
    }
    return NULL;
}

static void *other_context(void *arg)
{
    const asc_acl_t *acl = asc_acl_get();
    aclrtContext mine = NULL, now = NULL;
    int32_t device = -1;

    (void)arg;
    t_acl_ok(T_ACL(aclrtCreateContext)(&mine, 1));
    round_trip();
    t_acl_ok(acl->aclrtGetCurrentContext(&now));
    t_check(now == mine, "own context back: %p, not %p", mine, now);
    t_acl_ok(acl->aclrtGetDevice(&device));
    t_check(device == 1, "own device back: 1, not %d", device);
    t_acl_ok(T_ACL(aclrtDestroyContext)(mine));
    return NULL;
}

static void run(void *(*fn)(void *), unsigned count)
{
    pthread_t thread[4];

    for (unsigned i = 0; i < count; ++i) {
        t_check(pthread_create(&thread[i], NULL, fn, NULL) == 0, "a thread");
    }
    for (unsigned i = 0; i < count; ++i) {
        pthread_join(thread[i], NULL);
    }
}

int main(void)
{
    static unsigned char data[SIZE];

    t_deadline(50);
    t_link_start(0);
    t_check(asc_link_home_device() == 0, "home device 0");
    t_fill(data, SIZE, 7);
    t_check(asc_link_mem_alloc(SIZE, &device_memory) == ASC_OK, "device memory");
    t_check(asc_link_copy(device_memory, data, SIZE) == ASC_OK, "fill it");
    run(bare_thread, 1);
    run(other_context, 1);
    run(bare_thread, 4);
    t_check(asc_link_mem_free(device_memory) == ASC_OK, "free");
    return T_PASS;
}
