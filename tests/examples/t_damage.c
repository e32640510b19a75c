/* SPDX-License-Identifier: BSD-3-Clause */
/* Put between a program and MPI by LD_PRELOAD: rank 1 finds the last byte of the
 * fifth large message or result that it gets inverted. Host buffers only. */
#include <mpi.h>
#include <stddef.h>

#define LARGE    1024
#define VICTIM   5

#define EXPORTED __attribute__((visibility("default")))

static int damage_seen;

static void damage(void *buf, int count, MPI_Datatype type)
{
    int size;
    int rank;

    PMPI_Type_size(type, &size);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1 && (long long)count * size >= LARGE && ++damage_seen == VICTIM) {
        char *last = (char *)buf + (size_t)count * (size_t)size - 1;

        *last = (char)~*last;
    }
}

/* The receive that the next MPI_Waitall completes. */
static void *damage_buf;
static int damage_count;

EXPORTED int MPI_Irecv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                       MPI_Request *request)
{
    damage_buf = buf;
    damage_count = type == MPI_CHAR ? count : 0;
    return PMPI_Irecv(buf, count, type, source, tag, comm, request);
}

EXPORTED int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    int ret = PMPI_Waitall(count, requests, statuses);

    if (damage_buf != NULL) {
        damage(damage_buf, damage_count, MPI_CHAR);
        damage_buf = NULL;
    }
    return ret;
}

EXPORTED int MPI_Recv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                      MPI_Status *status)
{
    int ret = PMPI_Recv(buf, count, type, source, tag, comm, status);

    damage(buf, count, type);
    return ret;
}

EXPORTED int MPI_Bcast(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    int ret = PMPI_Bcast(buf, count, type, root, comm);

    damage(buf, count, type);
    return ret;
}

EXPORTED int MPI_Allreduce(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op,
                           MPI_Comm comm)
{
    int ret = PMPI_Allreduce(send, recv, count, type, op, comm);

    if (type == MPI_FLOAT) {
        damage(recv, count, type);
    }
    return ret;
}
