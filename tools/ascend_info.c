/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ascend_info: is NPU memory really used between these ranks, and if not, why?
 */
#include "asc_config.h"

#include "tools/info.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Documented in ascend_info.1. */
enum {
    INFO_EXIT_USABLE = 0,
    INFO_EXIT_NOT_USABLE = 1,
    INFO_EXIT_USAGE = 2
};

typedef struct info_options {
    bool json, env, help, version;
    int pair_fd; /**< internal: this is the second process of a lone run */
} info_options_t;

static void info_usage(FILE *out)
{
    fprintf(out, "usage: ascend_info [--json] [--env] [--help] [--version]\n"
                 "Alone or under mpirun: says for every rank and pair whether Ascend NPU memory\n"
                 "is used directly, tries it for real, and gives reason and remedy where not.\n"
                 "  --json     one JSON object instead of text\n"
                 "  --env      the ASCEND_ environment variables, with defaults\n"
                 "Exit status: 0 all usable, 1 something is not, 2 bad arguments.\n");
}

static int info_parse_fd(const char *text, int *fd)
{
    char *end;
    long value;

    errno = 0;
    value = strtol(text, &end, 10);
    if (errno != 0 || *text == '\0' || *end != '\0' || value < 0 || value > 1 << 20) {
        return -1;
    }
    *fd = (int)value;
    return 0;
}

static int info_parse(int argc, char **argv, info_options_t *options)
{
    memset(options, 0, sizeof(*options));
    options->pair_fd = -1;
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--json") == 0) {
            options->json = true;
        } else if (strcmp(argv[i], "--env") == 0) {
            options->env = true;
        } else if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            options->help = true;
        } else if (strcmp(argv[i], "--version") == 0) {
            options->version = true;
        } else if (strcmp(argv[i], "--pair-fd") == 0 && i + 1 < argc &&
                   info_parse_fd(argv[i + 1], &options->pair_fd) == 0) {
            ++i;
        } else {
            fprintf(stderr, "ascend_info: unknown argument '%s'; see ascend_info --help\n",
                    argv[i]);
            return -1;
        }
    }
    return 0;
}

/* A pair process that is left alone must not stay behind. */
#define INFO_DEADLINE_SECONDS 120

/* Finds out and prints; room for everybody's answers is the caller's. */
static int info_find_out(const info_options_t *options, const info_comm_t *comm, info_rank_t *self,
                         info_rank_t *ranks, info_pair_t *mine, info_pair_t *pairs)
{
    size_t size = (size_t)comm->size;
    bool usable;

    info_local_collect(comm, self);
    if (info_comm_allgather(comm, self, ranks, sizeof(*self)) != 0) {
        fprintf(stderr, "ascend_info: the other process ended early\n");
        return INFO_EXIT_NOT_USABLE;
    }
    info_pair_try_all(comm, ranks, mine);
    if (info_comm_allgather(comm, mine, pairs, size * sizeof(*mine)) != 0) {
        fprintf(stderr, "ascend_info: the other process ended early\n");
        return INFO_EXIT_NOT_USABLE;
    }
    if (comm->rank != 0) {
        return INFO_EXIT_USABLE;
    }
    usable = options->json ? info_print_json(ranks, pairs, comm->size)
                           : info_print_text(ranks, pairs, comm->size);
    return usable ? INFO_EXIT_USABLE : INFO_EXIT_NOT_USABLE;
}

static int info_run(const info_options_t *options, const info_comm_t *comm)
{
    size_t size = (size_t)comm->size;
    info_rank_t *ranks = calloc(size, sizeof(*ranks));
    info_pair_t *mine = calloc(size, sizeof(*mine));
    info_pair_t *pairs = calloc(size * size, sizeof(*pairs));
    info_rank_t *self = malloc(sizeof(*self));
    int status = INFO_EXIT_NOT_USABLE;

    if (ranks == NULL || mine == NULL || pairs == NULL || self == NULL) {
        fprintf(stderr, "ascend_info: out of host memory for %zu ranks\n", size);
    } else {
        status = info_find_out(options, comm, self, ranks, mine, pairs);
    }
    free(self);
    free(pairs);
    free(mine);
    free(ranks);
    return status;
}

int main(int argc, char **argv)
{
    info_options_t options;
    info_comm_t comm;
    int status;

    if (info_parse(argc, argv, &options) != 0) {
        return INFO_EXIT_USAGE;
    }
    if (options.help) {
        info_usage(stdout);
        return INFO_EXIT_USABLE;
    }
    if (options.version) {
        printf("ascend_info (ucx-ascend) %s\n", PACKAGE_VERSION);
        return INFO_EXIT_USABLE;
    }
    if (options.env) {
        info_print_env();
        return INFO_EXIT_USABLE;
    }
    alarm(INFO_DEADLINE_SECONDS);
    if (info_comm_open(&comm, &argc, &argv, options.pair_fd) != 0) {
        fprintf(stderr, "ascend_info: cannot start the second process of the trial: %s\n",
                strerror(errno));
        return INFO_EXIT_NOT_USABLE;
    }
    status = info_run(&options, &comm);
    info_comm_close(&comm);
    return status;
}
