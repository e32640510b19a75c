/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protects: ucp_put and ucp_get between any two of host and device memory, of
 * another process and of this one, of any size, land where they should and
 * nowhere else; large ones between the device memories of two processes are one
 * copy on the device.
 * UCX before 1.16 touches device memory with the CPU there.
 */
#include "t_ucx.h"

#define GUARD 64

static const size_t t_sizes[] = {1, 8, 97, 4096, 8257, 65537, 1048576, 4194304 + 13};

typedef struct t_window {
    t_kind_t kind;
    size_t size;
    char *buf;
    ucp_mem_h memh;
    ucp_rkey_h rkey; /* of the other rank's, or of this one's for self */
    uint64_t remote;
} t_window_t;

static void t_flush(t_ctx_t *t, ucp_ep_h ep)
{
    ucp_request_param_t param = {0};
    ucs_status_ptr_t request = ucp_ep_flush_nbx(ep, &param);

    T_CHECK(!UCS_PTR_IS_ERR(request), "flush: %s", ucs_status_string(UCS_PTR_STATUS(request)));
    t_wait(t, request);
}

static void t_put_get(t_ctx_t *t, ucp_ep_h ep, int put, void *buf, size_t len, uint64_t remote,
                      ucp_rkey_h rkey)
{
    ucp_request_param_t param = {0};
    ucs_status_ptr_t request;

    request = put ? ucp_put_nbx(ep, buf, len, remote, rkey, &param)
                  : ucp_get_nbx(ep, buf, len, remote, rkey, &param);
    T_CHECK(!UCS_PTR_IS_ERR(request), "%s of %zu bytes: %s", put ? "put" : "get", len,
            ucs_status_string(UCS_PTR_STATUS(request)));
    t_wait(t, request);
    t_flush(t, ep);
}

/* The keys cross by the word, for the helpers have nothing larger. */
static void t_swap_keys(t_ctx_t *t, t_window_t *win, int self)
{
    int64_t words[128];
    size_t count, len;
    void *packed;

    T_UCX(ucp_rkey_pack(t->context, win->memh, &packed, &len));
    T_CHECK(len <= sizeof(words), "key of %zu bytes", len);
    memset(words, 0, sizeof(words));
    memcpy(words, packed, len);
    ucp_rkey_buffer_release(packed);
    win->remote = (uintptr_t)win->buf;
    if (!self) {
        count = (len + 7) / 8;
        t_tell(t, (int64_t)win->remote);
        t_tell(t, (int64_t)count);
        for (size_t i = 0; i < count; ++i) {
            t_tell(t, words[i]);
        }
        win->remote = (uint64_t)t_ask(t);
        count = (size_t)t_ask(t);
        T_CHECK(count <= 128, "key of %zu words", count);
        for (size_t i = 0; i < count; ++i) {
            words[i] = t_ask(t);
        }
    }
    T_UCX(ucp_ep_rkey_unpack(self ? t->self_ep : t->ep, words, &win->rkey));
}

static void t_open_window(t_ctx_t *t, t_window_t *win, t_kind_t kind, size_t size, int self)
{
    ucp_mem_map_params_t params = {.field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS |
                                                 UCP_MEM_MAP_PARAM_FIELD_LENGTH};

    win->kind = kind;
    win->size = size;
    win->buf = t_alloc(kind, size);
    params.address = win->buf;
    params.length = size;
    T_UCX(ucp_mem_map(t->context, &params, &win->memh));
    t_swap_keys(t, win, self);
}

static void t_close_window(t_ctx_t *t, t_window_t *win)
{
    ucp_rkey_destroy(win->rkey);
    T_UCX(ucp_mem_unmap(t->context, win->memh));
    t_free(win->kind, win->buf);
}

static void t_check_one_copy(const t_ctx_t *t, size_t size, const char *what)
{
    T_CHECK(t_sim("copy.d2d") == (t->rank == 0) && t_sim("copy.d2h") == 0 && t_sim("copy.h2d") == 0,
            "%s of %zu bytes: %llu copies in the device, %llu to and %llu from the host", what,
            size, (unsigned long long)t_sim("copy.d2d"), (unsigned long long)t_sim("copy.d2h"),
            (unsigned long long)t_sim("copy.h2d"));
}

/* Rank 0 writes to and reads from a window in the middle of which it stays. */
static void t_one(t_ctx_t *t, t_kind_t near, t_kind_t far, size_t size, size_t offset, int self)
{
    uint64_t seed = size + offset * 5 + near * 2 + far;
    size_t room = size + offset + GUARD;
    int counts = !self && (near == T_DEVICE) && (far == T_DEVICE) && (size > 65536) && !t_no_sim();
    ucp_ep_h ep = self ? t->self_ep : t->ep;
    int holds = self || (t->rank == 1);
    char *buf = NULL, what[96];
    t_window_t win;

    snprintf(what, sizeof(what), "%s%c-%c %zu bytes at +%zu", self ? "self " : "", "HD"[near],
             "HD"[far], size, offset);
    t_open_window(t, &win, far, room, self);
    t_poison(far, win.buf, room);
    if (t->rank == 0) {
        buf = t_alloc(near, size);
        t_fill(near, buf, size, seed);
    }
    for (int put = 1; put >= 0; --put) {
        if (t->rank == 0 && !put) {
            t_poison(near, buf, size);
        }
        if (!self) {
            t_sync(t);
        }
        if (counts) {
            t_sim_reset();
        }
        if (t->rank == 0) {
            t_put_get(t, ep, put, buf, size, win.remote + offset, win.rkey);
        }
        if (!self) {
            t_sync(t);
        }
        if (counts) {
            t_check_one_copy(t, size, put ? "put" : "get");
        }
        if (put && holds) {
            t_verify(far, win.buf + offset, size, seed, what);
            t_verify_poison(far, win.buf, offset, what);
            t_verify_poison(far, win.buf + offset + size, GUARD, what);
        } else if (!put && t->rank == 0) {
            t_verify(near, buf, size, seed, what);
        }
    }
    if (t->rank == 0) {
        t_free(near, buf);
    }
    t_close_window(t, &win);
    if (!self) {
        t_sync(t);
    }
}

static void t_rma(t_ctx_t *t)
{
    if (!t_new_protocols()) {
        t_skip("UCX before 1.16 touches device memory with the CPU in put and get");
    }
    t_load_module();
    t_acl_open(t);
    t_open(t, 0);
    for (int variant = 0; variant < 4; ++variant) {
        t_kind_t near = (variant & 1) ? T_DEVICE : T_HOST;
        t_kind_t far = (variant & 2) ? T_DEVICE : T_HOST;

        for (size_t i = 0; i < sizeof(t_sizes) / sizeof(t_sizes[0]); ++i) {
            t_one(t, near, far, t_sizes[i], i & 1 ? 3 + i : 0, 0);
            if (t->rank == 0) {
                t_one(t, near, far, t_sizes[i], i & 1 ? 0 : 3 + i, 1);
            }
        }
    }
    t_close(t);
}

int main(int argc, char **argv)
{
    return t_pair(argc, argv, t_rma);
}
