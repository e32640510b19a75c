/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protects: a program that sleeps in ucp_worker_wait() between progress calls
 * is not left asleep while a copy is under way on the device, nor while the other
 * process needs its part of a relayed one. run.tab packs small allocations, so that
 * all but the first cannot be exported. P34: every second wait is made by a thread
 * of its own, which has no device and meets the worker for the first time.
 */
#include "t_ucx.h"

#include <pthread.h>

static void t_open_wakeup(t_ctx_t *t)
{
    ucp_params_t params = {.field_mask = UCP_PARAM_FIELD_FEATURES,
                           .features = UCP_FEATURE_TAG | UCP_FEATURE_WAKEUP};
    ucp_worker_params_t worker = {.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
                                  .thread_mode = UCS_THREAD_MODE_SERIALIZED};

    T_UCX(ucp_init(&params, NULL, &t->context));
    T_UCX(ucp_worker_create(t->context, &worker, &t->worker));
    t_connect(t, 0);
}

static void t_sleep_wait(t_ctx_t *t, void *request)
{
    ucs_status_t status;

    if (request == NULL) {
        return;
    }
    while (ucp_request_check_status(request) == UCS_INPROGRESS) {
        if (ucp_worker_progress(t->worker) == 0) {
            status = ucp_worker_wait(t->worker);
            T_CHECK(status == UCS_OK, "ucp_worker_wait: %s", ucs_status_string(status));
        }
    }
    t_wait(t, request);
}

typedef struct t_job {
    t_ctx_t *t;
    void *request;
} t_job_t;

static void *t_sleep_in_thread(void *arg)
{
    t_job_t *job = arg;

    t_sleep_wait(job->t, job->request);
    return NULL;
}

static void t_wait_somewhere(t_ctx_t *t, void *request, int in_thread)
{
    t_job_t job = {t, request};
    pthread_t thread;

    if (!in_thread) {
        t_sleep_wait(t, request);
        return;
    }
    T_CHECK(pthread_create(&thread, NULL, t_sleep_in_thread, &job) == 0, "no thread");
    pthread_join(thread, NULL);
}

static void t_wakeup(t_ctx_t *t)
{
    static const size_t sizes[] = {64, 8192, 262144, 1048576, 16777216};

    void *first;

    t_load_module();
    t_acl_open(t);
    t_open_wakeup(t);
    first = t_alloc(T_DEVICE, 64);
    for (int variant = 1; variant < 4; ++variant) {
        t_kind_t kind = ((t->rank == 0 ? variant : variant >> 1) & 1) ? T_DEVICE : T_HOST;

        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); ++i) {
            void *buf = t_alloc(kind, sizes[i]);

            if (t->rank == 0) {
                t_fill(kind, buf, sizes[i], i);
                t_wait_somewhere(t, t_send(t, t->ep, buf, sizes[i], i), (i + variant) % 2);
            } else {
                t_wait_somewhere(t, t_recv(t, buf, sizes[i], i), (i + variant) % 2);
                t_verify(kind, buf, sizes[i], i, "message");
            }
            t_sync(t);
            t_free(kind, buf);
        }
    }
    /* one message of packed device memory, and six large ones to or from a host,
     * which later releases of UCX cut into pieces themselves */
    T_CHECK(t_link("relay_ops") + t_link("relay_served") >= (t_new_protocols() ? 1 : 7),
            "%lld copies were relayed, %lld served", (long long)t_link("relay_ops"),
            (long long)t_link("relay_served"));
    t_free(T_DEVICE, first);
    t_close(t);
}

int main(int argc, char **argv)
{
    return t_pair(argc, argv, t_wakeup);
}
