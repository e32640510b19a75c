/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Processes that share device memory through link/, for its tests. The test's
 * first process only watches: it starts the others before anything of the
 * runtime is touched, because a child of a process that uses it is of no use.
 */
#ifndef T_LINK_H
#define T_LINK_H

#include "link/asc_link.h"
#include "tests/helpers/t_helpers.h"

#define T_MAX_PROCS 4
#define T_MAX_KEYS  64

typedef struct t_world {
    int procs;
    atomic_int arrived, round; /* barrier */
    pid_t pid[T_MAX_PROCS];
    asc_link_addr_t addr[T_MAX_PROCS];
    unsigned char rkey[T_MAX_KEYS][ASC_LINK_RKEY_SIZE];
    uint64_t value[T_MAX_KEYS];
    atomic_int flag[T_MAX_KEYS];
} t_world_t;

/** What process @a me does; runs in its own process after t_world_run(). */
typedef int (*t_role_fn)(t_world_t *world, int me);

/** Starts @a procs processes with role(world, 0..procs-1); all must end well. */
void t_world_run(int procs, t_role_fn role);

/** Starts them and gives the shared state; the caller waits for them. */
t_world_t *t_world_start(int procs, t_role_fn role);

/** Opens the library, takes @a device, opens all others as peers, and returns
 *  once everybody has got there. */
void t_join(t_world_t *world, int me, int device);

/** The same without the last step: only own address published. */
void t_join_alone(t_world_t *world, int me, int device);

/** Everybody waits for everybody, at most 20 s. Calls progress meanwhile. */
void t_barrier(t_world_t *world);

/** Waits for a flag with progress running, at most 20 s. */
void t_flag_await(atomic_int *flag, int value);

asc_link_peer_t *t_peer(t_world_t *world, int which);

/** Tracked device memory with a pattern in it. */
void *t_alloc_filled(size_t size, uint64_t seed);
void t_refill(void *device, size_t size, uint64_t seed);
void t_expect(const void *device, size_t size, uint64_t seed, size_t offset);

/** Runs the op to its end, at most 20 s. */
asc_status_t t_op_end(asc_status_t status, asc_link_op_t *op);

/** Whole get or put that must succeed. */
void t_get(asc_link_import_t *import, uint64_t remote, void *local, size_t len);
void t_put(asc_link_import_t *import, uint64_t remote, const void *local, size_t len);

/** Import that must succeed. */
asc_link_import_t *t_import(const void *rkey);

/** Progress until the counter has at least that value, at most 20 s. */
void t_counter_await(const char *name, int64_t value);

/** Messages of the library (standard error) go into memory from now on;
 *  t_messages() gives what came and t_messages_end() undoes it. No checks in
 *  between: what a failing one says would be lost. */
void t_messages_begin(void);
const char *t_messages(void);
void t_messages_end(void);

/** t_world_run() that must print nothing. */
void t_world_run_silent(int procs, t_role_fn role);

/** How often @a part occurs in @a text. */
int t_occurs(const char *text, const char *part);

/** The test's own view of its process's board, for playing a process that ends
 *  or stops in the middle of a step. */
struct link_board;
struct link_board *t_own_board(void);

/** What is free on the current device. */
size_t t_free_memory(void);

#endif
