/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench_common.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define REPORTS_MAX 5

int bench_agree(const bench_job_t *job, int failed, const char *error)
{
    int first = failed ? job->rank : job->ranks;

    MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first == job->rank) {
        fprintf(stderr, "%s: rank %d: %s\n", job->program->name, job->rank, error);
    }
    return first < job->ranks ? -1 : 0;
}

void bench_die(const bench_job_t *job, const char *error)
{
    fprintf(stderr, "%s: rank %d: %s\n", job->program->name, job->rank, error);
    MPI_Abort(MPI_COMM_WORLD, 1);
    _exit(1);
}

static int bench_local_rank(void)
{
    MPI_Comm node;
    int rank;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &rank);
    MPI_Comm_free(&node);
    return rank;
}

int bench_open(bench_job_t *job, const bench_program_t *program, int *argc, char ***argv,
               int *status)
{
    char error[BENCH_ERROR_MAX] = "";
    int failed;

    memset(job, 0, sizeof(*job));
    job->program = program;
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &job->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &job->ranks);
    job->local_rank = bench_local_rank();
    *status = 2;
    failed = bench_args_parse(*argc, *argv, program, &job->args, error, sizeof(error)) != 0;
    if (bench_agree(job, failed, error) != 0) {
        return -1;
    }
    if (job->args.help) {
        if (job->rank == 0) {
            fputs(program->usage, stdout);
        }
        *status = 0;
        return -1;
    }
    return 0;
}

int bench_close(bench_job_t *job, int status)
{
    long long wrong = job->wrong;

    if (job->npu != NULL) {
        job->npu->close();
    }
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (wrong > 0 && job->rank == 0) {
        fprintf(stderr, "%s: %lld results were wrong\n", job->program->name, wrong);
    }
    MPI_Finalize();
    return status == 0 && wrong > 0 ? 1 : status;
}

double bench_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

double bench_memcpy_time(const bench_memcpy_t *copy, size_t bytes, int times)
{
    /* Volatile, or the compiler would drop copies that nobody reads. */
    static void *(*volatile const function)(void *, const void *, size_t) = memcpy;
    double start;

    if (bytes == 0) {
        return 0.0;
    }
    start = bench_now();
    for (int i = 0; i < times; i++) {
        function(copy->to.ptr, copy->from.ptr, bytes);
    }
    return bench_now() - start;
}

static int bench_compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return (x > y) - (x < y);
}

double bench_median(double *values, int count)
{
    if (count == 0) {
        return 0.0;
    }
    qsort(values, (size_t)count, sizeof(*values), bench_compare);
    return count % 2 != 0 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}

static uint64_t bench_mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

void bench_fill(void *to, size_t bytes, uint64_t seed)
{
    char *at = to;
    uint64_t word;

    while (bytes > 0) {
        size_t part = bytes < sizeof(word) ? bytes : sizeof(word);

        seed += 0x9e3779b97f4a7c15u;
        word = bench_mix(seed);
        memcpy(at, &word, part);
        at += part;
        bytes -= part;
    }
}

uint64_t bench_seed(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    return bench_mix(bench_mix(bench_mix(bench_mix(a + 1) + b + 1) + c + 1) + d + 1);
}

void bench_verify(bench_job_t *job, const void *data, const void *expected, size_t bytes,
                  const char *what, int message)
{
    const unsigned char *got = data;
    const unsigned char *want = expected;
    size_t at = 0;

    job->checked++;
    if (memcmp(got, want, bytes) == 0) {
        return;
    }
    while (got[at] == want[at]) {
        at++;
    }
    job->wrong++;
    if (job->wrong <= REPORTS_MAX) {
        fprintf(stderr, "%s: rank %d: %s, message %d of %zu B: byte %zu is 0x%02x, not 0x%02x\n",
                job->program->name, job->rank, what, message, bytes, at, got[at], want[at]);
    }
}
