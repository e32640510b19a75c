/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sysmem.h - memory mappings and futexes by raw system call. Communication
 * libraries patch mmap() and munmap() to see a program's memory events; a
 * real driver maps memory behind their backs, and so do we.
 */
#ifndef NPUSIM_SYSMEM_H
#define NPUSIM_SYSMEM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Read-write memory, zero, backed when touched. NULL on failure, as below. */
void *sysmem_map_lazy(size_t len);

/* Read-write memory, backed at once. */
void *sysmem_map_now(size_t len);

/* Address space that nobody can touch, starting at a multiple of align. */
void *sysmem_reserve(size_t len, size_t align);

/* Maps [offset, offset + len) of the file shared and writable; at a fixed
 * place when at is not NULL. populate: fill the page tables now. */
void *sysmem_map_file(void *at, size_t len, int fd, uint64_t offset, bool populate);

void sysmem_unmap(void *at, size_t len);

/* Pages of [at, at + len) present and writable; false if that failed. */
bool sysmem_populate(void *at, size_t len);

/* Keeps the range out of forked children and core files. */
void sysmem_private(void *at, size_t len);

/* Sleeps while *word == seen, at most ns nanoseconds (0: no limit). */
void sysmem_wait(_Atomic uint32_t *word, uint32_t seen, uint64_t ns);

/* Sleeps until that monotonic time, signals or not. */
void sysmem_sleep_until(uint64_t ns);

/* Wakes all that sleep on the word, in any process. */
void sysmem_wake(_Atomic uint32_t *word);

/* Monotonic time. coarse: a few milliseconds off, and cheaper. */
uint64_t sysmem_now(void);
uint64_t sysmem_now_coarse(void);

#endif
