/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * What the benchmarks share: the job, buffers in NPU or host memory, the memcpy
 * that everything is measured against, medians, patterns to verify. One thread
 * only. Functions that return int are collective and return 0, or -1 on all
 * ranks after one rank has said why; the others end the job on a failure,
 * because peers may already wait in MPI.
 */
#ifndef BENCH_COMMON_H
#define BENCH_COMMON_H

#include "bench_args.h"
#include "bench_npu.h"

#include <stdint.h>

typedef struct bench_job {
    const bench_program_t *program;
    bench_args_t args;
    int rank;
    int ranks;
    int local_rank;
    const bench_npu_ops_t *npu; /* NULL: no NPU memory in this rank */
    long long wrong;            /* messages or results that differed, this rank */
    long long checked;
} bench_job_t;

/** MPI_Init, the arguments, and the NPU if this rank needs one.
 *  @return 0; else main() ends with bench_close(job, *status). */
int bench_open(bench_job_t *job, const bench_program_t *program, int *argc, char ***argv,
               int *status);

/** Opens the NPU for this rank if @a needed. */
int bench_open_npu(bench_job_t *job, int needed);

/** Ends the job and returns the exit status: @a status, or 1 if any rank
 *  counted wrong results. */
int bench_close(bench_job_t *job, int status);

/** All ranks learn whether one has failed; the first such rank prints
 *  "<program>: rank N: <error>". */
int bench_agree(const bench_job_t *job, int failed, const char *error);

/** Prints and ends the job. */
_Noreturn void bench_die(const bench_job_t *job, const char *error);

/** Memory of one kind; where is 'D' or 'H'. */
typedef struct bench_buffer {
    char *ptr;
    size_t bytes;
    char where;
} bench_buffer_t;

/** Host buffers are page-aligned and touched. Zero bytes give one. Not
 *  collective: returns -1 with the reason in @a error (BENCH_ERROR_MAX). */
int bench_buffer_alloc(bench_job_t *job, bench_buffer_t *buf, size_t bytes, char where,
                       char *error);
void bench_buffer_free(bench_job_t *job, bench_buffer_t *buf);

/** Copies from or to ordinary host memory. */
void bench_buffer_put(bench_job_t *job, bench_buffer_t *buf, size_t offset, const void *from,
                      size_t bytes);
void bench_buffer_get(bench_job_t *job, const bench_buffer_t *buf, size_t offset, void *to,
                      size_t bytes);

/** Two host buffers, copied one to the other by one thread. */
typedef struct bench_memcpy {
    bench_buffer_t from;
    bench_buffer_t to;
} bench_memcpy_t;

/** Microseconds that @a times copies of @a bytes take. */
double bench_memcpy_time(const bench_memcpy_t *copy, size_t bytes, int times);

/** Microseconds since some fixed moment. */
double bench_now(void);

/** Median; sorts @a values. 0 when there are none. */
double bench_median(double *values, int count);

/** Bytes that depend on @a seed and on their place. */
void bench_fill(void *to, size_t bytes, uint64_t seed);

/** Makes one seed out of what distinguishes a message. */
uint64_t bench_seed(uint64_t a, uint64_t b, uint64_t c, uint64_t d);

/** Compares every byte; counts the message as checked and, if it differs, as
 *  wrong, and reports the first few. @a what and @a message name it. */
void bench_verify(bench_job_t *job, const void *data, const void *expected, size_t bytes,
                  const char *what, int message);

#endif
