/* SPDX-License-Identifier: BSD-3-Clause */
/* A freed device pointer, one that no device has, and a buffer that is longer
 * than its allocation are refused with MPI_ERR_BUFFER by every way into MPI,
 * through the communicator's error handler, with a message that names the call
 * and the address; the process goes on. */
#include "capture.h"
#include "coll_harness.h"

#include "tests/helpers/t_helpers.h"

#include <mpi-ext.h>
#include <string.h>

static int handled;

static void handler(MPI_Comm *comm, int *code, ...)
{
    int class;

    (void)comm;
    MPI_Error_class(*code, &class);
    t_check(MPI_ERR_BUFFER == class, "error class %d, not MPI_ERR_BUFFER", class);
    handled++;
}

/* @a buffer: the address as messages have it. */
static void check_refused(const char *call, const char *argument, const void *buffer, int rc,
                          const char *text)
{
    char words[128], address[32];
    int class;

    MPI_Error_class(rc, &class);
    t_check(MPI_ERR_BUFFER == class, "%s gave class %d, not MPI_ERR_BUFFER", call, class);
    t_check(1 == handled, "%s: error handler called %d times", call, handled);
    handled = 0;
    snprintf(words, sizeof(words), "%s was given the %s buffer at the device address\n", call,
             argument);
    snprintf(address, sizeof(address), "  %p\n", buffer);
    t_check(NULL != strstr(text, words), "not '%s' in: %s", words, text);
    t_check(NULL != strstr(text, address), "%s: not '%s' in: %s", call, address, text);
}

#define REFUSED(_call, _argument, _buffer, _expr) \
    do { \
        int refused_rc; \
\
        t_capture_start(); \
        refused_rc = (_expr); \
        check_refused(_call, _argument, _buffer, refused_rc, t_capture_stop()); \
    } while (0)

#define SENDS(_what, ...) REFUSED(#_what, "send", bad, _what(__VA_ARGS__))
#define RECVS(_what, ...) REFUSED(#_what, "receive", bad, _what(__VA_ARGS__))

static void check_collectives(void *bad, int count)
{
    MPI_Request request;
    int host[4] = {0};

    SENDS(MPI_Allreduce, bad, host, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    RECVS(MPI_Allreduce, host, bad, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    RECVS(MPI_Bcast, bad, count, MPI_INT, 0, MPI_COMM_WORLD);
    SENDS(MPI_Iallgather, bad, count, MPI_INT, host, count, MPI_INT, MPI_COMM_WORLD, &request);
    RECVS(MPIX_Alltoall_init, host, count, MPI_INT, bad, count, MPI_INT, MPI_COMM_WORLD,
          MPI_INFO_NULL, &request);
}

static void check_sends(void *bad, int count)
{
    MPI_Request request;
    int host[4] = {0};

    SENDS(MPI_Send, bad, count, MPI_INT, 0, 0, MPI_COMM_SELF);
    SENDS(MPI_Bsend, bad, count, MPI_INT, 0, 0, MPI_COMM_SELF);
    SENDS(MPI_Ssend, bad, count, MPI_INT, 0, 0, MPI_COMM_SELF);
    SENDS(MPI_Rsend, bad, count, MPI_INT, 0, 0, MPI_COMM_SELF);
    SENDS(MPI_Isend, bad, count, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
    SENDS(MPI_Ibsend, bad, count, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
    SENDS(MPI_Issend, bad, count, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
    SENDS(MPI_Irsend, bad, count, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
    SENDS(MPI_Send_init, bad, count, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
    SENDS(MPI_Bsend_init, bad, count, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
    SENDS(MPI_Ssend_init, bad, count, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
    SENDS(MPI_Rsend_init, bad, count, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
    SENDS(MPI_Sendrecv, bad, count, MPI_INT, 0, 0, host, 4, MPI_INT, MPI_PROC_NULL, 0,
          MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

static void check_receives(void *bad, int count)
{
    MPI_Request request, sent;
    MPI_Message message;
    int host[4] = {1, 2, 3, 4}, got[4] = {0};

    RECVS(MPI_Recv, bad, count, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    RECVS(MPI_Irecv, bad, count, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
    RECVS(MPI_Recv_init, bad, count, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
    RECVS(MPI_Sendrecv, host, 4, MPI_INT, 0, 0, bad, count, MPI_INT, 0, 0, MPI_COMM_SELF,
          MPI_STATUS_IGNORE);
    /* The message is still there after its receive was refused. */
    MPI_Isend(host, 4, MPI_INT, 0, 0, MPI_COMM_SELF, &sent);
    MPI_Mprobe(0, 0, MPI_COMM_SELF, &message, MPI_STATUS_IGNORE);
    RECVS(MPI_Mrecv, bad, count, MPI_INT, &message, MPI_STATUS_IGNORE);
    RECVS(MPI_Imrecv, bad, count, MPI_INT, &message, &request);
    MPI_Mrecv(got, 4, MPI_INT, &message, MPI_STATUS_IGNORE);
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
    t_check(0 == memcmp(host, got, sizeof(got)), "the message has changed");
}

static void check_all(void *bad, int count)
{
    check_collectives(bad, count);
    check_sends(bad, count);
    check_receives(bad, count);
}

/* The address of memory that another process has and that lives. Addresses of
 * two processes may be the same: the one with more memory has some alone. */
static void check_foreign(void)
{
    enum {
        BLOCKS = 8,
        SIZE = 4 << 20
    };
    void *mine[BLOCKS], *foreign = NULL;
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; 1 == rank && i < BLOCKS; i++) {
        mine[i] = t_dev_alloc(SIZE);
        foreign = mine[i] > foreign ? mine[i] : foreign;
    }
    MPI_Bcast(&foreign, sizeof(foreign), MPI_BYTE, 1, MPI_COMM_WORLD);
    if (0 == rank) {
        check_all(foreign, 4);
    } else {
        /* takes part, so that what rank 0 refuses is not waited for */
        void *freed = t_dev_alloc(64);

        t_dev_free(freed);
        check_all(freed, 4);
        for (int i = 0; i < BLOCKS; i++) {
            t_dev_free(mine[i]);
        }
    }
}

/* A start cannot report: the wait does. */
static void check_freed_between_starts(void)
{
    int *a = t_dev_alloc(64), *b = t_dev_alloc(64);
    MPI_Request request;

    MPIX_Allreduce_init(a, b, 4, MPI_INT, MPI_SUM, MPI_COMM_SELF, MPI_INFO_NULL, &request);
    t_dev_free(a);
    REFUSED("MPIX_Allreduce_init", "send", a,
            (MPI_Start(&request), MPI_Wait(&request, MPI_STATUS_IGNORE)));
    if (MPI_REQUEST_NULL != request) {
        /* Open MPI 4.1 frees any request that ends in an error. */
        MPI_Request_free(&request);
    }
    t_dev_free(b);
}

int main(int argc, char **argv)
{
    MPI_Errhandler errhandler;
    char *live;
    void *freed;

    t_mpi_start(argc, argv, MPI_THREAD_SINGLE);
    MPI_Comm_create_errhandler(handler, &errhandler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, errhandler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, errhandler);
    live = t_dev_alloc(1 << 20);
    freed = t_dev_alloc(1 << 20);
    t_dev_free(freed);
    check_all(freed, 4);
    check_all(live + (1 << 20) - 4, 1 << 20);
    check_foreign();
    check_freed_between_starts();

    /* Nothing is read with a count of 0: the pointer does not matter. */
    MPI_Bcast(freed, 0, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, freed, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    t_check(0 == handled, "a call without data was refused");
    t_dev_free(live);
    MPI_Errhandler_free(&errhandler);
    MPI_Finalize();
    return 0;
}
