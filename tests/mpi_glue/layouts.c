/* SPDX-License-Identifier: BSD-3-Clause */
#include "layouts.h"

#include "tests/helpers/t_helpers.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX = 40,
    PIECES = 3000 /* more than a batch holds */
};

static t_layout_t layouts[MAX];
static int num_layouts;

static void add(const char *name, int count, MPI_Datatype type)
{
    t_layout_t *layout = &layouts[num_layouts++];
    MPI_Aint lb, extent, true_lb, true_extent, low, high;
    int size;

    t_check(num_layouts < MAX, "room for %s", name);
    MPI_Type_commit(&type);
    MPI_Type_size(type, &size);
    MPI_Type_get_extent(type, &lb, &extent);
    MPI_Type_get_true_extent(type, &true_lb, &true_extent);
    low = true_lb + ((extent < 0) ? (count - 1) * extent : 0);
    high = true_lb + true_extent + ((extent > 0) ? (count - 1) * extent : 0);
    *layout = (t_layout_t){name,
                           type,
                           count,
                           (size_t)((low < 0) ? -low : 0),
                           (size_t)((high > 0) ? high : 0),
                           (size_t)size * (size_t)count};
}

static MPI_Datatype vector(int count, int length, int stride, MPI_Datatype of)
{
    MPI_Datatype type;

    MPI_Type_vector(count, length, stride, of, &type);
    return type;
}

static MPI_Datatype resized(MPI_Datatype of, MPI_Aint lb, MPI_Aint extent)
{
    MPI_Datatype type;

    MPI_Type_create_resized(of, lb, extent, &type);
    return type;
}

static MPI_Datatype subarray(int dims, const int *sizes, const int *sub, const int *starts)
{
    MPI_Datatype type;

    MPI_Type_create_subarray(dims, sizes, sub, starts, MPI_ORDER_C, MPI_DOUBLE, &type);
    return type;
}

/* Lengths from 1 to longest, gaps of all sizes, out of order if asked for. */
static MPI_Datatype irregular(int pieces, int longest, bool backwards)
{
    int *lengths = malloc((size_t)pieces * sizeof(int));
    int *displs = malloc((size_t)pieces * sizeof(int));
    int at = 0, gap;
    MPI_Datatype type;

    t_check(NULL != lengths && NULL != displs, "no memory");
    for (int i = 0; i < pieces; i++) {
        int k = backwards ? pieces - 1 - i : i;

        lengths[k] = 1 + (i * 7 + i / 5) % longest;
        gap = 1 + (i * 13) % 5;
        displs[k] = at;
        at += lengths[k] + gap;
    }
    MPI_Type_indexed(pieces, lengths, displs, MPI_INT, &type);
    free(lengths);
    free(displs);
    return type;
}

static MPI_Datatype mixed(void)
{
    const int lengths[3] = {1, 3, 2};
    const MPI_Aint displs[3] = {0, 8, 40};
    const MPI_Datatype types[3] = {MPI_CHAR, MPI_DOUBLE, MPI_SHORT};
    MPI_Datatype type;

    MPI_Type_create_struct(3, lengths, displs, types, &type);
    return resized(type, 0, 48);
}

static MPI_Datatype blocks(int count, const int *displs, int length, MPI_Datatype of)
{
    MPI_Datatype type;

    MPI_Type_create_indexed_block(count, length, displs, of, &type);
    return type;
}

static void make_regular(void)
{
    const int sizes[3] = {20, 30, 40}, sub[3] = {5, 6, 7}, starts[3] = {2, 3, 4};
    const int flat[2] = {64, 8192}, part[2] = {40, 4096}, at[2] = {3, 100};
    MPI_Datatype inner;

    add("column of 8 bytes", 1, vector(1000, 1, 16, MPI_DOUBLE));
    add("column, counted", 500, resized(vector(1, 1, 1, MPI_DOUBLE), 0, 128));
    add("two columns, counted", 300, resized(vector(2, 1, 3, MPI_DOUBLE), 0, 256));
    add("rows of 1 KiB", 3, vector(100, 128, 200, MPI_DOUBLE));
    add("rows of 32 KiB", 1, vector(40, 4096, 5000, MPI_DOUBLE));
    add("rows of 32 KiB, counted", 3, vector(7, 4096, 5000, MPI_DOUBLE));
    add("far column", 1, vector(50, 1, 5000, MPI_DOUBLE));
    add("box", 1, subarray(3, sizes, sub, starts));
    add("boxes", 2, subarray(3, sizes, sub, starts));
    add("plane", 1, subarray(2, flat, part, at));
    inner = vector(3, 2, 4, MPI_INT);
    add("vector of vectors", 5, vector(10, 3, 9, inner));
    add("overlapping extent", 20, resized(vector(2, 1, 100, MPI_INT), 0, 8));
    add("backwards", 1, vector(100, 4, -9, MPI_INT));
    add("negative extent", 50, resized(vector(2, 1, 2, MPI_INT), 0, -16));
}

static void make_others(void)
{
    static const int near[4] = {3, -2, 9, 20}, even[5] = {0, 4, 8, 12, 16};
    MPI_Datatype contiguous;

    add("int", 999, MPI_INT);
    add("double_int", 700, MPI_DOUBLE_INT);
    add("struct", 400, mixed());
    add("one struct", 1, mixed());
    add("few pieces", 3, irregular(5, 9, false));
    add("many pieces", 1, irregular(PIECES, 6, false));
    add("many pieces, out of order", 2, irregular(PIECES, 6, true));
    add("large pieces", 1, irregular(20, 20000, false));
    add("negative bound", 9, blocks(4, near, 2, MPI_DOUBLE));
    add("indexed, even", 30, resized(blocks(5, even, 3, MPI_INT), 0, 80));
    MPI_Type_contiguous(5000, MPI_DOUBLE, &contiguous);
    add("together", 3, contiguous);
    add("together, shifted", 1, blocks(1, near, 3000, MPI_DOUBLE));
    add("together, gaps at the ends", 1, resized(blocks(1, near, 3000, MPI_DOUBLE), -100, 50000));
    add("together, gaps between", 4, resized(contiguous, -64, 50000));
}

const t_layout_t *t_layouts(void)
{
    if (0 == num_layouts) {
        make_regular();
        make_others();
    }
    return layouts;
}

void t_layout_pack(const t_layout_t *layout, const char *buffer, char *packed)
{
    int at = 0;

    MPI_Pack(buffer, layout->count, layout->type, packed, (int)layout->bytes, &at, MPI_COMM_SELF);
    t_check(layout->bytes == (size_t)at, "%s packs to %d bytes", layout->name, at);
}

/* The bytes that a shorter message does not fill are packed before. */
void t_layout_unpack(const t_layout_t *layout, const char *packed, size_t bytes, char *buffer)
{
    char *all = malloc(layout->bytes);
    int at = 0;

    t_check(NULL != all, "no memory");
    t_layout_pack(layout, buffer, all);
    memcpy(all, packed, bytes);
    MPI_Unpack(all, (int)layout->bytes, &at, buffer, layout->count, layout->type, MPI_COMM_SELF);
    free(all);
}
