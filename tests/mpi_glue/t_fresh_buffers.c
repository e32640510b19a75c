/* SPDX-License-Identifier: BSD-3-Clause */
/* P11: all ranks send to all, by MPI_Alltoall and by messages, from device
 * buffers that are new in every round. The data are right, and after a few
 * rounds nothing grows: neither descriptors nor mappings of a process, nor what
 * the runtime keeps for it. */
#include "coll_harness.h"

#include "tests/helpers/t_helpers.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    ROUNDS = 24,
    WARM = 8,
    BYTES = 40000,    /* to each rank: by rendezvous */
    MORE_MAPPINGS = 4 /* arenas of the C library */
};

static int rank, size;

typedef struct usage {
    long files, mappings;
    uint64_t live[6];
} usage_t;

static const char *const kinds[] = {"live.alloc",  "live.import", "live.export",
                                    "live.stream", "live.notify", "live.context"};

static long open_files(void)
{
    DIR *dir = opendir("/proc/self/fd");
    long count = 0;

    t_check(dir != NULL, "no /proc/self/fd");
    while (readdir(dir) != NULL) {
        count++;
    }
    closedir(dir);
    return count;
}

static long mappings(void)
{
    FILE *file = fopen("/proc/self/maps", "r");
    long count = 0;
    int c;

    t_check(file != NULL, "no /proc/self/maps");
    while ((c = getc(file)) != EOF) {
        count += c == '\n';
    }
    fclose(file);
    return count;
}

/* Frees are followed by the peers' progress, so all meet a few times first. */
static void take(usage_t *usage)
{
    for (int i = 0; i < 50; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
    }
    usage->files = open_files();
    usage->mappings = mappings();
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        usage->live[i] = t_counter(kinds[i]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void compare(const usage_t *before)
{
    usage_t now;

    take(&now);
    t_check(now.files <= before->files, "%ld descriptors, %ld before", now.files, before->files);
    t_check(now.mappings <= before->mappings + MORE_MAPPINGS, "%ld mappings, %ld before",
            now.mappings, before->mappings);
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        t_check(now.live[i] <= before->live[i], "%s is %llu, was %llu", kinds[i],
                (unsigned long long)now.live[i], (unsigned long long)before->live[i]);
    }
}

static uint64_t seed(int round, int from, int to)
{
    return (uint64_t)((round * size + from) * size + to);
}

static void check(const char *in, int round)
{
    for (int i = 0; i < size; i++) {
        t_dev_verify(in + (size_t)i * BYTES, BYTES, seed(round, i, rank), 0);
    }
}

static void all_to_all(int round)
{
    char *out = t_dev_alloc((size_t)size * BYTES), *in = t_dev_alloc((size_t)size * BYTES);
    MPI_Request requests[2 * 16];

    for (int i = 0; i < size; i++) {
        t_dev_fill(out + (size_t)i * BYTES, BYTES, seed(round, rank, i));
    }
    MPI_Alltoall(out, BYTES, MPI_CHAR, in, BYTES, MPI_CHAR, MPI_COMM_WORLD);
    check(in, round);
    t_dev_free(in);
    in = t_dev_alloc((size_t)size * BYTES);
    for (int i = 0; i < size; i++) {
        MPI_Irecv(in + (size_t)i * BYTES, BYTES, MPI_CHAR, i, round, MPI_COMM_WORLD,
                  &requests[2 * i]);
        MPI_Isend(out + (size_t)i * BYTES, BYTES, MPI_CHAR, i, round, MPI_COMM_WORLD,
                  &requests[2 * i + 1]);
    }
    MPI_Waitall(2 * size, requests, MPI_STATUSES_IGNORE);
    check(in, round);
    t_dev_free(in);
    t_dev_free(out);
}

int main(int argc, char **argv)
{
    usage_t before = {0};

    t_mpi_start(argc, argv, MPI_THREAD_SINGLE);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    t_check(size <= 16, "for 16 ranks at most");
    for (int round = 0; round < ROUNDS; round++) {
        if (WARM == round) {
            take(&before);
        }
        all_to_all(round);
    }
    compare(&before);
    MPI_Finalize();
    return 0;
}
