/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protects: endpoints that ask for the handling of peer failures keep the
 * direct lane, and a peer that dies is reported instead of waited for.
 */
#include "t_ucx.h"

#include <signal.h>
#include <unistd.h>

#define SIZE ((size_t)4 << 20)

static void t_message(t_ctx_t *t, void *buf)
{
    if (t->rank == 0) {
        t_fill(T_DEVICE, buf, SIZE, 5);
        t_sync(t);
        t_wait(t, t_send(t, t->ep, buf, SIZE, 1));
    } else {
        t_poison(T_DEVICE, buf, SIZE);
        if (!t_no_sim()) {
            t_sim_reset();
        }
        t_sync(t);
        t_wait(t, t_recv(t, buf, SIZE, 1));
        if (!t_no_sim()) {
            T_CHECK(t_sim("copy.imported") == 1 && t_sim("copy.h2d") == 0,
                    "%llu direct copies, %llu staged ones",
                    (unsigned long long)t_sim("copy.imported"),
                    (unsigned long long)t_sim("copy.h2d"));
        }
        t_verify(T_DEVICE, buf, SIZE, 5, "message");
    }
    t_sync(t);
}

static void t_death(t_ctx_t *t, void *buf)
{
    double end = t_now() + T_WAIT_SECONDS;
    void *request;

    /* Rank 1 dies with a message to it announced and not fetched. */
    request = t_send(t, t->ep, buf, SIZE, 2);
    t_tell(t, 1);
    while (t->ep_status == UCS_OK) {
        ucp_worker_progress(t->worker);
        T_CHECK(t_now() < end, "the peer's death was not reported");
    }
    t_close_ep(t, &t->ep, 1);
    T_CHECK(t_wait_status(t, request) != UCS_OK, "a send to the dead succeeded");

    t_free(T_DEVICE, buf);
    t_close_ep(t, &t->self_ep, 0);
    ucp_worker_destroy(t->worker);
    ucp_cleanup(t->context);
}

static void t_peer_mode(t_ctx_t *t)
{
    void *buf;

    t_load_module();
    t_acl_open(t);
    t_open(t, 1);
    buf = t_alloc(T_DEVICE, SIZE);
    t_message(t, buf);

    if (t->rank == 0) {
        t_death(t, buf);
    } else {
        (void)t_ask(t);
        _exit(0);
    }
}

int main(int argc, char **argv)
{
    setenv("UCX_KEEPALIVE_INTERVAL", "1s", 0);
    return t_pair(argc, argv, t_peer_mode);
}
