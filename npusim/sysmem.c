/* SPDX-License-Identifier: BSD-3-Clause */
#include "sysmem.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

static void *raw_mmap(void *at, size_t len, int prot, int flags, int fd, uint64_t offset)
{
    long ret = syscall(SYS_mmap, at, len, prot, flags, fd, offset);
    return ret == -1 ? NULL : (void *)ret;
}

void *sysmem_map_lazy(size_t len)
{
    return raw_mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                    -1, 0);
}

void *sysmem_map_now(size_t len)
{
    return raw_mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE,
                    -1, 0);
}

void *sysmem_reserve(size_t len, size_t align)
{
    char *got =
        raw_mmap(NULL, len + align, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (got == NULL) {
        return NULL;
    }
    char *at = (char *)(((uintptr_t)got + align - 1) / align * align);
    if (at != got) {
        sysmem_unmap(got, (size_t)(at - got));
    }
    sysmem_unmap(at + len, (size_t)(got + align - at));
    return at;
}

void *sysmem_map_file(void *at, size_t len, int fd, uint64_t offset, bool populate)
{
    int flags = MAP_SHARED | (at != NULL ? MAP_FIXED : 0) | (populate ? MAP_POPULATE : 0);
    return raw_mmap(at, len, PROT_READ | PROT_WRITE, flags, fd, offset);
}

void sysmem_unmap(void *at, size_t len)
{
    if (len > 0) {
        syscall(SYS_munmap, at, len);
    }
}

bool sysmem_populate(void *at, size_t len)
{
    return syscall(SYS_madvise, at, len, MADV_POPULATE_WRITE) == 0;
}

void sysmem_private(void *at, size_t len)
{
    syscall(SYS_madvise, at, len, MADV_DONTFORK);
    syscall(SYS_madvise, at, len, MADV_DONTDUMP);
}

void sysmem_wait(_Atomic uint32_t *word, uint32_t seen, uint64_t ns)
{
    struct timespec ts = {.tv_sec = (time_t)(ns / 1000000000u),
                          .tv_nsec = (long)(ns % 1000000000u)};
    syscall(SYS_futex, word, FUTEX_WAIT, seen, ns != 0 ? &ts : NULL, NULL, 0);
}

void sysmem_sleep_until(uint64_t ns)
{
    struct timespec ts = {.tv_sec = (time_t)(ns / 1000000000u),
                          .tv_nsec = (long)(ns % 1000000000u)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR) {
    }
}

void sysmem_wake(_Atomic uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

static uint64_t clock_read(clockid_t id)
{
    struct timespec ts;
    clock_gettime(id, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

uint64_t sysmem_now(void)
{
    return clock_read(CLOCK_MONOTONIC);
}

uint64_t sysmem_now_coarse(void)
{
    return clock_read(CLOCK_MONOTONIC_COARSE);
}
