/* SPDX-License-Identifier: BSD-3-Clause */
/* Time of collectives on NPU memory, beside the same call on host memory and
 * one thread's memcpy. */
#include "bench_common.h"
#include "coll_ops.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One set of buffers and what verification needs of it. */
typedef struct coll_side {
    const char *what;
    bench_buffer_t send;
    bench_buffer_t recv;
} coll_side_t;

typedef struct coll {
    bench_job_t job;
    const coll_op_t *op;
    coll_shape_t shape;
    coll_side_t sides[2]; /* the measured one, then host for comparison */
    int side_count;
    bench_memcpy_t copy;
    char *seen; /* host copies to verify with */
    char *wanted;
} coll_t;

typedef struct coll_plan {
    int samples;
    int warmup;
    int calls; /* in a sample */
} coll_plan_t;

#define SERIES 3 /* one for each side, then memcpy */

static const bench_program_t coll_program = {
    .name = "asc_coll",
    .letters = "odmiw",
    .tests = coll_names,
    .usage = "usage: mpirun -n RANKS asc_coll [options]\n"
             "Time of a collective, beside one thread's memcpy of the same size.\n"
             "  -o NAME      allreduce, bcast, barrier, reduce, allgather, alltoall, gather,\n"
             "               scatter or reduce_scatter (default allreduce); root is rank 0\n"
             "  -d npu|host  memory of the buffers (default npu, which prints the same call on\n"
             "               host buffers beside it)\n"
             "  -m MIN:MAX   sizes in bytes, doubling; K, M, G (default 4:4M): of the vector\n"
             "               for reductions, else of what a rank gives to one partner\n"
             "  -i N         samples of each size; medians are printed (default by size)\n"
             "  -w N         samples before those (default a tenth)\n"
             "  -c           verify every result\n"
             "  --json       one object a line\n"
             "Time: of the slowest rank. Ratio: memcpy's time over it; 1 is what one copy\n"
             "costs. Exit status: 0, 1 if a result was wrong, 2 if it could not start.\n",
    .defaults =
        {.test = "allreduce", .place = {'D', 'D'}, .min = 4, .max = (size_t)4 << 20, .warmup = -1},
};

/* Small calls share a sample, so that reading the clock does not show; with -c
 * every call has a sample of its own, to be verified by itself. */
static coll_plan_t coll_plan(const coll_t *c)
{
    const bench_args_t *args = &c->job.args;
    size_t size = c->shape.size;
    coll_plan_t plan;

    plan.samples = size <= 65536 ? 200 : size <= ((size_t)1 << 20) ? 60 : 25;
    plan.calls = args->check || size > 131072 ? 1 : size <= 8192 ? 20 : 4;
    if (args->iterations != 0) {
        plan.samples = args->iterations;
    }
    plan.warmup = args->warmup >= 0 ? args->warmup : plan.samples / 10 + 1;
    return plan;
}

static void coll_prepare(coll_t *c, coll_side_t *side, int sample)
{
    size_t recv = coll_recv_bytes(c->op, &c->shape);
    int in_recv = coll_send_bytes(c->op, &c->shape) == 0 && c->job.rank == 0;

    memset(c->seen, 0xee ^ (sample & 0xff), recv);
    bench_buffer_put(&c->job, &side->recv, 0, c->seen, recv);
    coll_fill(c->op, &c->shape, sample, c->wanted);
    bench_buffer_put(&c->job, in_recv ? &side->recv : &side->send, 0, c->wanted,
                     in_recv ? recv : coll_send_bytes(c->op, &c->shape));
}

static void coll_verify(coll_t *c, const coll_side_t *side, int sample)
{
    size_t bytes = coll_recv_bytes(c->op, &c->shape);

    if (bytes > 0) {
        coll_expect(c->op, &c->shape, sample, c->wanted);
        bench_buffer_get(&c->job, &side->recv, 0, c->seen, bytes);
        bench_verify(&c->job, c->seen, c->wanted, bytes, side->what, sample);
    }
}

static double coll_time(const coll_t *c, const coll_side_t *side, const coll_plan_t *plan)
{
    double start = bench_now();

    for (int i = 0; i < plan->calls; i++) {
        if (coll_run(c->op, &c->shape, side->send.ptr, side->recv.ptr) != MPI_SUCCESS) {
            bench_die(&c->job, "the collective failed");
        }
    }
    return bench_now() - start;
}

/* All take turns, so that what disturbs the machine disturbs all; while rank 0
 * copies, the others wait in MPI. */
static void coll_sample(coll_t *c, const coll_plan_t *plan, int sample, double times[SERIES])
{
    times[2] = 0.0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (c->job.rank == 0) {
        times[2] = bench_memcpy_time(&c->copy, c->shape.size, plan->calls) / plan->calls;
    }
    for (int s = 0; s < c->side_count; s++) {
        if (c->job.args.check) {
            coll_prepare(c, &c->sides[s], sample);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        times[s] = coll_time(c, &c->sides[s], plan) / plan->calls;
        if (c->job.args.check) {
            coll_verify(c, &c->sides[s], sample);
        }
    }
}

static void coll_measure(coll_t *c, const coll_plan_t *plan, double medians[SERIES])
{
    double times[SERIES] = {0.0, 0.0, 0.0};
    double *series = malloc(SERIES * (size_t)plan->samples * sizeof(double));

    if (series == NULL) {
        bench_die(&c->job, "no memory for the samples; ask for fewer with -i");
    }
    for (int i = -plan->warmup; i < plan->samples; i++) {
        coll_sample(c, plan, i + plan->warmup, times);
        for (int k = 0; k < SERIES && i >= 0; k++) {
            series[(size_t)k * (size_t)plan->samples + (size_t)i] = times[k];
        }
    }
    for (int k = 0; k < SERIES; k++) {
        double *one = series + (size_t)k * (size_t)plan->samples;

        MPI_Allreduce(MPI_IN_PLACE, one, plan->samples, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        medians[k] = bench_median(one, plan->samples);
    }
    free(series);
}

static void coll_print_header(const coll_t *c)
{
    const bench_args_t *args = &c->job.args;
    int npu = args->place[0] == 'D';

    if (c->job.rank != 0 || args->json) {
        return;
    }
    printf("# asc_coll %s, %d ranks, %s memory, medians of the slowest rank in us%s\n", args->test,
           c->job.ranks, npu ? "NPU" : "host", args->check ? ", every result verified" : "");
    printf("# %10s %12s %12s %8s%s\n", "size", "us", "memcpy", "ratio",
           npu ? "         host   npu/host" : "");
}

static void coll_print(const coll_t *c, const coll_plan_t *plan, const double medians[SERIES],
                       const long long counts[2])
{
    const bench_args_t *args = &c->job.args;
    double ratio = medians[0] > 0.0 ? medians[2] / medians[0] : 0.0;
    double host = medians[1] > 0.0 ? medians[0] / medians[1] : 0.0;

    if (!args->json) {
        printf("%12zu %12.3f %12.3f %8.3f", c->shape.size, medians[0], medians[2], ratio);
        if (c->side_count == 2) {
            printf(" %12.3f %10.3f", medians[1], host);
        }
        printf("\n");
    } else {
        printf("{\"test\":\"%s\",\"memory\":\"%s\",\"ranks\":%d,\"size\":%zu,\"value\":%.6g,"
               "\"unit\":\"us\",\"memcpy\":%.6g,\"ratio\":%.4f",
               args->test, args->place[0] == 'D' ? "npu" : "host", c->job.ranks, c->shape.size,
               medians[0], medians[2], ratio);
        if (c->side_count == 2) {
            printf(",\"host\":%.6g,\"npu_over_host\":%.4f", medians[1], host);
        }
        printf(",\"samples\":%d,\"calls\":%d,\"checked\":%lld,\"wrong\":%lld}\n", plan->samples,
               plan->calls, counts[0], counts[1]);
    }
    fflush(stdout);
}

static void coll_size(coll_t *c, size_t size)
{
    long long counts[2] = {-c->job.checked, -c->job.wrong};
    double medians[SERIES];
    coll_plan_t plan;

    c->shape.size = size;
    plan = coll_plan(c);
    coll_measure(c, &plan, medians);
    counts[0] += c->job.checked;
    counts[1] += c->job.wrong;
    MPI_Allreduce(MPI_IN_PLACE, counts, 2, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (c->job.rank == 0) {
        coll_print(c, &plan, medians, counts);
    }
}

static int coll_alloc(coll_t *c)
{
    bench_job_t *job = &c->job;
    char error[BENCH_ERROR_MAX] = "no host memory";
    size_t send;
    size_t recv;
    int failed;

    c->shape.size = job->args.max;
    send = coll_send_bytes(c->op, &c->shape);
    recv = coll_recv_bytes(c->op, &c->shape);
    c->seen = malloc(recv + 1);
    c->wanted = malloc((send > recv ? send : recv) + 1);
    c->shape.counts = malloc((size_t)job->ranks * sizeof(int));
    c->sides[0].what = job->args.place[0] == 'D' ? "NPU memory" : "host memory";
    c->sides[1].what = "host memory";
    c->side_count = job->args.place[0] == 'D' ? 2 : 1;
    failed = c->seen == NULL || c->wanted == NULL || c->shape.counts == NULL ||
             bench_buffer_alloc(job, &c->copy.from, job->args.max, 'H', error) != 0 ||
             bench_buffer_alloc(job, &c->copy.to, job->args.max, 'H', error) != 0;
    for (int s = 0; s < c->side_count && !failed; s++) {
        char where = s == 0 ? job->args.place[0] : 'H';

        failed = bench_buffer_alloc(job, &c->sides[s].send, send, where, error) != 0 ||
                 bench_buffer_alloc(job, &c->sides[s].recv, recv, where, error) != 0;
    }
    return bench_agree(job, failed, error);
}

static void coll_free(coll_t *c)
{
    for (int s = 0; s < c->side_count; s++) {
        bench_buffer_free(&c->job, &c->sides[s].send);
        bench_buffer_free(&c->job, &c->sides[s].recv);
    }
    bench_buffer_free(&c->job, &c->copy.from);
    bench_buffer_free(&c->job, &c->copy.to);
    free(c->seen);
    free(c->wanted);
    free(c->shape.counts);
}

static int coll_possible(coll_t *c)
{
    bench_args_t *args = &c->job.args;
    char error[BENCH_ERROR_MAX];
    size_t odd;

    c->op = coll_find(args->test);
    if (!coll_has_size(c->op)) {
        args->min = args->max = 0;
        return 0;
    }
    if (args->min == 0) {
        return bench_agree(&c->job, 1, "-m 0: a collective needs at least 1 byte");
    }
    odd = args->min % sizeof(float) != 0 ? args->min : args->max;
    if (coll_reduces(c->op) && odd % sizeof(float) != 0) {
        snprintf(error, sizeof(error), "-m %zu: %s adds MPI_FLOAT, sizes must be multiples of %zu",
                 odd, args->test, sizeof(float));
        return bench_agree(&c->job, 1, error);
    }
    return 0;
}

int main(int argc, char **argv)
{
    coll_t c;
    int status;

    memset(&c, 0, sizeof(c));
    if (bench_open(&c.job, &coll_program, &argc, &argv, &status) != 0) {
        return bench_close(&c.job, status);
    }
    c.shape.rank = c.job.rank;
    c.shape.ranks = c.job.ranks;
    if (coll_possible(&c) != 0 || bench_open_npu(&c.job, c.job.args.place[0] == 'D') != 0 ||
        coll_alloc(&c) != 0) {
        return bench_close(&c.job, status);
    }
    coll_print_header(&c);
    for (size_t size = c.job.args.min;; size = bench_args_next(&c.job.args, size)) {
        coll_size(&c, size);
        if (size >= c.job.args.max) {
            break;
        }
    }
    coll_free(&c);
    return bench_close(&c.job, 0);
}
