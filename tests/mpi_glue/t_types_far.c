/* SPDX-License-Identifier: BSD-3-Clause */
/* P59: rows of a type that lie more than 2^31 bytes apart, by the type's stride,
 * by count times extent, and below the buffer's address: what is reached is
 * right, and nothing that a truncated offset would reach is written. */
#include "coll_harness.h"

#include "tests/helpers/t_helpers.h"

#include <stdlib.h>

enum {
    LONG = 20000, /* copied by row */
    SHORT = 100,  /* else read with what lies between them, if that is not too far */
    ROWS = 2
};

static const size_t far_away = ((size_t)1 << 31) + 4096;

static MPI_Datatype hvector(int row, MPI_Aint stride)
{
    MPI_Datatype type;

    MPI_Type_create_hvector(ROWS, row, stride, MPI_CHAR, &type);
    MPI_Type_commit(&type);
    return type;
}

static MPI_Datatype counted(int row)
{
    MPI_Datatype once, type;

    MPI_Type_contiguous(row, MPI_CHAR, &once);
    MPI_Type_create_resized(once, 0, (MPI_Aint)far_away, &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&once);
    return type;
}

/* Row 0 of the message lies at @a first, row 1 at @a second. */
static void exchange(char *device, size_t first, size_t second, int row, int count,
                     MPI_Datatype type)
{
    const size_t near = 4096 + 2 * LONG;
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    t_dev_fill(device + first, (size_t)row, (0 == rank) ? 1 : 3);
    t_dev_fill(device + second, (size_t)row, (0 == rank) ? 2 : 4);
    /* where offsets of 32 bits would lead */
    t_dev_fill(device + 100 * LONG, near, 5);
    if (0 == rank) {
        MPI_Send(device + first, count, type, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(device + first, count, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    t_dev_verify(device + first, (size_t)row, 1, 0);
    t_dev_verify(device + second, (size_t)row, 2, 0);
    t_dev_verify(device + 100 * LONG, near, 5, 0);
    MPI_Type_free(&type);
}

int main(int argc, char **argv)
{
    char *device;
    const int rows[2] = {LONG, SHORT};

    t_mpi_start(argc, argv, MPI_THREAD_SINGLE);
    t_acl_ok(
        T_ACL(aclrtMalloc)((void **)&device, far_away + 200 * LONG, ACL_MEM_MALLOC_HUGE_FIRST));
    for (int i = 0; i < 2; i++) {
        exchange(device, 0, far_away, rows[i], 1, hvector(rows[i], (MPI_Aint)far_away));
        exchange(device, 0, far_away, rows[i], ROWS, counted(rows[i]));
        exchange(device, far_away, 0, rows[i], 1, hvector(rows[i], -(MPI_Aint)far_away));
    }
    t_dev_free(device);
    MPI_Finalize();
    return 0;
}
