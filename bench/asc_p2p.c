/* SPDX-License-Identifier: BSD-3-Clause */
/* Latency and bandwidth between two ranks, against one thread's memcpy. */
#include "bench_common.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TAG_DATA      1
#define TAG_TURN      2

/* With -c every message has memory of its own; more than this is not asked for
 * unless the window is the user's. */
#define CHECK_MEMORY  ((size_t)256 << 20)
#define WARM_MESSAGES 512
#define WARM_SIZE     ((size_t)16 << 10)

typedef struct p2p {
    bench_job_t job;
    int peer;
    bench_buffer_t send; /* messages of a sample lie stride bytes apart */
    bench_buffer_t recv;
    size_t stride;
    bench_memcpy_t copy;
    char *seen; /* host copies to verify with */
    char *wanted;
    MPI_Request *requests;
} p2p_t;

/* What a sample of one size consists of. */
typedef struct p2p_plan {
    size_t size;       /* of the data */
    size_t span;       /* of the memory that they lie in */
    int count;         /* elements of type */
    MPI_Datatype type; /* bytes, or all rows of a vector */
    int samples;
    int warmup;
    int messages; /* one way, in a sample */
} p2p_plan_t;

/* Medians over the samples of one size, in microseconds. */
typedef struct p2p_result {
    double transfer; /* of a sample */
    double copy;     /* of one copy, alone, in the rank that is faster at it */
    double both;     /* of one copy while the other rank copies too */
} p2p_result_t;

static const char *const p2p_tests[] = {"lat", "bw", "bibw", NULL};

static const bench_program_t p2p_program = {
    .name = "asc_p2p",
    .letters = "tbmiwWv",
    .tests = p2p_tests,
    .usage = "usage: mpirun -n 2 asc_p2p [options]\n"
             "Transfers between two ranks, beside one thread's memcpy of the same size.\n"
             "  -t lat|bw|bibw  latency, bandwidth, bandwidth of both directions (default bw)\n"
             "  -b D|H D|H      memory of rank 0 and rank 1: D NPU, H host; \"DH\" works too\n"
             "                  (default D D)\n"
             "  -m MIN:MAX      message sizes in bytes, doubling; K, M, G (default 1:64M)\n"
             "  -i N            samples of each size; medians are printed (default by size)\n"
             "  -w N            samples before those (default a tenth, and small messages\n"
             "                  before the first, until UCX's buffers are warm)\n"
             "  -W N            messages in flight, bw and bibw (default by size, 4 to 64)\n"
             "  --vector B:S    rows of B bytes, S apart, as a derived type (-m: multiples of B)\n"
             "  -c              verify every byte of every message\n"
             "  --json          one object a line\n"
             "Ratio: bandwidth over memcpy's, or memcpy's time over the latency; 1 is what\n"
             "one copy costs. Exit status: 0, 1 if a message was wrong, 2 if it could not\n"
             "start.\n",
    .defaults =
        {.test = "bw", .place = {'D', 'D'}, .min = 1, .max = (size_t)64 << 20, .warmup = -1},
};

static int p2p_is(const p2p_t *p, const char *test)
{
    return strcmp(p->job.args.test, test) == 0;
}

/* Small messages share a sample, so that reading the clock does not show. */
static size_t p2p_span(const bench_args_t *args, size_t size)
{
    return args->block == 0 || size == 0 ? size
                                         : (size / args->block - 1) * args->stride + args->block;
}

static p2p_plan_t p2p_plan(const p2p_t *p, size_t size)
{
    const bench_args_t *args = &p->job.args;
    size_t window = size <= ((size_t)1 << 20) ? 64 : ((size_t)64 << 20) / size;
    p2p_plan_t plan;

    plan.size = size;
    plan.span = p2p_span(args, size);
    plan.count = (int)size;
    plan.type = MPI_CHAR;
    plan.samples = size <= 65536 ? 400 : size <= ((size_t)1 << 20) ? 100 : 25;
    if (p2p_is(p, "lat")) {
        plan.messages = size <= 8192 && !args->check ? 20 : size <= 131072 ? 4 : 1;
    } else if (args->window != 0) {
        plan.messages = args->window;
    } else {
        window = window < 4 ? 4 : window;
        if (args->check && window * size > CHECK_MEMORY) {
            window = size < CHECK_MEMORY ? CHECK_MEMORY / size : 1;
        }
        plan.messages = (int)window;
    }
    if (args->iterations != 0) {
        plan.samples = args->iterations;
    }
    plan.warmup = args->warmup >= 0 ? args->warmup : plan.samples / 10 + 1;
    return plan;
}

static void p2p_turn(const p2p_t *p, int sends)
{
    if (sends) {
        MPI_Send(NULL, 0, MPI_CHAR, p->peer, TAG_TURN, MPI_COMM_WORLD);
    } else {
        MPI_Recv(NULL, 0, MPI_CHAR, p->peer, TAG_TURN, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* Both ranks leave at about the same time, as after waiting for each other. */
static void p2p_meet(const p2p_t *p)
{
    p2p_turn(p, p->job.rank == 0);
    p2p_turn(p, p->job.rank != 0);
}

static void p2p_send(const p2p_t *p, const p2p_plan_t *plan, int message)
{
    MPI_Send(p->send.ptr + (size_t)message * p->stride, plan->count, plan->type, p->peer, TAG_DATA,
             MPI_COMM_WORLD);
}

static void p2p_recv(const p2p_t *p, const p2p_plan_t *plan, int message)
{
    MPI_Recv(p->recv.ptr + (size_t)message * p->stride, plan->count, plan->type, p->peer, TAG_DATA,
             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static double p2p_pingpong(const p2p_t *p, const p2p_plan_t *plan)
{
    double start = bench_now();

    for (int m = 0; m < plan->messages; m++) {
        if (p->job.rank == 0) {
            p2p_send(p, plan, m);
            p2p_recv(p, plan, m);
        } else {
            p2p_recv(p, plan, m);
            p2p_send(p, plan, m);
        }
    }
    return bench_now() - start;
}

static double p2p_stream(const p2p_t *p, const p2p_plan_t *plan, int sends, int receives)
{
    double start = bench_now();
    int count = 0;

    for (int m = 0; receives && m < plan->messages; m++) {
        MPI_Irecv(p->recv.ptr + (size_t)m * p->stride, plan->count, plan->type, p->peer, TAG_DATA,
                  MPI_COMM_WORLD, &p->requests[count++]);
    }
    for (int m = 0; sends && m < plan->messages; m++) {
        MPI_Isend(p->send.ptr + (size_t)m * p->stride, plan->count, plan->type, p->peer, TAG_DATA,
                  MPI_COMM_WORLD, &p->requests[count++]);
    }
    MPI_Waitall(count, p->requests, MPI_STATUSES_IGNORE);
    /* Rank 0 has the clock: it stops when rank 1 has everything too. */
    p2p_turn(p, p->job.rank != 0);
    return bench_now() - start;
}

static int p2p_sends(const p2p_t *p)
{
    return p->job.rank == 0 || !p2p_is(p, "bw");
}

static int p2p_receives(const p2p_t *p)
{
    return p->job.rank != 0 || !p2p_is(p, "bw");
}

static double p2p_transfer(const p2p_t *p, const p2p_plan_t *plan)
{
    if (p2p_is(p, "lat")) {
        return p2p_pingpong(p, plan);
    }
    return p2p_stream(p, plan, p2p_sends(p), p2p_receives(p));
}

/* New contents to send, and others where they shall arrive. */
static void p2p_prepare(p2p_t *p, const p2p_plan_t *plan, int sample)
{
    bench_job_t *job = &p->job;

    for (int m = 0; m < plan->messages; m++) {
        size_t offset = (size_t)m * p->stride;

        if (p2p_sends(p)) {
            bench_fill(p->wanted, plan->span,
                       bench_seed((uint64_t)sample, (uint64_t)m, (uint64_t)job->rank, plan->size));
            bench_buffer_put(job, &p->send, offset, p->wanted, plan->span);
        }
        if (p2p_receives(p)) {
            memset(p->seen, 0xee ^ (sample & 0xff), plan->span);
            bench_buffer_put(job, &p->recv, offset, p->seen, plan->span);
        }
    }
}

/* Between the rows lies what was there before. */
static void p2p_gaps(const p2p_t *p, const p2p_plan_t *plan, int sample)
{
    const bench_args_t *args = &p->job.args;

    for (size_t at = args->block; args->block != 0 && at < plan->span; at += args->stride) {
        memset(p->wanted + at, 0xee ^ (sample & 0xff), args->stride - args->block);
    }
}

static void p2p_verify(p2p_t *p, const p2p_plan_t *plan, int sample)
{
    bench_job_t *job = &p->job;

    for (int m = 0; p2p_receives(p) && m < plan->messages; m++) {
        bench_fill(p->wanted, plan->span,
                   bench_seed((uint64_t)sample, (uint64_t)m, (uint64_t)p->peer, plan->size));
        p2p_gaps(p, plan, sample);
        bench_buffer_get(job, &p->recv, (size_t)m * p->stride, p->seen, plan->span);
        bench_verify(job, p->seen, p->wanted, plan->span, job->args.test, m);
    }
}

/* The slower of the two ranks' times is what both together took. */
static double p2p_both(const p2p_t *p, const p2p_plan_t *plan)
{
    double mine;
    double other = 0.0;

    p2p_meet(p);
    mine = bench_memcpy_time(&p->copy, plan->size, plan->messages);
    MPI_Sendrecv(&mine, 1, MPI_DOUBLE, p->peer, TAG_TURN, &other, 1, MPI_DOUBLE, p->peer, TAG_TURN,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return mine > other ? mine : other;
}

/* Copies and transfer take turns, so that what disturbs the machine disturbs all;
 * while one rank copies, the other waits in MPI as it does in the transfer. */
static void p2p_sample(p2p_t *p, const p2p_plan_t *plan, int sample, double times[3])
{
    if (p->job.args.check) {
        p2p_prepare(p, plan, sample);
    }
    for (int rank = 0; rank < 2; rank++) {
        p2p_meet(p);
        if (p->job.rank == rank) {
            times[1] = bench_memcpy_time(&p->copy, plan->size, plan->messages);
        }
    }
    times[2] = p2p_is(p, "bibw") ? p2p_both(p, plan) : 0.0;
    p2p_meet(p);
    times[0] = p2p_transfer(p, plan);
    if (p->job.args.check) {
        p2p_verify(p, plan, sample);
    }
}

/* UCX's shared memory is touched for the first time as its ring of receive
 * buffers goes round once; until then each message pays for a page fault on both
 * sides, which on a virtual machine may cost as much as copying a megabyte. */
static void p2p_go_round(const p2p_t *p)
{
    const size_t size = p->job.args.max < WARM_SIZE ? p->job.args.max : WARM_SIZE;
    const p2p_plan_t plan = {.size = size, .count = (int)size, .type = MPI_CHAR, .messages = 1};

    for (int i = 0; i < WARM_MESSAGES && p->job.args.warmup < 0; i++) {
        (void)p2p_transfer(p, &plan);
    }
}

static p2p_result_t p2p_measure(p2p_t *p, const p2p_plan_t *plan)
{
    double *series[3];
    double times[3];
    p2p_result_t result;

    for (int k = 0; k < 3; k++) {
        series[k] = malloc((size_t)plan->samples * sizeof(double));
        if (series[k] == NULL) {
            bench_die(&p->job, "no memory for the samples; ask for fewer with -i");
        }
    }
    for (int i = -plan->warmup; i < plan->samples; i++) {
        p2p_sample(p, plan, i + plan->warmup, times);
        for (int k = 0; k < 3 && i >= 0; k++) {
            series[k][i] = times[k];
        }
    }
    result.transfer = bench_median(series[0], plan->samples);
    result.copy = bench_median(series[1], plan->samples) / plan->messages;
    result.both = bench_median(series[2], plan->samples) / plan->messages;
    /* Cores differ, and which rank copies in a transfer is not known here: the
     * faster memcpy is the stricter measure. */
    MPI_Allreduce(MPI_IN_PLACE, &result.copy, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    for (int k = 0; k < 3; k++) {
        free(series[k]);
    }
    return result;
}

static double p2p_rate(double bytes, double microseconds)
{
    return microseconds > 0.0 ? bytes / microseconds : 0.0;
}

static void p2p_print_header(const p2p_t *p)
{
    const bench_args_t *args = &p->job.args;
    const char *unit = p2p_is(p, "lat") ? "us" : "MB/s";

    if (p->job.rank != 0 || args->json) {
        return;
    }
    if (args->block != 0) {
        printf("# rows of %zu bytes, %zu apart\n", args->block, args->stride);
    }
    printf("# asc_p2p %s, rank 0 %s memory, rank 1 %s memory, medians%s\n", args->test,
           args->place[0] == 'D' ? "NPU" : "host", args->place[1] == 'D' ? "NPU" : "host",
           args->check ? ", every byte verified" : "");
    printf("# %10s %14s %14s %8s%s\n", "size", unit, "memcpy", "ratio",
           p2p_is(p, "bibw") ? "    2 memcpys    ratio" : "");
}

static void p2p_print(const p2p_t *p, const p2p_plan_t *plan, const p2p_result_t *result,
                      const long long counts[2])
{
    const bench_args_t *args = &p->job.args;
    double bytes = (double)plan->size;
    int latency = p2p_is(p, "lat");
    int ways = p2p_is(p, "bibw") ? 2 : 1;
    double value;
    double copy;
    double both = p2p_rate(2.0 * bytes, result->both);
    double ratio;

    if (latency) {
        value = result->transfer / (2.0 * plan->messages);
        copy = result->copy;
        ratio = p2p_rate(copy, value);
    } else {
        value = p2p_rate(bytes * ways * plan->messages, result->transfer);
        copy = p2p_rate(bytes, result->copy);
        ratio = p2p_rate(value, copy);
    }
    if (!args->json) {
        printf("%12zu %14.*f %14.*f %8.3f", plan->size, latency ? 3 : 1, value, latency ? 3 : 1,
               copy, ratio);
        if (ways == 2) {
            printf(" %12.1f %8.3f", both, p2p_rate(value, both));
        }
        printf("\n");
    } else {
        printf("{\"test\":\"%s\",\"buffers\":\"%c %c\",\"size\":%zu,\"value\":%.6g,"
               "\"unit\":\"%s\",\"memcpy\":%.6g,\"ratio\":%.4f",
               args->test, args->place[0], args->place[1], plan->size, value,
               latency ? "us" : "MB/s", copy, ratio);
        if (ways == 2) {
            printf(",\"memcpy_both\":%.6g,\"ratio_both\":%.4f", both, p2p_rate(value, both));
        }
        printf(",\"samples\":%d,\"messages\":%d,\"checked\":%lld,\"wrong\":%lld}\n", plan->samples,
               plan->messages, counts[0], counts[1]);
    }
    fflush(stdout);
}

static void p2p_type_open(const p2p_t *p, p2p_plan_t *plan)
{
    const bench_args_t *args = &p->job.args;

    if (args->block != 0 && plan->size != 0) {
        MPI_Type_create_hvector((int)(plan->size / args->block), (int)args->block,
                                (MPI_Aint)args->stride, MPI_CHAR, &plan->type);
        MPI_Type_commit(&plan->type);
        plan->count = 1;
    }
}

static void p2p_type_close(p2p_plan_t *plan)
{
    if (plan->type != MPI_CHAR) {
        MPI_Type_free(&plan->type);
    }
}

static void p2p_size(p2p_t *p, size_t size)
{
    p2p_plan_t plan = p2p_plan(p, size);
    long long counts[2] = {-p->job.checked, -p->job.wrong};
    p2p_result_t result;

    p->stride = p->job.args.check ? plan.span : 0;
    p2p_type_open(p, &plan);
    result = p2p_measure(p, &plan);
    p2p_type_close(&plan);
    counts[0] += p->job.checked;
    counts[1] += p->job.wrong;
    MPI_Allreduce(MPI_IN_PLACE, counts, 2, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (p->job.rank == 0) {
        p2p_print(p, &plan, &result, counts);
    }
}

static int p2p_alloc(p2p_t *p)
{
    bench_job_t *job = &p->job;
    char error[BENCH_ERROR_MAX] = "no host memory";
    size_t room = 0;
    int messages = 1;
    size_t size = job->args.min;
    int failed;

    do {
        p2p_plan_t plan = p2p_plan(p, size);
        size_t bytes = plan.span * (job->args.check ? (size_t)plan.messages : 1);

        room = bytes > room ? bytes : room;
        messages = plan.messages > messages ? plan.messages : messages;
        size = bench_args_next(&job->args, size);
    } while (size != 0);
    p->seen = malloc(p2p_span(&job->args, job->args.max) + 1);
    p->wanted = malloc(p2p_span(&job->args, job->args.max) + 1);
    p->requests = malloc(2 * (size_t)messages * sizeof(MPI_Request));
    failed = p->seen == NULL || p->wanted == NULL || p->requests == NULL ||
             bench_buffer_alloc(job, &p->send, room, job->args.place[job->rank], error) != 0 ||
             bench_buffer_alloc(job, &p->recv, room, job->args.place[job->rank], error) != 0 ||
             bench_buffer_alloc(job, &p->copy.from, job->args.max, 'H', error) != 0 ||
             bench_buffer_alloc(job, &p->copy.to, job->args.max, 'H', error) != 0;
    return bench_agree(job, failed, error);
}

static void p2p_free(p2p_t *p)
{
    bench_buffer_free(&p->job, &p->send);
    bench_buffer_free(&p->job, &p->recv);
    bench_buffer_free(&p->job, &p->copy.from);
    bench_buffer_free(&p->job, &p->copy.to);
    free(p->seen);
    free(p->wanted);
    free(p->requests);
}

static int p2p_possible(const p2p_t *p)
{
    char error[BENCH_ERROR_MAX];

    if (p->job.ranks != 2) {
        snprintf(error, sizeof(error), "needs 2 ranks, got %d; start it with -n 2", p->job.ranks);
        return bench_agree(&p->job, 1, error);
    }
    if (!p2p_is(p, "lat") && p->job.args.min == 0) {
        return bench_agree(&p->job, 1, "-m 0: a bandwidth needs at least 1 byte");
    }
    if (p->job.args.block != 0 &&
        (p->job.args.min % p->job.args.block != 0 || p->job.args.max % p->job.args.block != 0 ||
         p->job.args.min == 0)) {
        return bench_agree(&p->job, 1, "--vector: both sizes of -m must be multiples of BLOCK");
    }
    return 0;
}

int main(int argc, char **argv)
{
    p2p_t p;
    int status;

    memset(&p, 0, sizeof(p));
    if (bench_open(&p.job, &p2p_program, &argc, &argv, &status) != 0) {
        return bench_close(&p.job, status);
    }
    if (p2p_possible(&p) != 0) {
        return bench_close(&p.job, status);
    }
    p.peer = 1 - p.job.rank;
    if (bench_open_npu(&p.job, p.job.args.place[p.job.rank] == 'D') != 0 || p2p_alloc(&p) != 0) {
        return bench_close(&p.job, status);
    }
    p2p_print_header(&p);
    p2p_go_round(&p);
    for (size_t size = p.job.args.min;; size = bench_args_next(&p.job.args, size)) {
        p2p_size(&p, size);
        if (size >= p.job.args.max) {
            break;
        }
    }
    p2p_free(&p);
    return bench_close(&p.job, 0);
}
