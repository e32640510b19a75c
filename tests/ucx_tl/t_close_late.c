/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * P07: an endpoint is closed while a copy of its is under way on a slow link,
 * by the sender that writes or by the receiver that reads, with a flush or by
 * force, or the worker is destroyed at once. A flush waits: the bytes are there.
 * After force the requests of both sides end; memory that both then free stays
 * until the copy is over, so that nothing is written into its successor, the
 * device reports no fault, and nothing is kept. t_close_late.sh gives the settings.
 *
 * usage: t_close_late put|get flush|force|destroy
 */
#include "t_ucx.h"

#define SIZE ((size_t)4 << 20) /* 80 ms at 50 MB/s */

static const char *t_scheme, *t_how;

static int t_is(const char *how)
{
    return !strcmp(t_how, how);
}

/* Which rank drives the copy. */
static int t_driver(void)
{
    return strcmp(t_scheme, "put") ? 1 : 0;
}

static void *t_start(t_ctx_t *t, void *buf)
{
    const char *ops = t_driver() ? "get_ops" : "put_ops";
    double end = t_now() + T_WAIT_SECONDS;
    int64_t before = t_link(ops);
    void *request;

    request = (t->rank == 0) ? t_send(t, t->ep, buf, SIZE, 1) : t_recv(t, buf, SIZE, 1);
    if (t->rank != t_driver()) {
        return request;
    }
    while (t_link(ops) == before) {
        ucp_worker_progress(t->worker);
        T_CHECK(t_now() < end, "no direct copy was begun");
    }
    T_CHECK(request != NULL && ucp_request_check_status(request) == UCS_INPROGRESS,
            "the copy is over before it could be interrupted: the link is not slow");
    return request;
}

/* A block at the same address, if the runtime gives it, keeps what is in it. */
static void t_reuse(t_ctx_t *t, void *buf)
{
    char *next;

    t_free(T_DEVICE, buf);
    next = t_alloc(T_DEVICE, SIZE);
    t_poison(T_DEVICE, next, SIZE);
    if (t->worker != NULL) {
        t_linger(t, 300);
    }
    t_sync(t);
    t_verify_poison(T_DEVICE, next, SIZE, "memory after the one that was freed");
    t_free(T_DEVICE, next);
}

static void t_flush(t_ctx_t *t, void *buf)
{
    void *request = t_start(t, buf);

    if (t->rank == t_driver()) {
        t_close_ep(t, &t->ep, 0);
    }
    t_wait(t, request);
    if (t->rank == 1) {
        t_verify(T_DEVICE, buf, SIZE, 5, "message whose endpoint was closed");
    }
    t_sync(t);
    t_reuse(t, buf);
}

/* The side that does not copy, after the other has closed. */
static void t_force_end(t_ctx_t *t, void *request)
{
    (void)t_ask(t);
    t_close_ep(t, &t->ep, 1);
    if (t->rank == 1 && UCS_PTR_IS_PTR(request)) {
        ucp_request_cancel(t->worker, request);
    }
    (void)t_wait_status(t, request);
}

static void t_force(t_ctx_t *t, void *buf)
{
    void *request = t_start(t, buf);

    if (t->rank != t_driver()) {
        t_force_end(t, request);
    } else {
        t_close_ep(t, &t->ep, 1);
        t_tell(t, 1);
        (void)t_wait_status(t, request);
    }
    t_reuse(t, buf);
}

/* Nobody waits for the close either. */
static void t_destroy(t_ctx_t *t, void *buf)
{
    ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS,
                                 .flags = UCP_EP_CLOSE_FLAG_FORCE};
    void *request = t_start(t, buf), *close;

    if (t->rank != t_driver()) {
        t_force_end(t, request);
    } else {
        close = ucp_ep_close_nbx(t->ep, &param);
        if (t->rank == 1) {
            ucp_request_cancel(t->worker, request);
        }
        (void)t_wait_status(t, request);
        if (UCS_PTR_IS_PTR(close)) {
            ucp_request_free(close);
        }
        ucp_worker_destroy(t->worker);
        t->worker = NULL;
        t->ep = t->self_ep = NULL;
        t_tell(t, 1);
    }
    t_reuse(t, buf);
}

static void t_close_late(t_ctx_t *t)
{
    void *buf;

    t_load_module();
    t_acl_open(t);
    t_open(t, !t_is("flush"));
    buf = t_alloc(T_DEVICE, SIZE);
    t_fill(T_DEVICE, buf, SIZE, t->rank == 0 ? 5 : 6);
    t_sync(t);
    (t_is("flush") ? t_flush : t_is("force") ? t_force : t_destroy)(t, buf);
    t_sync(t);
    if (t->worker != NULL) {
        t_close_ep(t, &t->ep, t_is("flush") ? 0 : 1);
        t_close_ep(t, &t->self_ep, 0);
        ucp_worker_destroy(t->worker);
    }
    ucp_cleanup(t->context);
    T_CHECK(t_link("copy_failed") == 0, "%lld copies failed", (long long)t_link("copy_failed"));
    T_CHECK(t_no_sim() || t_sim("live.alloc") == 0, "%llu allocations are left",
            (unsigned long long)t_sim("live.alloc"));
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        t_skip("usage: t_close_late put|get flush|force|destroy");
    }
    t_scheme = argv[argc - 2];
    t_how = argv[argc - 1];
    return t_pair(argc, argv, t_close_late);
}
