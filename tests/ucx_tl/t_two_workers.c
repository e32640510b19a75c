/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * P45: two UCX workers in one process, of one context or of two, send device
 * memory to each other, on one device and between two. Nobody imports the
 * process's own key; the bytes arrive in both directions at once.
 */
#include "t_ucx.h"

static const size_t sizes[] = {1, 5000, ((size_t)1 << 20) + 3, (size_t)6 << 20};

#define SIZES     (sizeof(sizes) / sizeof(sizes[0]))
#define SIZE_MAX_ sizes[SIZES - 1]

static void t_join(t_ctx_t *a, t_ctx_t *b)
{
    ucp_ep_params_t params = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS};
    ucp_address_t *address;
    size_t len;

    T_UCX(ucp_worker_get_address(b->worker, &address, &len));
    params.address = address;
    T_UCX(ucp_ep_create(a->worker, &params, &a->ep));
    ucp_worker_release_address(b->worker, address);
}

static void t_wait_both(t_ctx_t *a, t_ctx_t *b, void *request)
{
    double end = t_now() + T_WAIT_SECONDS;

    while (UCS_PTR_IS_PTR(request) && ucp_request_check_status(request) == UCS_INPROGRESS) {
        ucp_worker_progress(a->worker);
        ucp_worker_progress(b->worker);
        T_CHECK(t_now() < end, "a request between two workers is not done");
    }
    t_wait(a, request);
}

static void t_exchange(t_ctx_t *side, int device_a, int device_b, const char *what)
{
    const int device[2] = {device_a, device_b};
    void *out[2], *in[2], *requests[4];

    for (int i = 0; i < 2; ++i) {
        T_ACL(aclrtSetDevice(device[i]));
        out[i] = t_alloc(T_DEVICE, SIZE_MAX_);
        in[i] = t_alloc(T_DEVICE, SIZE_MAX_);
        t_fill(T_DEVICE, out[i], SIZE_MAX_, 10 + i);
    }
    for (size_t s = 0; s < SIZES; ++s) {
        for (int i = 0; i < 2; ++i) {
            T_ACL(aclrtSetDevice(device[i]));
            t_poison(T_DEVICE, in[i], SIZE_MAX_);
            requests[i] = t_recv(&side[i], in[i], sizes[s], s);
            requests[2 + i] = t_send(&side[i], side[i].ep, out[i], sizes[s], s);
        }
        for (int i = 0; i < 4; ++i) {
            t_wait_both(&side[i % 2], &side[1 - i % 2], requests[i]);
        }
        for (int i = 0; i < 2; ++i) {
            T_ACL(aclrtSetDevice(device[i]));
            t_verify(T_DEVICE, in[i], sizes[s], 10 + (1 - i), what);
            t_verify_poison(T_DEVICE, (char *)in[i] + sizes[s], SIZE_MAX_ - sizes[s], what);
        }
    }
    for (int i = 0; i < 2; ++i) {
        T_ACL(aclrtSetDevice(device[i]));
        t_free(T_DEVICE, out[i]);
        t_free(T_DEVICE, in[i]);
    }
}

static void t_pair_of_workers(t_ctx_t *t, int one_context)
{
    t_ctx_t side[2] = {*t, *t};
    void *close[2];

    t_open_context(&side[0]);
    if (one_context) {
        side[1].context = side[0].context;
    } else {
        t_open_context(&side[1]);
    }
    t_open_worker(&side[0]);
    t_open_worker(&side[1]);
    t_join(&side[0], &side[1]);
    t_join(&side[1], &side[0]);
    t_exchange(side, 0, 0, "one device");
    t_exchange(side, 0, 1, "two devices");
    t_exchange(side, 1, 1, "the other device");
    for (int i = 0; i < 2; ++i) {
        ucp_request_param_t param = {0};

        close[i] = ucp_ep_close_nbx(side[i].ep, &param);
    }
    t_wait_both(&side[0], &side[1], close[0]);
    t_wait_both(&side[1], &side[0], close[1]);
    ucp_worker_destroy(side[0].worker);
    ucp_worker_destroy(side[1].worker);
    ucp_cleanup(side[0].context);
    if (!one_context) {
        ucp_cleanup(side[1].context);
    }
}

static void t_two_workers(t_ctx_t *t)
{
    t_load_module();
    t_acl_open(t);
    t_pair_of_workers(t, 1);
    t_pair_of_workers(t, 0);
    T_CHECK(t_link("import_new") == 0 && t_link("import_refused") == 0,
            "%lld of the process's own keys were imported, %lld refused",
            (long long)t_link("import_new"), (long long)t_link("import_refused"));
}

int main(int argc, char **argv)
{
    return t_single(argc, argv, t_two_workers);
}
