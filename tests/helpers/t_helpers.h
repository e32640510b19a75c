/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * What tests share: checks, skips, time limits, child processes, patterns, and
 * device memory through the runtime's ABI (the library that
 * ASCEND_ACL_LIBRARY names, opened at first use; tests/run-test sets it).
 *
 * A check that fails ends the calling process with status 1 and a line that
 * names place, condition and values. Nothing here is meant for other programs.
 */
#ifndef T_HELPERS_H
#define T_HELPERS_H

#include "acl/ascend_abi.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    T_PASS = 0,
    T_FAIL = 1,
    T_SKIP = 77
};

/** t_check(condition, "format", values...): the text says what was expected. */
#define t_check(_cond, ...) \
    do { \
        if (!(_cond)) { \
            t_fail_at(__FILE__, __LINE__, #_cond, __VA_ARGS__); \
        } \
    } while (0)

/** t_fail("format", values...): for what no condition expresses. */
#define t_fail(...)               t_fail_at(__FILE__, __LINE__, "not reached", __VA_ARGS__)

/** t_acl_ok(call): the runtime call must return ACL_SUCCESS. */
#define t_acl_ok(_call)           t_acl_expect_at(__FILE__, __LINE__, #_call, (_call), ACL_SUCCESS)

/** t_acl_fails(call, code): the runtime call must be refused with this code. */
#define t_acl_fails(_call, _code) t_acl_expect_at(__FILE__, __LINE__, #_call, (_call), (_code))

_Noreturn void t_fail_at(const char *file, int line, const char *cond, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

void t_acl_expect_at(const char *file, int line, const char *call, aclError got, aclError want);

/** End the test as skipped; the reason is printed. */
_Noreturn void t_skip(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/** From now on the process has this many seconds; then it fails, saying so.
 *  Multiplied by four under sanitizers. 0 switches it off. Not inherited by
 *  children: t_child() starts a limit of its own. */
void t_deadline(unsigned seconds);

/* ---- processes -------------------------------------------------------- */

/** Run fn(arg) in a child that dies with its parent and has a time limit of
 *  30 s; its return value is the child's exit status.
 *  @return the child's process id. */
pid_t t_child(int (*fn)(void *arg), void *arg);

/** Wait for a child. @return exit status, or 128 + number of the signal. */
int t_wait(pid_t pid);

/** Wait for a child that must have ended with status 0. */
void t_wait_ok(pid_t pid);

/** Zeroed memory that children made later share; lives until exit. */
void *t_shared(size_t size);

/** Wait until *word (in t_shared() memory) has at least this value; fails the
 *  test after 20 s. Sleeps in between, so it may be used on one core. */
void t_await(const atomic_int *word, int value);

/* ---- patterns --------------------------------------------------------- */

/** Fill with bytes that depend on seed and position. */
void t_fill(void *buf, size_t size, uint64_t seed);

/** Fail, naming the first position and both bytes, unless buf holds what
 *  t_fill() wrote, or what it would write from byte `offset` of a longer one. */
void t_verify(const void *buf, size_t size, uint64_t seed, size_t offset);

/* ---- the software NPU ------------------------------------------------- */

/** A counter of this process (npusim/include/npusim.h lists the names); fails
 *  the test for an unknown name, skips it where the library is no npusim. */
uint64_t t_counter(const char *name);

/* ---- device memory ---------------------------------------------------- */

/** The runtime library itself, for dlsym(); opened at the first call. */
void *t_acl_library(void);

/** A runtime function by name; fails the test where the library lacks it. */
void *t_acl_symbol(const char *name);

/** T_ACL(aclrtMalloc)(&p, size, policy): a typed call by name. */
#define T_ACL(_name) ((__typeof__(_name) *)t_acl_symbol(#_name))

/** Initialise the runtime if that has not happened, and make `device` current
 *  in this thread. Devices are numbered as the process sees them. */
void t_device(int device);

/** Device memory on the current device. Sizes are bytes, huge pages first. */
void *t_dev_alloc(size_t size);
void t_dev_free(void *ptr);

/** Synchronous copies between host and device memory. */
void t_to_device(void *device, const void *host, size_t size);
void t_to_host(void *host, const void *device, size_t size);

/** t_fill() and t_verify() for device memory, through a host buffer. */
void t_dev_fill(void *device, size_t size, uint64_t seed);
void t_dev_verify(const void *device, size_t size, uint64_t seed, size_t offset);

#endif
