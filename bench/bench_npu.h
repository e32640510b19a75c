/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The benchmarks' NPU side: a module that is opened only when a buffer shall
 * lie in NPU memory, so that host-to-host runs need no ACL library. The module
 * links to libascendcl as a user's program does: what is measured must be what
 * a user's program gets, and its allocations are direct calls like theirs.
 */
#ifndef BENCH_NPU_H
#define BENCH_NPU_H

#include <stddef.h>

/** Functions return 0, or -1 with the failed call and its code in @a error
 *  (room for BENCH_ERROR_MAX). One thread only. Copies are synchronous. */
typedef struct bench_npu_ops {
    /** Uses device local_rank modulo the number of devices. */
    int (*open)(int local_rank, char *error);
    int (*alloc)(void **ptr, size_t bytes, char *error);
    int (*free)(void *ptr, char *error);
    int (*to_device)(void *dst, const void *src, size_t bytes, char *error);
    int (*to_host)(void *dst, const void *src, size_t bytes, char *error);
    /** Releases the device. */
    void (*close)(void);
} bench_npu_ops_t;

#define BENCH_ERROR_MAX  512

/** Name of the bench_npu_ops_t that the module exports. */
#define BENCH_NPU_SYMBOL "bench_npu_ops"

#endif
