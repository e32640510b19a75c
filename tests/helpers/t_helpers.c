/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks, limits, processes and patterns; device memory is in t_device.c. */
#define _GNU_SOURCE 1

#include "tests/helpers/t_helpers.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define T_CHILD_SECONDS 30
#define T_AWAIT_SECONDS 20

static unsigned t_slowness(void)
{
    const char *sanitize = getenv("ASC_SANITIZE");

    return (sanitize != NULL && sanitize[0] != '\0') ? 4 : 1;
}

void t_fail_at(const char *file, int line, const char *cond, const char *fmt, ...)
{
    va_list ap;

    fflush(stdout);
    fprintf(stderr, "FAIL %s:%d (process %d): %s: ", file, line, (int)getpid(), cond);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
    fflush(stderr);
    /* not exit(): handlers of the libraries under test may be what hangs */
    _exit(T_FAIL);
}

void t_skip(const char *fmt, ...)
{
    va_list ap;

    fputs("SKIP: ", stdout);
    va_start(ap, fmt);
    vprintf(fmt, ap);
    va_end(ap);
    putchar('\n');
    fflush(stdout);
    _exit(T_SKIP);
}

static void t_deadline_passed(int sig)
{
    static const char text[] = "FAIL: the time limit set by t_deadline() has passed\n";

    (void)sig;
    if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0) {
        _exit(T_FAIL);
    }
    _exit(T_FAIL);
}

void t_deadline(unsigned seconds)
{
    signal(SIGALRM, t_deadline_passed);
    alarm(seconds * t_slowness());
}

pid_t t_child(int (*fn)(void *arg), void *arg)
{
    pid_t parent = getpid();
    pid_t pid;
    int status;

    fflush(stdout);
    fflush(stderr);
    pid = fork();
    t_check(pid >= 0, "fork: %s", strerror(errno));
    if (pid > 0) {
        return pid;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(T_FAIL); /* it died before the line above */
    }
    t_deadline(T_CHILD_SECONDS);
    status = fn(arg);
    fflush(stdout);
    exit(status);
}

int t_wait(pid_t pid)
{
    int status;

    while (waitpid(pid, &status, 0) < 0) {
        t_check(errno == EINTR, "waitpid(%d): %s", (int)pid, strerror(errno));
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void t_wait_ok(pid_t pid)
{
    int status = t_wait(pid);

    t_check(status == 0, "child %d ended with status %d", (int)pid, status);
}

void *t_shared(size_t size)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    t_check(p != MAP_FAILED, "mmap of %zu bytes: %s", size, strerror(errno));
    return p;
}

void t_await(const atomic_int *word, int value)
{
    const struct timespec nap = {.tv_nsec = 200000};
    unsigned left = T_AWAIT_SECONDS * 5000 * t_slowness();

    while (atomic_load(word) < value) {
        t_check(left-- > 0, "waited too long for %d, it is %d", value, atomic_load(word));
        nanosleep(&nap, NULL);
    }
}

/* One multiplication per eight bytes; a shift by any number of bytes or a
 * swap of two blocks changes what is read. */
static uint8_t t_pattern(uint64_t seed, size_t pos)
{
    uint64_t x = (seed + 1) * 0x9e3779b97f4a7c15u + (pos >> 3);

    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 29;
    return (uint8_t)(x >> (8 * (pos & 7)));
}

void t_fill(void *buf, size_t size, uint64_t seed)
{
    uint8_t *p = buf;

    for (size_t i = 0; i < size; i++) {
        p[i] = t_pattern(seed, i);
    }
}

void t_verify(const void *buf, size_t size, uint64_t seed, size_t offset)
{
    const uint8_t *p = buf;

    for (size_t i = 0; i < size; i++) {
        uint8_t want = t_pattern(seed, offset + i);

        t_check(p[i] == want, "byte %zu of %zu is 0x%02x instead of 0x%02x (seed %llu)", i, size,
                p[i], want, (unsigned long long)seed);
    }
}
