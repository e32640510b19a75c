/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Data-parallel training: every rank works on its part of each minibatch, the
 * gradients are summed by MPI between the ranks' NPU memories.
 */
#include "data.h"
#include "device.h"
#include "network.h"
#include "options.h"

#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ACCURACY_WANTED  0.95
#define PROGRESS_SECONDS 2.0

/* The split into training and test samples must not move with --seed, or
 * accuracies of two runs could not be compared. */
#define SPLIT_SEED       1797

typedef struct job {
    int rank;
    int ranks;
    int local_rank;
    options_t opt;
    data_set_t set;
    device_t dev;
    int *train; /* indices of the training samples, and behind them */
    int *test;  /* those of the test samples */
    int train_count;
    int test_count;
    FILE *curve;
    double started;
    double spoke;
} job_t;

/* All ranks learn whether one has failed; the first such rank says why. */
static int job_agree(const job_t *job, int failed, const char *error)
{
    int first = failed ? job->rank : job->ranks;

    MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first == job->rank) {
        fprintf(stderr, "train: rank %d: %s\n", job->rank, error);
    }
    return first < job->ranks ? -1 : 0;
}

/* In the middle of a step the others may already wait in MPI for this rank. */
static void job_must(job_t *job, int ret)
{
    if (ret != 0) {
        fprintf(stderr, "train: rank %d: %s\n", job->rank, job->dev.error);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void job_part(const job_t *job, int count, int *first, int *end)
{
    *first = (int)((long long)count * job->rank / job->ranks);
    *end = (int)((long long)count * (job->rank + 1) / job->ranks);
}

/* Rank 0 reads, so that the file need not be visible where the others run. */
static int job_load(job_t *job)
{
    char error[512] = "";
    int failed = 0;
    int count;

    if (job->rank == 0) {
        failed = data_read(job->opt.data, &job->set, error, sizeof(error)) != 0;
    }
    if (job_agree(job, failed, error) != 0) {
        return -1;
    }
    count = job->set.count;
    MPI_Bcast(&count, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (job->rank != 0) {
        failed = data_alloc(&job->set, count) != 0;
    }
    job->train = malloc((size_t)count * sizeof(int));
    if (job_agree(job, failed || job->train == NULL, "no memory for the samples") != 0) {
        return -1;
    }
    MPI_Bcast(job->set.pixels, count * DATA_PIXELS, MPI_FLOAT, 0, MPI_COMM_WORLD);
    MPI_Bcast(job->set.labels, count, MPI_INT, 0, MPI_COMM_WORLD);
    return 0;
}

static void job_split(job_t *job)
{
    uint64_t state = SPLIT_SEED;

    data_permutation(job->train, job->set.count, &state);
    job->test_count = (job->set.count + DATA_TEST_PART - 1) / DATA_TEST_PART;
    job->train_count = job->set.count - job->test_count;
    job->test = job->train + job->train_count;
}

static int job_open_curve(job_t *job)
{
    char error[512] = "";
    int failed = 0;

    if (job->rank == 0 && job->opt.curve != NULL) {
        job->curve = fopen(job->opt.curve, "w");
        failed = job->curve == NULL;
        snprintf(error, sizeof(error), "--csv '%s': cannot write it: %s", job->opt.curve,
                 strerror(errno));
    }
    return job_agree(job, failed, error);
}

static int job_open(job_t *job)
{
    int failed;

    if (job_load(job) != 0 || job_open_curve(job) != 0) {
        return -1;
    }
    job_split(job);
    failed = device_open(&job->dev, job->local_rank, network_size(job->opt.hidden)) != 0;
    if (job_agree(job, failed, job->dev.error) != 0) {
        return -1;
    }
    if (job->rank == 0) {
        network_init(job->dev.host_params, job->opt.hidden, job->opt.seed);
        job_must(job, device_params_from_host(&job->dev));
    }
    MPI_Bcast(job->dev.params, (int)job->dev.count, MPI_FLOAT, 0, MPI_COMM_WORLD);
    return 0;
}

/* One minibatch; returns the summed loss of this rank's part of it. */
static double job_step(job_t *job, const int *order, int count)
{
    device_t *dev = &job->dev;
    double loss;
    int first;
    int end;

    job_part(job, count, &first, &end);
    job_must(job, device_params_to_host(dev));
    memset(dev->host_gradient, 0, dev->count * sizeof(float));
    loss = network_gradient(dev->host_params, job->opt.hidden, &job->set, order + first,
                            end - first, -job->opt.rate / (float)count, dev->host_gradient);
    job_must(job, device_gradient_from_host(dev));
    MPI_Allreduce(MPI_IN_PLACE, dev->gradient, (int)dev->count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    job_must(job, device_update(dev));
    return loss;
}

static void job_progress(job_t *job, int epoch, int done)
{
    double now = MPI_Wtime();
    double part;

    if (job->rank != 0 || now - job->spoke < PROGRESS_SECONDS) {
        return;
    }
    job->spoke = now;
    part = (epoch - 1 + (double)done / job->train_count) / job->opt.epochs;
    fprintf(stderr, "train: epoch %d of %d, sample %d of %d, %.0f s gone, about %.0f s to go\n",
            epoch, job->opt.epochs, done, job->train_count, now - job->started,
            (now - job->started) * (1.0 / part - 1.0));
}

/* Trains one epoch and returns the accuracy on the test samples. */
static double job_epoch(job_t *job, int epoch, uint64_t *state)
{
    double sums[2] = {0.0, 0.0};
    int first;
    int end;

    data_shuffle(job->train, job->train_count, state);
    for (int done = 0; done < job->train_count;) {
        int left = job->train_count - done;
        int count = left < job->opt.batch ? left : job->opt.batch;

        sums[0] += job_step(job, job->train + done, count);
        done += count;
        job_progress(job, epoch, done);
    }
    job_part(job, job->test_count, &first, &end);
    job_must(job, device_params_to_host(&job->dev));
    sums[1] = network_correct(job->dev.host_params, job->opt.hidden, &job->set, job->test + first,
                              end - first);
    MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    sums[0] /= job->train_count;
    sums[1] /= job->test_count;
    if (job->rank == 0) {
        printf("epoch %3d  loss %.5f  test accuracy %.2f %%\n", epoch, sums[0], 100.0 * sums[1]);
        fflush(stdout);
        if (job->curve != NULL) {
            fprintf(job->curve, "%d,%.6f,%.6f\n", epoch, sums[0], sums[1]);
        }
    }
    return sums[1];
}

/* Whether all ranks hold the same parameters, bit by bit (FNV-1a of them). */
static int job_same_params(job_t *job)
{
    uint64_t digest = 0xcbf29ce484222325u;
    uint64_t low;
    uint64_t high;
    const unsigned char *bytes = (const unsigned char *)job->dev.host_params;

    job_must(job, device_params_to_host(&job->dev));
    for (size_t i = 0; i < job->dev.count * sizeof(float); i++) {
        digest = (digest ^ bytes[i]) * 0x100000001b3u;
    }
    MPI_Allreduce(&digest, &low, 1, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&digest, &high, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
    if (low != high) {
        fprintf(stderr, "train: rank %d holds parameters with digest %016llx\n", job->rank,
                (unsigned long long)digest);
    }
    return low == high;
}

static int job_close_curve(job_t *job)
{
    int failed = 0;

    if (job->curve != NULL) {
        failed = ferror(job->curve) != 0;
        failed |= fclose(job->curve) != 0;
        job->curve = NULL;
    }
    if (failed) {
        fprintf(stderr, "train: --csv '%s': writing failed\n", job->opt.curve);
    }
    return failed;
}

static int job_train(job_t *job)
{
    uint64_t state = job->opt.seed ^ 0x5851f42d4c957f2du;
    double accuracy = 0.0;
    int status = 0;
    int same;

    if (job->rank == 0) {
        printf("%d rank%s, %d training and %d test samples, %zu parameters in NPU memory\n",
               job->ranks, job->ranks > 1 ? "s" : "", job->train_count, job->test_count,
               job->dev.count);
        if (job->curve != NULL) {
            fprintf(job->curve, "epoch,loss,accuracy\n");
        }
    }
    job->started = job->spoke = MPI_Wtime();
    for (int epoch = 1; epoch <= job->opt.epochs; epoch++) {
        accuracy = job_epoch(job, epoch, &state);
    }
    same = job_same_params(job);
    if (job->rank == 0) {
        printf("test accuracy %.2f %% (%s %.0f %%) after %.1f s; parameters %s on all ranks\n",
               100.0 * accuracy, accuracy >= ACCURACY_WANTED ? "at least" : "BELOW",
               100.0 * ACCURACY_WANTED, MPI_Wtime() - job->started,
               same ? "bit-identical" : "NOT IDENTICAL");
        status = job_close_curve(job);
    }
    if (!same || accuracy < ACCURACY_WANTED) {
        status = 1;
    }
    MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return status;
}

static int job_local_rank(void)
{
    MPI_Comm node;
    int rank;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &rank);
    MPI_Comm_free(&node);
    return rank;
}

int main(int argc, char **argv)
{
    char error[512] = "";
    job_t job;
    int status = 2;

    memset(&job, 0, sizeof(job));
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &job.ranks);
    job.local_rank = job_local_rank();
    if (job_agree(&job, options_parse(argc, argv, &job.opt, error, sizeof(error)) != 0, error) ==
        0) {
        if (job.opt.help) {
            status = 0;
            if (job.rank == 0) {
                fputs(options_usage, stdout);
            }
        } else if (job_open(&job) == 0) {
            status = job_train(&job);
        }
    }
    job_close_curve(&job);
    device_close(&job.dev);
    free(job.train);
    data_free(&job.set);
    MPI_Finalize();
    return status;
}
