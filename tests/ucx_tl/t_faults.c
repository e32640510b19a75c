/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What t_faults.sh drives: messages between two processes, host and device, both
 * ways, while NPUSIM_FAULT lets calls of the runtime fail. Each message ends on
 * both sides within seconds, with the right data or with an error, and never
 * otherwise.
 *
 * Ends with 0: all messages right; 3: an error was told, to both sides where a
 * message has two; 4: something did not end; 5: wrong data; 6: one side only was
 * told. With "count" prints which calls the exchange made, on which rank.
 */
#include "t_ucx.h"

#include "acl/asc_acl.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECONDS 8.0
#define ROUNDS  2

enum {
    RIGHT = 0,
    TOLD = 3,
    STUCK = 4,
    WRONG = 5,
    ONE_SIDED = 6
};

static const struct {
    t_kind_t kind[2]; /* of rank 0, of rank 1 */
    int sender;
    size_t size;
} t_messages[] = {
    {{T_DEVICE, T_DEVICE}, 0, 8},       {{T_DEVICE, T_DEVICE}, 0, 1000001},
    {{T_DEVICE, T_DEVICE}, 1, 4194304}, {{T_HOST, T_DEVICE}, 0, 1048576},
    {{T_DEVICE, T_HOST}, 0, 1048576},   {{T_DEVICE, T_DEVICE}, 0, 65536},
};
#define MESSAGES (sizeof(t_messages) / sizeof(t_messages[0]))

static const char *const t_calls[] = {
#define T_NAME(_name) "call." #_name,
    ASC_ACL_REQUIRED(T_NAME) ASC_ACL_OPTIONAL(T_NAME)
#undef T_NAME
};
#define CALLS (sizeof(t_calls) / sizeof(t_calls[0]))

static void t_leave(t_ctx_t *t, int code, const char *what)
{
    fprintf(stderr, "rank %d: %s\n", t->rank, what);
    _exit(code);
}

/* The test's own calls fail as well; that is told to the user by the runtime. */
static void t_own(t_ctx_t *t, aclError error)
{
    if (error != ACL_SUCCESS) {
        t_leave(t, TOLD, "a call of the program's own was refused");
    }
}

/* What the other rank says, or TOLD when it has left: it may not be waited for. */
static int64_t t_exchange(t_ctx_t *t, int64_t mine)
{
    struct pollfd pfd = {.fd = t->fd, .events = POLLIN};
    double end = t_now() + 2 * SECONDS;
    int64_t theirs = TOLD;
    ssize_t got;

    if (write(t->fd, &mine, sizeof(mine)) != sizeof(mine)) {
        t_leave(t, mine == RIGHT ? TOLD : (int)mine, "the other rank has left");
    }
    while (poll(&pfd, 1, 0) != 1) {
        ucp_worker_progress(t->worker);
        if (t_now() > end) {
            t_leave(t, STUCK, "no word from the other rank");
        }
    }
    got = read(t->fd, &theirs, sizeof(theirs));
    if (got != sizeof(theirs)) {
        t_leave(t, mine == RIGHT ? TOLD : (int)mine, "the other rank has left");
    }
    return theirs;
}

static unsigned char t_byte(size_t at, int seed)
{
    return (unsigned char)(at * 7 + at / 4099 + (size_t)seed * 31 + 1);
}

static void t_set(t_ctx_t *t, t_kind_t kind, void *buf, size_t size, const unsigned char *bytes)
{
    if (kind == T_HOST) {
        memcpy(buf, bytes, size);
    } else {
        t_own(t, aclrtMemcpy(buf, size, bytes, size, ACL_MEMCPY_HOST_TO_DEVICE));
    }
}

static bool t_right(t_ctx_t *t, t_kind_t kind, const void *buf, size_t size, int seed,
                    unsigned char *room)
{
    if (kind == T_HOST) {
        memcpy(room, buf, size);
    } else {
        t_own(t, aclrtMemcpy(room, size, buf, size, ACL_MEMCPY_DEVICE_TO_HOST));
    }
    for (size_t i = 0; i < size; ++i) {
        if (room[i] != t_byte(i, seed)) {
            return false;
        }
    }
    return true;
}

/* A rank whose own call was refused has left in the midst of a message, of which
 * UCX knows nothing where no error handling is asked for. */
static void t_still_there(t_ctx_t *t)
{
    char byte;

    if (recv(t->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0) {
        t_leave(t, TOLD, "the other rank has left");
    }
}

static int t_finish(t_ctx_t *t, void *request)
{
    double end = t_now() + SECONDS;
    ucs_status_t status = UCS_PTR_STATUS(request);

    if (UCS_PTR_IS_PTR(request)) {
        while ((status = ucp_request_check_status(request)) == UCS_INPROGRESS) {
            ucp_worker_progress(t->worker);
            t_still_there(t);
            if (t_now() > end) {
                t_leave(t, STUCK, "a request has not ended");
            }
        }
        ucp_request_free(request);
    }
    return status == UCS_OK ? RIGHT : TOLD;
}

static void *t_buffer(t_ctx_t *t, t_kind_t kind, size_t size)
{
    void *buf = NULL;

    if (kind == T_HOST) {
        buf = malloc(size);
    } else {
        t_own(t, aclrtMalloc(&buf, size, ACL_MEM_MALLOC_NORMAL_ONLY));
    }
    if (buf == NULL) {
        t_leave(t, TOLD, "no memory");
    }
    return buf;
}

static void t_message(t_ctx_t *t, size_t which, int seed)
{
    t_kind_t kind = t_messages[which].kind[t->rank];
    size_t size = t_messages[which].size;
    ucp_request_param_t param = {0};
    unsigned char *bytes = malloc(size);
    void *buf = t_buffer(t, kind, size);
    int64_t mine, theirs;

    for (size_t i = 0; i < size; ++i) {
        bytes[i] = t_messages[which].sender == t->rank ? t_byte(i, seed) : 0xee;
    }
    t_set(t, kind, buf, size, bytes);
    if (t_messages[which].sender == t->rank) {
        mine = t_finish(t, ucp_tag_send_nbx(t->ep, buf, size, (ucp_tag_t)seed, &param));
    } else {
        mine = t_finish(
            t, ucp_tag_recv_nbx(t->worker, buf, size, (ucp_tag_t)seed, UINT64_MAX, &param));
        if (mine == RIGHT && !t_right(t, kind, buf, size, seed, bytes)) {
            t_leave(t, WRONG, "a message has arrived with wrong data");
        }
    }
    theirs = t_exchange(t, mine);
    if (mine != RIGHT || theirs != RIGHT) {
        /* An eager message is over for its sender before it arrives. */
        if (mine != theirs && t_messages[which].sender != t->rank) {
            t_leave(t, ONE_SIDED, "the sender does not know of the error");
        }
        t_leave(t, TOLD, "a message failed");
    }
    if (kind == T_HOST) {
        free(buf);
    } else {
        t_own(t, aclrtFree(buf));
    }
    free(bytes);
}

static void t_count(const t_ctx_t *t, bool after)
{
    static uint64_t before[CALLS];

    for (size_t i = 0; i < CALLS; ++i) {
        uint64_t value = t_sim(t_calls[i]);

        if (!after) {
            before[i] = value;
        } else if (value > before[i]) {
            printf("%d %s %llu %llu\n", t->rank, t_calls[i] + strlen("call."),
                   (unsigned long long)before[i] + 1, (unsigned long long)value);
        }
    }
}

static void t_faults(t_ctx_t *t)
{
    bool count = t->argc > 0 && !strcmp(t->argv[t->argc - 1], "count");
    bool plain = t->argc > 0 && !strcmp(t->argv[0], "plain");
    aclError error;

    signal(SIGPIPE, SIG_IGN);
    t_load_module();
    error = aclInit(NULL);
    t_own(t, error == ACL_ERROR_REPEAT_INITIALIZE ? ACL_SUCCESS : error);
    t_own(t, aclrtSetDevice(t->rank));
    if (count) {
        t_count(t, false);
    }
    t_open(t, !plain);
    for (int round = 0; round < ROUNDS; ++round) {
        for (size_t i = 0; i < MESSAGES; ++i) {
            t_message(t, i, round * (int)MESSAGES + (int)i + 1);
        }
    }
    (void)t_exchange(t, RIGHT);
    t_close_ep(t, &t->ep, 0);
    t_close_ep(t, &t->self_ep, 0);
    (void)t_exchange(t, RIGHT);
    ucp_worker_destroy(t->worker);
    ucp_cleanup(t->context);
    if (count) {
        t_count(t, true);
    }
    (void)aclrtResetDevice(t->rank);
    (void)aclFinalize();
    fflush(stdout);
    _exit(RIGHT);
}

/* The worse of two ends; a signal is worse than all. */
static int t_worse(int status[2])
{
    int worst = RIGHT;

    for (int rank = 0; rank < 2; ++rank) {
        if (WIFSIGNALED(status[rank])) {
            printf("rank %d ended by signal %d\n", rank, WTERMSIG(status[rank]));
            return 128 + WTERMSIG(status[rank]);
        }
        worst = WEXITSTATUS(status[rank]) > worst ? WEXITSTATUS(status[rank]) : worst;
    }
    return worst;
}

int main(int argc, char **argv)
{
    bool rank = argc > 1 && !strncmp(argv[1], "--rank", 6);
    int status[2];

    if (!rank) {
        setenv("UCX_KEEPALIVE_INTERVAL", "1s", 0);
        t_pair_ends(argc, argv, status);
        return t_worse(status);
    }
    /* By this the simulator tells the ranks of a plan. */
    setenv("OMPI_COMM_WORLD_RANK", argv[1] + 6, 1);
    return t_pair(argc, argv, t_faults);
}
