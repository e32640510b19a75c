/* SPDX-License-Identifier: BSD-3-Clause */
/* P58: receives into interleaved parts of one device array, all pending at
 * once: columns of several widths, a row between them that is received as it
 * is, a column that the program itself writes after the receives were posted,
 * and one that nobody touches. Each byte is what its owner wrote. */
#include "coll_harness.h"

#include "tests/helpers/t_helpers.h"

#include <stdlib.h>

enum {
    ROWS = 700,
    COLUMNS = 40, /* doubles */
    PITCH = COLUMNS * 8,
    SIZE = ROWS * PITCH,
    PARTS = 7,
    WRITTEN = 30, /* the program's own column */
    UNTOUCHED = 31
};

/* First column and width; the last part is irregular: every third column. */
static const int parts[PARTS - 1][2] = {{0, 1}, {1, 2}, {3, 1}, {4, 9}, {13, 3}, {16, 14}};

static MPI_Datatype part_type(int part)
{
    int displs[2 * ROWS], lengths[2 * ROWS];
    MPI_Datatype type;

    if (part < PARTS - 1) {
        MPI_Type_vector(ROWS - 1, parts[part][1], COLUMNS, MPI_DOUBLE, &type);
    } else {
        for (int i = 0; i < ROWS - 1; i++) {
            displs[2 * i] = i * COLUMNS + 32 + i % 3;
            displs[2 * i + 1] = i * COLUMNS + 36 + i % 2;
            lengths[2 * i] = lengths[2 * i + 1] = 1 + i % 2;
        }
        MPI_Type_indexed(2 * (ROWS - 1), lengths, displs, MPI_DOUBLE, &type);
    }
    MPI_Type_commit(&type);
    return type;
}

static int part_start(int part)
{
    return (part < PARTS - 1) ? 8 * parts[part][0] : 0;
}

static void post(char *device, char *mine, int rank, MPI_Request *requests)
{
    for (int part = 0; part < PARTS; part++) {
        MPI_Datatype type = part_type(part);

        if (0 == rank) {
            /* in the other order: the first to be posted is the last to come */
            MPI_Isend(mine + part_start(part), 1, type, 1, part, MPI_COMM_WORLD,
                      &requests[PARTS - 1 - part]);
        } else {
            MPI_Irecv(device + part_start(part), 1, type, 0, part, MPI_COMM_WORLD, &requests[part]);
        }
        MPI_Type_free(&type);
    }
    if (0 == rank) {
        MPI_Isend(mine + SIZE - PITCH, PITCH, MPI_BYTE, 1, PARTS, MPI_COMM_WORLD, &requests[PARTS]);
    } else {
        MPI_Irecv(device + SIZE - PITCH, PITCH, MPI_BYTE, 0, PARTS, MPI_COMM_WORLD,
                  &requests[PARTS]);
    }
}

static void write_column(char *device, const char *from)
{
    for (int row = 0; row < ROWS - 1; row++) {
        t_to_device(device + row * PITCH + 8 * WRITTEN, from + row * PITCH + 8 * WRITTEN, 8);
    }
}

/* What the sender's bytes become, on the host. */
static void expect(char *want, const char *sent, const char *written)
{
    int at, size = SIZE;
    char *packed = malloc(SIZE);

    t_check(NULL != packed, "no memory");
    for (int part = 0; part < PARTS; part++) {
        MPI_Datatype type = part_type(part);

        at = 0;
        MPI_Pack(sent + part_start(part), 1, type, packed, size, &at, MPI_COMM_SELF);
        at = 0;
        MPI_Unpack(packed, size, &at, want + part_start(part), 1, type, MPI_COMM_SELF);
        MPI_Type_free(&type);
    }
    for (int i = 0; i < SIZE; i++) {
        const int column = i % PITCH / 8;

        if (i >= SIZE - PITCH) {
            want[i] = sent[i];
        } else if (WRITTEN == column) {
            want[i] = written[i];
        }
    }
    free(packed);
}

static void round_of(int round, int rank, char *host[3], char *device)
{
    MPI_Request requests[PARTS + 1];

    t_fill(host[0], SIZE, (uint64_t)round);
    t_fill(host[1], SIZE, (uint64_t)round + 100);
    t_fill(host[2], SIZE, (uint64_t)round + 200);
    t_to_device(device, host[(0 == rank) ? 0 : 1], SIZE);
    if (0 != rank) {
        post(device, host[0], rank, requests);
        write_column(device, host[2]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == rank) {
        post(device, device, rank, requests);
    }
    MPI_Waitall(PARTS + 1, requests, MPI_STATUSES_IGNORE);
    if (0 != rank) {
        expect(host[1], host[0], host[2]);
        t_to_host(host[2], device, SIZE);
        for (int i = 0; i < SIZE; i++) {
            t_check(host[1][i] == host[2][i], "round %d, row %d, column %d: %#x, not %#x", round,
                    i / PITCH, i % PITCH / 8, (unsigned char)host[2][i], (unsigned char)host[1][i]);
        }
    }
}

int main(int argc, char **argv)
{
    char *host[3], *device;
    int rank;

    t_mpi_start(argc, argv, MPI_THREAD_SINGLE);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 3; i++) {
        host[i] = malloc(SIZE);
        t_check(NULL != host[i], "no memory");
    }
    device = t_dev_alloc(SIZE);
    for (int round = 0; round < 5; round++) {
        round_of(round, rank, host, device);
    }
    t_dev_free(device);
    for (int i = 0; i < 3; i++) {
        free(host[i]);
    }
    MPI_Finalize();
    return 0;
}
