/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two processes that talk UCP over device memory: helpers of the tests in this
 * folder. Rank 0 is the program itself, rank 1 a copy of it that it executes;
 * a socket between them carries addresses and turns.
 *
 * Any failed check prints one line and ends the process with status 1; the
 * other process then meets a closed socket and ends as well.
 */
#ifndef T_UCX_H
#define T_UCX_H

#include <acl/acl.h>

#include <ucp/api/ucp.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longest time that one program may take, and one wait inside it. */
#define T_PROGRAM_SECONDS 240
#define T_WAIT_SECONDS    60

typedef enum t_kind {
    T_HOST,
    T_DEVICE
} t_kind_t;

typedef struct t_ctx {
    int rank;
    int fd; /* to the other rank */
    ucp_context_h context;
    ucp_worker_h worker;
    ucp_ep_h ep;      /* to the other rank */
    ucp_ep_h self_ep; /* to this one */
    int argc;
    char **argv;            /* what followed the program's name */
    ucs_status_t ep_status; /* what the error handler of ep was told */
} t_ctx_t;

/** Prints the reason and ends with 1. */
#define T_CHECK(_cond, ...) \
    do { \
        if (!(_cond)) { \
            t_fail(__FILE__, __LINE__, __VA_ARGS__); \
        } \
    } while (0)

#define T_ACL(_call) \
    do { \
        aclError t_error_ = (_call); \
        T_CHECK(t_error_ == ACL_SUCCESS, "%s: %d", #_call, (int)t_error_); \
    } while (0)

#define T_UCX(_call) \
    do { \
        ucs_status_t t_status_ = (_call); \
        T_CHECK(t_status_ == UCS_OK, "%s: %s", #_call, ucs_status_string(t_status_)); \
    } while (0)

void t_fail(const char *file, int line, const char *format, ...)
    __attribute__((noreturn, format(printf, 3, 4)));

/** Ends with 77. */
void t_skip(const char *reason) __attribute__((noreturn));

/** Runs @a fn as both ranks; what main() returns. */
int t_pair(int argc, char **argv, void (*fn)(t_ctx_t *));

/** Starts both ranks as processes of their own, which go through t_pair(); what
 *  waitpid() says of them. */
void t_pair_ends(int argc, char **argv, int status[2]);

/** Runs @a fn as one process, which rank 0 fills. */
int t_single(int argc, char **argv, void (*fn)(t_ctx_t *));

/** Does this UCX choose its ways by its second generation of protocols, which
 *  is the default from 1.16 on? */
int t_new_protocols(void);

/** Loads libuct_ascend.so of this build; before t_open(). */
void t_load_module(void);

/** aclInit and the device rank % count, current in this thread. */
void t_acl_open(const t_ctx_t *t);

/** Context, worker and endpoints. @a peer_errors: endpoints handle failures. */
void t_open(t_ctx_t *t, int peer_errors);
void t_open_context(t_ctx_t *t);
void t_open_worker(t_ctx_t *t);
void t_connect(t_ctx_t *t, int peer_errors);
void t_close(t_ctx_t *t);
void t_close_ep(t_ctx_t *t, ucp_ep_h *ep, int force);

/* Nonblocking calls; NULL when done already. */
void *t_send(t_ctx_t *t, ucp_ep_h ep, const void *buf, size_t len, uint64_t tag);
void *t_recv(t_ctx_t *t, void *buf, size_t len, uint64_t tag);

/** Progresses until done; the request's status. */
ucs_status_t t_wait_status(t_ctx_t *t, void *request);
void t_wait(t_ctx_t *t, void *request);

/** Both ranks meet, progressing meanwhile. */
void t_sync(t_ctx_t *t);
/** Progresses for @a ms. */
void t_linger(t_ctx_t *t, unsigned ms);

/** Sends a number to the other rank, or waits for one, progressing. */
void t_tell(t_ctx_t *t, int64_t value);
int64_t t_ask(t_ctx_t *t);

/* Buffers of both kinds. Device buffers are aclrtMalloc's. */
void *t_alloc(t_kind_t kind, size_t len);
void t_free(t_kind_t kind, void *buf);
/** Fills with the pattern of @a seed. */
void t_fill(t_kind_t kind, void *buf, size_t len, uint64_t seed);
void t_poison(t_kind_t kind, void *buf, size_t len);
/** Every byte must be the pattern's. */
void t_verify(t_kind_t kind, const void *buf, size_t len, uint64_t seed, const char *what);
/** Every byte must be poison. */
void t_verify_poison(t_kind_t kind, const void *buf, size_t len, const char *what);

/** Counter of the simulator, and of libascendlink; fails for unknown names. */
uint64_t t_sim(const char *name);
int64_t t_link(const char *name);
void t_sim_reset(void);

/** True under a real runtime, which has no counters. */
int t_no_sim(void);

double t_now(void);

#endif
