/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * P31: the thread that calls UCX has never chosen a device; another one did,
 * and allocated the memory.
 */
#include "t_ucx.h"

#include <pthread.h>

#define SIZES 4

static const size_t t_sizes[SIZES] = {8, 4096, 65536, 1048576};

typedef struct t_job {
    t_ctx_t *t;
    void *bufs[SIZES];
} t_job_t;

static void *t_owner(void *arg)
{
    t_job_t *job = arg;

    t_acl_open(job->t);
    for (int i = 0; i < SIZES; ++i) {
        job->bufs[i] = t_alloc(T_DEVICE, t_sizes[i]);
        t_fill(T_DEVICE, job->bufs[i], t_sizes[i], job->t->rank == 0 ? i : 99);
    }
    return NULL;
}

static void *t_checker(void *arg)
{
    t_job_t *job = arg;

    t_acl_open(job->t);
    for (int i = 0; i < SIZES; ++i) {
        t_verify(T_DEVICE, job->bufs[i], t_sizes[i], i, "memory of another thread");
        t_free(T_DEVICE, job->bufs[i]);
    }
    return NULL;
}

static void t_in_thread(void *(*fn)(void *), void *arg)
{
    pthread_t thread;

    T_CHECK(pthread_create(&thread, NULL, fn, arg) == 0, "no thread");
    T_CHECK(pthread_join(thread, NULL) == 0, "no join");
}

static void t_no_device_thread(t_ctx_t *t)
{
    t_job_t job = {.t = t};

    t_load_module();
    t_in_thread(t_owner, &job);
    t_open(t, 0);
    for (int i = 0; i < SIZES; ++i) {
        t_wait(t, (t->rank == 0) ? t_send(t, t->ep, job.bufs[i], t_sizes[i], i)
                                 : t_recv(t, job.bufs[i], t_sizes[i], i));
    }
    t_sync(t);
    t_in_thread(t_checker, &job);
    t_close(t);
}

int main(int argc, char **argv)
{
    return t_pair(argc, argv, t_no_device_thread);
}
