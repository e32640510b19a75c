/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Pack, MPI_Unpack and their external forms work with device memory on
 * either side or on both, piece after piece into one buffer, and write no byte
 * that they should not. A bad pointer is refused. Files refuse device memory. */
#include "coll_harness.h"

#include <stdio.h>
#include <string.h>

#include "tests/helpers/t_helpers.h"

enum {
    COUNT = 500,
    STRIDE = 3,
    PIECES = 3,
    CELLS = COUNT * STRIDE,
    ROOM = PIECES * COUNT * 4 + 100
};

static int source[CELLS], target[CELLS];
static unsigned char expected[ROOM], packed[ROOM];
static MPI_Datatype type;

/* Packs PIECES times into @a to, and gives the end. */
static int pack(int external, const int *from, unsigned char *to)
{
    MPI_Aint far = 0;
    int near = 0;

    for (int i = 0; i < PIECES; i++) {
        const int rc = external ? MPI_Pack_external("external32", from, 1, type, to, ROOM, &far)
                                : MPI_Pack(from, 1, type, to, ROOM, &near, MPI_COMM_SELF);
        t_check(MPI_SUCCESS == rc, "packing piece %d gave %d", i, rc);
    }
    return external ? (int)far : near;
}

static void unpack(int external, const unsigned char *from, int *to, int end)
{
    MPI_Aint far = 0;
    int near = 0;

    for (int i = 0; i < PIECES; i++) {
        const int rc = external ? MPI_Unpack_external("external32", from, ROOM, &far, to, 1, type)
                                : MPI_Unpack(from, ROOM, &near, to, 1, type, MPI_COMM_SELF);
        t_check(MPI_SUCCESS == rc, "unpacking piece %d gave %d", i, rc);
        t_check((i + 1) * end / PIECES == (external ? (int)far : near), "piece %d ends at %d", i,
                external ? (int)far : near);
    }
}

static void check_packing(int external, int *cells, unsigned char *bytes, int from_device,
                          int to_device)
{
    int end, want;

    memset(expected, 0x5a, ROOM);
    want = pack(external, source, expected);
    t_to_device(cells, source, sizeof(source));
    memset(packed, 0x5a, ROOM);
    t_to_device(bytes, packed, ROOM);
    end = pack(external, from_device ? cells : source, to_device ? bytes : packed);
    if (to_device) {
        t_to_host(packed, bytes, ROOM);
    }
    t_check(want == end && want == PIECES * COUNT * 4, "packed %d bytes, not %d", end, want);
    t_check(0 == memcmp(expected, packed, ROOM), "external %d: packed bytes differ", external);
}

static void check_unpacking(int external, int *cells, unsigned char *bytes, int from_device,
                            int to_device)
{
    t_to_device(bytes, expected, ROOM);
    memset(target, 0x77, sizeof(target));
    t_to_device(cells, target, sizeof(target));
    unpack(external, from_device ? bytes : expected, to_device ? cells : target,
           PIECES * COUNT * 4);
    if (to_device) {
        t_to_host(target, cells, sizeof(target));
    }
    for (int i = 0; i < CELLS; i++) {
        const int want = (0 == i % STRIDE) ? source[i] : 0x77777777;

        t_check(want == target[i], "external %d: [%d] is %x, not %x", external, i, target[i], want);
    }
}

static void refused(const char *what, int rc)
{
    int class;

    MPI_Error_class(rc, &class);
    t_check(MPI_ERR_BUFFER == class, "%s gave class %d, not MPI_ERR_BUFFER", what, class);
}

static void check_file(int *cells)
{
    MPI_Request request;
    MPI_Status status;
    MPI_File file;
    char name[32];
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(name, sizeof(name), "t_pack.%d", rank);
    t_check(MPI_SUCCESS == MPI_File_open(MPI_COMM_SELF, name,
                                         MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                                         MPI_INFO_NULL, &file),
            "MPI_File_open");
    refused("MPI_File_write", MPI_File_write(file, cells, 8, MPI_INT, &status));
    refused("MPI_File_read_at", MPI_File_read_at(file, 0, cells, 8, MPI_INT, &status));
    refused("MPI_File_iwrite_at", MPI_File_iwrite_at(file, 0, cells, 8, MPI_INT, &request));
    refused("MPI_File_write_all_begin", MPI_File_write_all_begin(file, cells, 8, MPI_INT));
    t_check(MPI_SUCCESS == MPI_File_write_at(file, 0, source, 8, MPI_INT, &status), "write");
    t_check(MPI_SUCCESS == MPI_File_read_at(file, 0, target, 8, MPI_INT, &status), "read");
    t_check(0 == memcmp(source, target, 8 * sizeof(int)), "the file's data");
    MPI_File_close(&file);
}

int main(int argc, char **argv)
{
    unsigned char *bytes;
    int *cells, position = 0;

    t_mpi_start(argc, argv, MPI_THREAD_SINGLE);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Type_vector(COUNT, 1, STRIDE, MPI_INT, &type);
    MPI_Type_commit(&type);
    for (int i = 0; i < CELLS; i++) {
        source[i] = i * 77777 + 1;
    }
    cells = t_dev_alloc(sizeof(source));
    bytes = t_dev_alloc(ROOM);
    for (int sides = 0; sides < 8; sides++) {
        check_packing(sides >> 2, cells, bytes, sides & 1, sides >> 1 & 1);
        check_unpacking(sides >> 2, cells, bytes, sides & 1, sides >> 1 & 1);
    }
    check_file(cells);
    t_dev_free(cells);
    t_dev_free(bytes);
    refused("MPI_Pack", MPI_Pack(cells, 1, type, packed, ROOM, &position, MPI_COMM_SELF));
    refused("MPI_Unpack", MPI_Unpack(bytes, ROOM, &position, target, 1, type, MPI_COMM_SELF));
    t_check(0 == position, "a refused call moved the position");
    MPI_Type_free(&type);
    MPI_Finalize();
    return 0;
}
