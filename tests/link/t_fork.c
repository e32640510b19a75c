/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The child of a process that used the library is not ready, says why, takes
 * no lock that a vanished thread may hold, and ends cleanly; the parent goes
 * on.
 */
#include "tests/link/t_local.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *device_memory;

static int child(void *arg)
{
    asc_link_mem_t mem;
    int local = 0;

    (void)arg;
    t_check(!asc_link_ready(), "not ready");
    t_check(asc_link_init(ASC_LINK_ABI) == ASC_ERR_UNSUPPORTED, "no second start");
    t_check(strstr(asc_link_why_not(), "forked") != NULL, "why, not '%s'", asc_link_why_not());
    t_check(asc_link_mem_query(&local, sizeof(local), &mem) == ASC_LINK_MEM_HOST, "host memory");
    t_check(asc_link_home_device() < 0 || asc_link_home_device() == 0, "an answer");
    asc_link_progress();
    return T_PASS;
}

int main(void)
{
    unsigned char data[1000], back[1000];

    t_deadline(30);
    t_link_start(0);
    t_check(asc_link_mem_alloc(sizeof(data), &device_memory) == ASC_OK, "memory");
    t_fill(data, sizeof(data), 3);
    t_check(asc_link_copy(device_memory, data, sizeof(data)) == ASC_OK, "copy");
    t_wait_ok(t_child(child, NULL));
    t_check(asc_link_ready(), "the parent still ready");
    t_check(asc_link_copy(back, device_memory, sizeof(back)) == ASC_OK, "copy");
    t_verify(back, sizeof(back), 3, 0);
    t_check(asc_link_mem_free(device_memory) == ASC_OK, "free");
    return T_PASS;
}
