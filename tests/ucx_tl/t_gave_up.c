/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protects: when the receiver's process can copy in no way at all, the message
 * ends with an error on both sides within seconds. UCX 1.13's receiver does not
 * tell the sender of a copy that failed after its start; the boards do. Endpoints
 * without error handling need UCX_PROTO_INDIRECT_ID=y for it, because UCX does
 * not track their requests otherwise. Endpoints to others are left alone.
 */
#include "t_ucx.h"

#include <sys/wait.h>
#include <unistd.h>

#define SIZE ((size_t)4 << 20)

static void t_give_up(t_ctx_t *t)
{
    int peer_errors = t->argc == 0;
    double start = t_now();
    void *buf, *self;

    t_load_module();
    t_acl_open(t);
    t_open(t, peer_errors);
    buf = t_alloc(T_DEVICE, SIZE);
    t_sync(t);
    if (t->rank == 0) {
        T_CHECK(t_wait_status(t, t_send(t, t->ep, buf, SIZE, 1)) != UCS_OK,
                "the sender does not know that its message is lost");
        T_CHECK(!peer_errors || t->ep_status != UCS_OK, "the error handler was not called");
    } else {
        T_CHECK(t_wait_status(t, t_recv(t, buf, SIZE, 1)) != UCS_OK,
                "a message was received without a copy");
        T_CHECK(t_link("direct_failed") > 0 && t_link("rescued") == 0, "counted");
    }
    T_CHECK(t_now() - start < 20, "it took %.1f s", t_now() - start);
    /* not t_sync(): what is progressed above is enough for both */
    t_tell(t, 0);
    (void)t_ask(t);

    self = t_alloc(T_HOST, SIZE);
    t_fill(T_HOST, self, SIZE, 7);
    t_wait(t, t_send(t, t->self_ep, self, 64, 5));
    t_wait(t, t_recv(t, self, 64, 5));
    t_free(T_HOST, self);
    t_free(T_DEVICE, buf);
    t_close_ep(t, &t->ep, 1);
    t_close_ep(t, &t->self_ep, 0);
    ucp_worker_destroy(t->worker);
    ucp_cleanup(t->context);
}

static void t_run_pair(char *name, char *variant)
{
    char *args[] = {name, variant, NULL};
    int status[2];

    t_pair_ends(variant != NULL ? 2 : 1, args, status);
    for (int rank = 0; rank < 2; ++rank) {
        T_CHECK(WIFEXITED(status[rank]) && WEXITSTATUS(status[rank]) == 0, "rank %d: status %x, %s",
                rank, status[rank], variant != NULL ? variant : "with error handling");
    }
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strncmp(argv[1], "--rank", 6)) {
        setenv("UCX_PROTO_INDIRECT_ID", argc > 3 ? "y" : "auto", 1);
        if (!strcmp(argv[1], "--rank1")) {
            setenv("NPUSIM_FAULT", "aclrtMemcpy:*=507899,aclrtMemcpyAsync:*=507899", 1);
        }
        return t_pair(argc, argv, t_give_up);
    }
    t_run_pair(argv[0], NULL);
    t_run_pair(argv[0], "plain");
    return 0;
}
