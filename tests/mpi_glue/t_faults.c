/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What t_faults.sh drives: two ranks exchange device buffers, by messages,
 * derived types and collectives, while NPUSIM_FAULT lets calls of the runtime
 * fail on one of them. Errors are fatal here, as by default: the job ends with
 * right data, or by MPI's own error.
 */
#include "tests/helpers/t_helpers.h"

#include "acl/asc_acl.h"

#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    COUNT = 1 << 17, /* ints of a message */
    BLOCK = 64,      /* ints of a row of the vector */
    WRONG = 5
};

static const char *const calls[] = {
#define NAME(_name) "call." #_name,
    ASC_ACL_REQUIRED(NAME) ASC_ACL_OPTIONAL(NAME)
#undef NAME
};
enum {
    CALLS = sizeof(calls) / sizeof(calls[0])
};

static int rank, host[COUNT];

/* The test's own calls are refused as well. */
static void own(aclError error)
{
    if (error != ACL_SUCCESS) {
        fprintf(stderr, "rank %d: a call of the program's own was refused: %d\n", rank, error);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
}

static int *device_ints(int value)
{
    void *memory = NULL;

    own(T_ACL(aclrtMalloc)(&memory, sizeof(host), ACL_MEM_MALLOC_NORMAL_ONLY));
    for (int i = 0; i < COUNT; i++) {
        host[i] = value + i;
    }
    own(T_ACL(aclrtMemcpy)(memory, sizeof(host), host, sizeof(host), ACL_MEMCPY_HOST_TO_DEVICE));
    return memory;
}

/* Elements that @a mask lets through are factor * index + value. */
static void check(const char *what, const int *device, int factor, int value, int mask)
{
    own(T_ACL(aclrtMemcpy)(host, sizeof(host), device, sizeof(host), ACL_MEMCPY_DEVICE_TO_HOST));
    for (int i = 0; i < COUNT; i++) {
        if ((i & mask) == 0 && host[i] != factor * i + value) {
            printf("WRONG data: rank %d, %s, element %d is %d, not %d\n", rank, what, i, host[i],
                   factor * i + value);
            fflush(stdout);
            _exit(WRONG);
        }
    }
}

static void count(int after)
{
    static uint64_t before[CALLS];

    for (int i = 0; i < CALLS; i++) {
        uint64_t value = t_counter(calls[i]);

        if (!after) {
            before[i] = value;
        } else if (value > before[i]) {
            printf("%d %s %" PRIu64 " %" PRIu64 "\n", rank, calls[i] + strlen("call."),
                   before[i] + 1, value);
        }
    }
    fflush(stdout);
}

static void exchange(int round)
{
    int *in = device_ints(round + rank), *out = device_ints(-9), other = !rank;
    MPI_Datatype vector;

    MPI_Sendrecv(in, COUNT, MPI_INT, other, 1, out, COUNT, MPI_INT, other, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    check("sendrecv", out, 1, round + other, 0);

    MPI_Allreduce(in, out, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    check("allreduce", out, 2, 2 * round + 1, 0);

    MPI_Bcast(rank == 0 ? in : out, COUNT, MPI_INT, 0, MPI_COMM_WORLD);
    check("bcast", rank == 0 ? in : out, 1, round, 0);

    MPI_Type_vector(COUNT / (2 * BLOCK), BLOCK, 2 * BLOCK, MPI_INT, &vector);
    MPI_Type_commit(&vector);
    MPI_Sendrecv(in, 1, vector, other, 2, out, 1, vector, other, 2, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    check("vector", out, 1, round + other, BLOCK);
    MPI_Type_free(&vector);

    if (rank == 0) {
        MPI_Send(in, COUNT, MPI_INT, 1, 3, MPI_COMM_WORLD);
    } else {
        MPI_Recv(host, COUNT, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        own(T_ACL(aclrtMemcpy)(out, sizeof(host), host, sizeof(host), ACL_MEMCPY_HOST_TO_DEVICE));
        check("to host", out, 1, round, 0);
    }
    own(T_ACL(aclrtFree)(in));
    own(T_ACL(aclrtFree)(out));
}

int main(int argc, char **argv)
{
    int counting = argc > 1 && !strcmp(argv[1], "count");
    aclError error;

    alarm(60);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    error = T_ACL(aclInit)(NULL);
    own(error == ACL_ERROR_REPEAT_INITIALIZE ? ACL_SUCCESS : error);
    own(T_ACL(aclrtSetDevice)(rank));
    if (counting) {
        count(0);
    }
    for (int round = 0; round < 2; round++) {
        exchange(round);
    }
    if (counting) {
        count(1);
    }
    MPI_Finalize();
    return 0;
}
