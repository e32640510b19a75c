/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The parts of ascend_info: what a rank finds out about itself
 * (info_local.c), a pair about each other (info_pair.c), how they talk
 * (info_comm.c), how it is told (info_print.c).
 */
#ifndef TOOLS_INFO_H
#define TOOLS_INFO_H

#include "link/asc_link.h"

#include <stdbool.h>

#define INFO_TEXT         320
#define INFO_PROBLEMS_MAX 12

/** A reason for non-use with what to do about it. @a id is stable for scripts. */
typedef struct info_problem {
    char id[32];
    char text[INFO_TEXT];
    char remedy[INFO_TEXT];
} info_problem_t;

/** What one rank knows of itself. Plain data: it travels between ranks. */
typedef struct info_rank {
    int rank, pid;
    char host[64];
    char acl_path[INFO_TEXT];
    bool link_ready;
    int devices, device; /**< -1: none could be set */
    char soc[32];
    char pci[24];
    int numa_node;
    char cpuset[128];
    char locality_why[INFO_TEXT]; /**< why locality is unknown, or "" */
    char hook_mode[16];
    char hook_why[INFO_TEXT];
    char oob[16];
    char ucx_built[16], ucx_running[16];
    char ompi_built[16], ompi_running[16]; /**< running "" without MPI */
    char pml[32];                          /**< selected, "" without MPI */
    bool module_uct, module_hook, module_coll;
    bool uct_copy, uct_ipc; /**< transports offered to UCX */
    asc_link_addr_t addr;
    int num_problems;
    info_problem_t problems[INFO_PROBLEMS_MAX];
} info_rank_t;

/** Step of the trial at which a pair was refused; INFO_STEP_OK: none. */
typedef enum info_step {
    INFO_STEP_OK,
    INFO_STEP_SKIPPED, /**< one side has no device */
    INFO_STEP_PEER,
    INFO_STEP_EXPORT,
    INFO_STEP_IMPORT,
    INFO_STEP_COPY,
    INFO_STEP_DATA,
    INFO_STEP_NOTIFY,
    INFO_STEP_LOST /**< the other side went away during the trial */
} info_step_t;

/** One direction of a pair, tried for real by the importer. */
typedef struct info_pair {
    int owner, importer;
    info_step_t step;
    char link[16];
    char reason[INFO_TEXT];
} info_pair_t;

/** How ranks talk: MPI under mpirun, else a socket to a second process that
 *  the tool starts itself, so that one process alone has a pair to try. */
typedef struct info_comm {
    int rank, size;
    bool mpi;
    int fd;    /**< socket to the other process, without MPI */
    int child; /**< that process, 0 in itself */
} info_comm_t;

/* info_comm.c. All return 0, or -1 when the peer is gone. */
int info_comm_open(info_comm_t *comm, int *argc, char ***argv, int pair_fd);
int info_comm_send(const info_comm_t *comm, int peer, const void *data, size_t len);
int info_comm_recv(const info_comm_t *comm, int peer, void *data, size_t len);
/** Gives everybody's @a len bytes to everybody, in rank order. */
int info_comm_allgather(const info_comm_t *comm, const void *mine, void *all, size_t len);
void info_comm_close(info_comm_t *comm);

/* info_local.c */
void info_local_collect(const info_comm_t *comm, info_rank_t *info);

/* info_pml.c: name of the pml component that Open MPI has selected. */
const char *info_selected_pml(void);

/* info_pair.c: tries all directions in which this rank takes part; results of
 * those it imports in are written to pairs[owner]. */
void info_pair_try_all(const info_comm_t *comm, const info_rank_t *ranks, info_pair_t *pairs);
const char *info_step_name(info_step_t step);
bool info_pair_usable(const info_pair_t *pair);
const char *info_pair_remedy(const info_pair_t *pair);

/* info_print.c: both return true when nothing stands in the way. */
bool info_print_text(const info_rank_t *ranks, const info_pair_t *pairs, int size);
bool info_print_json(const info_rank_t *ranks, const info_pair_t *pairs, int size);
void info_print_env(void);

#endif
