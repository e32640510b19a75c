/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The application resets its device or finalises the runtime while the library
 * holds streams, pinned memory and a table of allocations (P72): nothing of it
 * is used again, memory of the device is known to be gone, later calls fail
 * with a status, quickly and silently, and a device that is set again works;
 * pinned memory lent before the end and given back after it is not lent again.
 * A reset that is not the last one keeps memory alive, under new generations.
 */
#include "asc_config.h"

#include "tests/link/t_local.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define SIZE 100000

static unsigned char data[SIZE], back[SIZE];

static void *use_everything(uint64_t *generation)
{
    asc_link_mem_t mem;
    asc_link_op_t op;
    asc_status_t status;
    void *ptr, *pinned;

    t_acl_ok(aclrtMalloc(&ptr, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
    t_check(asc_link_copy(ptr, data, SIZE) == ASC_OK, "host to device");
    t_check(asc_link_pinned_get(SIZE, &pinned) == ASC_OK, "pinned memory");
    status = asc_link_copy_start(pinned, ptr, SIZE, &op);
    while (status == ASC_INPROGRESS) {
        status = asc_link_op_test(&op);
    }
    t_check(status == ASC_OK, "device to pinned");
    t_verify(pinned, SIZE, 5, 0);
    asc_link_pinned_put(pinned, SIZE);
    t_kind(ptr, SIZE, ASC_LINK_MEM_DEVICE, &mem);
    *generation = mem.generation;
    return ptr;
}

/* Runs the part between with standard error in a pipe that must stay empty. */
static int silence_begin(int *pipe_end)
{
    int ends[2], saved = dup(STDERR_FILENO);

    t_check(pipe2(ends, O_NONBLOCK) == 0, "pipe");
    dup2(ends[1], STDERR_FILENO);
    close(ends[1]);
    *pipe_end = ends[0];
    return saved;
}

static void silence_end(int saved, int pipe_end)
{
    char text[4096];
    ssize_t n;

    dup2(saved, STDERR_FILENO);
    n = read(pipe_end, text, sizeof(text) - 1);
    text[n > 0 ? n : 0] = '\0';
    t_check(n <= 0, "no message, not: %s", text);
    close(pipe_end);
    close(saved);
}

int main(void)
{
    asc_link_mem_t mem;
    uint64_t first, second;
    void *ptr, *pinned, *old;
    int saved, end;

    t_deadline(30);
    t_fill(data, SIZE, 5);
    t_acl_ok(aclInit(NULL));
    t_link_start(0);
    t_link_hooks("hooks");
    t_acl_ok(aclrtSetDevice(0));

    ptr = use_everything(&first);
    t_acl_ok(aclrtSetDevice(0)); /* a second reference */
    t_acl_ok(aclrtResetDevice(0));
    t_kind(ptr, SIZE, ASC_LINK_MEM_DEVICE, &mem);
    t_check(mem.generation > first, "a new generation after a reset that was not the last");
    t_check(asc_link_copy(back, ptr, SIZE) == ASC_OK, "memory that still works");
    t_verify(back, SIZE, 5, 0);

    t_acl_ok(aclrtResetDeviceForce(0));
    t_kind(ptr, 1, ASC_LINK_MEM_BAD, NULL);
    t_check(asc_link_mem_alloc(SIZE, &ptr) != ASC_OK, "no memory from a device that was reset");
    t_check(asc_link_pinned_get(SIZE, &pinned) != ASC_OK, "no pinned memory either");

    t_acl_ok(aclrtSetDevice(0));
    ptr = use_everything(&second);
    t_check(second > mem.generation, "generations go on");
    t_check(asc_link_pinned_get(SIZE, &old) == ASC_OK, "pinned memory over the end");
    t_acl_ok(aclFinalize());
    t_kind(ptr, 1, ASC_LINK_MEM_BAD, NULL);
    saved = silence_begin(&end);
    asc_link_progress();
    asc_link_quiesce(100);
    t_check(asc_link_pinned_get(SIZE, &pinned) != ASC_OK, "nothing after the end");
    silence_end(saved, end);

    t_acl_ok(aclInit(NULL));
    t_acl_ok(aclrtSetDevice(0));
    asc_link_pinned_put(old, SIZE);
    t_check(asc_link_counter("pinned_bytes") == 0, "old pinned memory is in the pool");
    t_check(asc_link_pinned_get(SIZE, &pinned) == ASC_OK, "pinned memory again");
    memset(pinned, 1, SIZE); /* the old block is not there any more */
    asc_link_pinned_put(pinned, SIZE);
    return T_PASS;
}
