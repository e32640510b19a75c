/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * P12: a process is killed (SIGKILL) while a copy between it and another is under
 * way on the device. The other one's request ends within seconds, its endpoint is
 * reported, its memory is freed without waiting, and closing does not wait for
 * the dead either. Killed are the owner of the memory, then the importer; and an
 * endpoint that is closed by force ends its own requests with an error.
 */
#include "t_ucx.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIZE    ((size_t)4 << 20)
#define SECONDS 10.0

static void t_await_error(t_ctx_t *t)
{
    double end = t_now() + SECONDS;

    while (t->ep_status == UCS_OK) {
        ucp_worker_progress(t->worker);
        T_CHECK(t_now() < end, "the death of the peer was not reported");
    }
}

static void t_end(t_ctx_t *t, void *buf, uint64_t live)
{
    double start = t_now();

    t_free(T_DEVICE, buf);
    T_CHECK(t_now() - start < 1, "the free took %.1f s", t_now() - start);
    while (t_sim("live.alloc") > live) {
        ucp_worker_progress(t->worker);
        T_CHECK(t_now() - start < SECONDS, "memory is lost: %llu allocations instead of %llu",
                (unsigned long long)t_sim("live.alloc"), (unsigned long long)live);
    }
    start = t_now();
    t_close_ep(t, &t->ep, 1);
    t_close_ep(t, &t->self_ep, 0);
    ucp_worker_destroy(t->worker);
    ucp_cleanup(t->context);
    T_CHECK(t_now() - start < SECONDS, "closing took %.1f s", t_now() - start);
    _exit(0);
}

/* Rank 1's copies stall: it says when the first is under way, and with whom. */
static void *t_receive(t_ctx_t *t, void *buf)
{
    double end = t_now() + SECONDS;
    void *request = t_recv(t, buf, SIZE, 1);

    while (t_link("get_ops") == 0) {
        ucp_worker_progress(t->worker);
        T_CHECK(t_now() < end, "no copy has begun");
    }
    return request;
}

static void t_owner_killed(t_ctx_t *t)
{
    uint64_t live = t_sim("live.alloc");
    void *buf = t_alloc(T_DEVICE, SIZE), *request;
    double start;
    pid_t owner;

    if (t->rank == 0) {
        t_fill(T_DEVICE, buf, SIZE, 3);
        t_tell(t, getpid());
        request = t_send(t, t->ep, buf, SIZE, 1);
        (void)t_wait_status(t, request); /* is killed here */
        t_fail(__FILE__, __LINE__, "the copy was not under way when it should be");
    }
    owner = (pid_t)t_ask(t);
    request = t_receive(t, buf);
    T_CHECK(kill(owner, SIGKILL) == 0, "kill");
    start = t_now();
    if (t_wait_status(t, request) == UCS_OK) {
        t_verify(T_DEVICE, buf, SIZE, 3, "message of a process that was killed");
    }
    T_CHECK(t_now() - start < SECONDS, "the request took %.1f s", t_now() - start);
    t_await_error(t);
    t_end(t, buf, live);
}

static void t_importer_killed(t_ctx_t *t)
{
    uint64_t live = t_sim("live.alloc");
    void *buf = t_alloc(T_DEVICE, SIZE), *request;

    if (t->rank == 1) {
        (void)t_receive(t, buf);
        t_tell(t, getpid());
        for (;;) {
            pause(); /* is killed here */
        }
    }
    request = t_send(t, t->ep, buf, SIZE, 1);
    T_CHECK(kill((pid_t)t_ask(t), SIGKILL) == 0, "kill");
    t_await_error(t);
    T_CHECK(t_wait_status(t, request) != UCS_OK, "a send to the dead succeeded");
    t_end(t, buf, live);
}

static void t_closed(t_ctx_t *t)
{
    uint64_t live = t_sim("live.alloc");
    void *buf = t_alloc(T_DEVICE, SIZE), *request;
    double start = t_now();

    if (t->rank == 0) {
        request = t_send(t, t->ep, buf, SIZE, 1);
        T_CHECK(UCS_PTR_IS_PTR(request), "the message is over although nobody receives it");
        (void)t_ask(t);
        t_close_ep(t, &t->ep, 1);
        T_CHECK(t_wait_status(t, request) != UCS_OK, "a send that was cut off succeeded");
    } else {
        request = t_receive(t, buf);
        t_tell(t, 1);
        t_close_ep(t, &t->ep, 1); /* with the copy under way */
        (void)t_wait_status(t, request);
    }
    T_CHECK(t_now() - start < SECONDS, "it took %.1f s", t_now() - start);
    t_end(t, buf, live);
}

static void t_killed(t_ctx_t *t)
{
    T_CHECK(t->argc == 1, "no variant");
    t_load_module();
    t_acl_open(t);
    t_open(t, 1);
    t_sync(t);
    switch (t->argv[0][0]) {
    case 'o':
        t_owner_killed(t);
        break;
    case 'i':
        t_importer_killed(t);
        break;
    default:
        t_closed(t);
    }
}

/* @a victim: the rank to be killed, -1 for none. */
static void t_run_pair(char *name, char *variant, int victim)
{
    char *args[] = {name, variant, NULL};
    int status[2];

    t_pair_ends(2, args, status);
    for (int rank = 0; rank < 2; ++rank) {
        if (rank == victim) {
            T_CHECK(WIFSIGNALED(status[rank]) && WTERMSIG(status[rank]) == SIGKILL,
                    "%s: rank %d was not killed: %x", variant, rank, status[rank]);
        } else {
            T_CHECK(WIFEXITED(status[rank]) && WEXITSTATUS(status[rank]) == 0,
                    "%s: rank %d ended with %x", variant, rank, status[rank]);
        }
    }
}

int main(int argc, char **argv)
{
    setenv("UCX_KEEPALIVE_INTERVAL", "1s", 0);
    if (argc > 1 && !strncmp(argv[1], "--rank", 6)) {
        if (!strcmp(argv[1], "--rank1")) {
            setenv("NPUSIM_FAULT", "copy:*=stall/1500ms", 1);
        }
        return t_pair(argc, argv, t_killed);
    }
    t_run_pair(argv[0], "owner", 0);
    t_run_pair(argv[0], "importer", 1);
    t_run_pair(argv[0], "closed", -1);
    return 0;
}
