/* SPDX-License-Identifier: BSD-3-Clause */
/* A persistent request whose device buffer was freed after it was made: the
 * start is refused with MPI_ERR_BUFFER and names itself and the address, none of
 * the requests of an MPI_Startall is started, and the request may be freed. A
 * request made later at its place is judged by its own buffer. */
#include "capture.h"
#include "coll_harness.h"

#include "tests/helpers/t_helpers.h"

enum {
    SIZE = 1 << 20
};

static int rank, peer, handled;
static const MPI_Comm world = MPI_COMM_WORLD;

static void handler(MPI_Comm *comm, int *code, ...)
{
    int result;

    MPI_Comm_compare(*comm, world, &result);
    t_check(MPI_IDENT == result && MPI_ERR_BUFFER == *code, "not MPI_ERR_BUFFER on the world");
    handled++;
}

static void check_refused(const char *call, const void *address, int rc, const char *text)
{
    char words[96], value[32];

    snprintf(words, sizeof(words), "%s was given the %s buffer", call,
             NULL != strstr(text, "receive buffer") ? "receive" : "send");
    snprintf(value, sizeof(value), "  %p\n", address);
    t_check(MPI_ERR_BUFFER == rc && 1 == handled, "%s gave %d, handler called %d times", call, rc,
            handled);
    t_check(NULL != strstr(text, words) && NULL != strstr(text, value), "not '%s' and %s in: %s",
            words, value, text);
    handled = 0;
}

static MPI_Request make(bool send, void *buffer)
{
    MPI_Request request;

    if (send) {
        MPI_Send_init(buffer, SIZE, MPI_BYTE, peer, 1, world, &request);
    } else {
        MPI_Recv_init(buffer, SIZE, MPI_BYTE, peer, 1, world, &request);
    }
    return request;
}

static void check_freed(bool send)
{
    void *mine = t_dev_alloc(SIZE), *other = t_dev_alloc(SIZE);
    MPI_Request requests[2] = {make(!send, other), make(send, mine)};
    int rc;

    t_dev_free(mine);
    t_capture_start();
    rc = MPI_Start(&requests[1]);
    check_refused("MPI_Start", mine, rc, t_capture_stop());
    t_capture_start();
    rc = MPI_Startall(2, requests);
    check_refused("MPI_Startall", mine, rc, t_capture_stop());
    for (int i = 0; i < 2; i++) {
        t_check(MPI_SUCCESS == MPI_Wait(&requests[i], MPI_STATUS_IGNORE), "the wait failed");
        t_check(MPI_REQUEST_NULL != requests[i], "the request is gone");
        MPI_Request_free(&requests[i]);
    }
    t_dev_free(other);
}

/* Open MPI uses requests again. */
static void check_works(bool host)
{
    static char host_from[SIZE], host_to[SIZE];
    void *from = host ? host_from : t_dev_alloc(SIZE), *to = host ? host_to : t_dev_alloc(SIZE);
    MPI_Request requests[2] = {make(false, to), make(true, from)};

    if (!host) {
        t_dev_fill(from, SIZE, 3 + (uint64_t)rank);
        t_dev_fill(to, SIZE, 9);
    } else {
        memset(host_from, 3 + rank, SIZE);
    }
    for (int i = 0; i < 2; i++) {
        t_check(MPI_SUCCESS == MPI_Startall(2, requests), "start %d failed", i);
        t_check(MPI_SUCCESS == MPI_Waitall(2, requests, MPI_STATUSES_IGNORE), "wait %d failed", i);
    }
    if (!host) {
        t_dev_verify(to, SIZE, 3 + (uint64_t)peer, 0);
        t_dev_free(from);
        t_dev_free(to);
    } else {
        t_check(3 + peer == host_to[SIZE - 1], "wrong data in host memory");
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

int main(int argc, char **argv)
{
    MPI_Errhandler errhandler;

    t_mpi_start(argc, argv, MPI_THREAD_SINGLE);
    MPI_Comm_rank(world, &rank);
    peer = 1 - rank;
    MPI_Comm_create_errhandler(handler, &errhandler);
    MPI_Comm_set_errhandler(world, errhandler);
    check_works(false);
    for (int i = 0; i < 2; i++) {
        check_freed(true);
        check_freed(false);
        check_works(0 == i);
        check_works(1 == i);
    }
    t_check(0 == handled, "a request that is right was refused");
    MPI_Errhandler_free(&errhandler);
    MPI_Finalize();
    return 0;
}
