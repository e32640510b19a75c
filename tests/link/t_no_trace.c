/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protects: what the runtime refuses and this library then does in another way
 * leaves no error behind in the runtime: a program that asks it for the text of
 * its own last error must not be told of ours. A copy that is refused once, and one in
 * a thread without a context.
 */
#include "tests/link/t_local.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define SIZE 4096

static void *copy(void *device)
{
    char host[SIZE], back[SIZE];
    const char *text;

    memset(host, 7, sizeof(host));
    t_check(asc_link_copy(device, host, SIZE) == ASC_OK, "there");
    t_check(asc_link_copy(back, device, SIZE) == ASC_OK, "and back");
    t_check(memcmp(host, back, SIZE) == 0, "data");
    text = T_ACL(aclGetRecentErrMsg)();
    t_check(text == NULL || text[0] == '\0', "the runtime was left with: %s", text);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    void *device;

    setenv("NPUSIM_FAULT", "aclrtMemcpy:1=507899", 1);
    t_link_start(0);
    device = t_dev_alloc(SIZE);
    (void)copy(device);
    t_check(pthread_create(&thread, NULL, copy, device) == 0, "thread");
    pthread_join(thread, NULL);
    t_dev_free(device);
    return T_PASS;
}
