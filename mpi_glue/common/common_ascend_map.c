/* SPDX-License-Identifier: BSD-3-Clause */
#include "common_ascend_map.h"

#include <stdlib.h>
#include <string.h>

#include "opal/datatype/opal_datatype.h"
#include "opal/datatype/opal_datatype_internal.h"
#include "opal/threads/mutex.h"

#define BLOCKS_MAX ((size_t)65536)

/* ------------------------------------------------------------ lists ----- */

typedef struct list {
    mca_common_ascend_rows_t *blocks;
    size_t n, room;
    size_t bytes; /* of message */
    bool failed;
} list_t;

static void list_append(list_t *list, const mca_common_ascend_rows_t *block)
{
    if (list->n == list->room && !list->failed) {
        const size_t room = 2 * list->room + 8;
        mca_common_ascend_rows_t *more = realloc(list->blocks, room * sizeof(*more));

        list->failed = NULL == more || list->n >= BLOCKS_MAX;
        list->blocks = (NULL != more) ? more : list->blocks;
        list->room = (NULL != more) ? room : list->room;
    }
    if (!list->failed) {
        list->blocks[list->n++] = *block;
    }
}

/* Does @a next go on where the rows of @a last end? */
static bool goes_on(const mca_common_ascend_rows_t *last, const mca_common_ascend_rows_t *next)
{
    return next->at == last->at + (ptrdiff_t)last->rows * last->stride &&
           next->packed == last->packed + last->rows * last->packed_stride &&
           (1 == next->rows ||
            (next->stride == last->stride && next->packed_stride == last->packed_stride));
}

static void list_add(list_t *list, const mca_common_ascend_rows_t *block)
{
    mca_common_ascend_rows_t *last = (0 != list->n) ? &list->blocks[list->n - 1] : NULL;

    if (NULL != last && 1 == last->rows && 1 == block->rows &&
        last->at + (ptrdiff_t)last->len == block->at && last->packed + last->len == block->packed) {
        last->len += block->len;
        return;
    }
    if (NULL != last && last->len == block->len) {
        if (1 == last->rows && 1 == block->rows) {
            last->stride = block->at - last->at;
            last->packed_stride = block->packed - last->packed;
            last->rows = 2;
            return;
        }
        if (last->rows > 1 && goes_on(last, block)) {
            last->rows += block->rows;
            return;
        }
    }
    list_append(list, block);
}

/* One block of a row or more, again after @a step bytes, @a size of message. */
static bool repeat_one(mca_common_ascend_rows_t *block, size_t times, ptrdiff_t step, size_t size)
{
    if (1 == block->rows && (ptrdiff_t)block->len == step && block->len == size) {
        block->len *= times;
        return true;
    }
    if (1 == block->rows) {
        block->rows = times;
        block->stride = step;
        block->packed_stride = size;
        return true;
    }
    if ((ptrdiff_t)block->rows * block->stride == step &&
        block->rows * block->packed_stride == size) {
        block->rows *= times;
        return true;
    }
    return false;
}

static size_t count_rows(const mca_common_ascend_rows_t *blocks, size_t n)
{
    size_t rows = 0;

    for (size_t i = 0; i < n; i++) {
        rows += blocks[i].rows;
    }
    return rows;
}

/* Each row becomes a block of all its repetitions. */
static void repeat_by_row(list_t *list, size_t times, ptrdiff_t step, size_t size)
{
    list_t rows = {NULL, 0, 0, 0, false};

    for (size_t i = 0; i < list->n; i++) {
        const mca_common_ascend_rows_t *block = &list->blocks[i];

        for (size_t row = 0; row < block->rows; row++) {
            const mca_common_ascend_rows_t one = {.at = block->at + (ptrdiff_t)row * block->stride,
                                                  .stride = step,
                                                  .packed =
                                                      block->packed + row * block->packed_stride,
                                                  .packed_stride = size,
                                                  .len = block->len,
                                                  .rows = times};

            list_append(&rows, &one);
        }
    }
    free(list->blocks);
    list->blocks = rows.blocks;
    list->n = rows.n;
    list->room = rows.room;
    list->failed |= rows.failed;
}

static void repeat_all(list_t *list, size_t times, ptrdiff_t step, size_t size)
{
    const size_t n = list->n;
    mca_common_ascend_rows_t *once = malloc(n * sizeof(*once));

    list->failed |= NULL == once || n * times > 2 * BLOCKS_MAX;
    if (!list->failed) {
        memcpy(once, list->blocks, n * sizeof(*once));
    }
    for (size_t i = 1; i < times && !list->failed; i++) {
        for (size_t k = 0; k < n; k++) {
            mca_common_ascend_rows_t next = once[k];

            next.at += (ptrdiff_t)i * step;
            next.packed += i * size;
            list_add(list, &next);
        }
    }
    free(once);
}

/* The whole list @a times, @a step apart. The way with fewer blocks is taken. */
static void list_repeat(list_t *list, size_t times, ptrdiff_t step)
{
    const size_t size = list->bytes;

    list->bytes *= times;
    if (times <= 1 || 0 == list->n || list->failed ||
        (1 == list->n && repeat_one(&list->blocks[0], times, step, size))) {
        return;
    }
    if (count_rows(list->blocks, list->n) <= list->n * times) {
        repeat_by_row(list, times, step, size);
    } else {
        repeat_all(list, times, step, size);
    }
}

/* --------------------------------------------------- descriptions ------- */

static void add_rows(list_t *list, ptrdiff_t at, size_t len, size_t rows, ptrdiff_t stride)
{
    mca_common_ascend_rows_t block = {.at = at,
                                      .stride = stride,
                                      .packed = list->bytes,
                                      .packed_stride = len,
                                      .len = len,
                                      .rows = rows};

    if (0 == len || 0 == rows) {
        return;
    }
    list->bytes += len * rows;
    if (rows > 1 && (ptrdiff_t)len == stride) {
        block.len = len * rows;
        block.rows = 1;
    }
    list_add(list, &block);
}

static void add_description(list_t *list, const dt_elem_desc_t *desc, size_t n);

static void add_loop(list_t *list, const dt_elem_desc_t *desc)
{
    const ddt_loop_desc_t *loop = &desc->loop;
    const ddt_endloop_desc_t *end = &desc[loop->items].end_loop;
    list_t body = {NULL, 0, 0, 0, false};

    if (0 != (loop->common.flags & OPAL_DATATYPE_FLAG_CONTIGUOUS)) {
        add_rows(list, end->first_elem_disp, end->size, loop->loops, loop->extent);
        return;
    }
    add_description(&body, desc + 1, loop->items - 1);
    list_repeat(&body, loop->loops, loop->extent);
    for (size_t i = 0; i < body.n; i++) {
        mca_common_ascend_rows_t block = body.blocks[i];

        block.packed += list->bytes;
        list_add(list, &block);
    }
    list->bytes += body.bytes;
    list->failed |= body.failed;
    free(body.blocks);
}

static void add_description(list_t *list, const dt_elem_desc_t *desc, size_t n)
{
    for (size_t i = 0; i < n && !list->failed; i++) {
        const ddt_elem_desc_t *elem = &desc[i].elem;

        if (0 != (elem->common.flags & OPAL_DATATYPE_FLAG_DATA)) {
            add_rows(list, elem->disp,
                     elem->blocklen * opal_datatype_basicDatatypes[elem->common.type]->size,
                     elem->count, elem->extent);
        } else if (OPAL_DATATYPE_LOOP == elem->common.type) {
            add_loop(list, &desc[i]);
            i += desc[i].loop.items;
        }
    }
}

static const dt_type_desc_t *description(const opal_datatype_t *type)
{
    return (NULL != type->opt_desc.desc && 0 != type->opt_desc.used) ? &type->opt_desc
                                                                     : &type->desc;
}

static void set_bounds(mca_common_ascend_map_t *map)
{
    map->low = PTRDIFF_MAX;
    map->high = PTRDIFF_MIN;
    for (size_t i = 0; i < map->nblocks; i++) {
        const mca_common_ascend_rows_t *block = &map->blocks[i];
        const ptrdiff_t last = block->at + (ptrdiff_t)(block->rows - 1) * block->stride;
        const ptrdiff_t low = (last < block->at) ? last : block->at;
        const ptrdiff_t high = ((last < block->at) ? block->at : last) + (ptrdiff_t)block->len;

        map->low = (low < map->low) ? low : map->low;
        map->high = (high > map->high) ? high : map->high;
    }
}

static mca_common_ascend_map_t *map_make(const opal_datatype_t *type, size_t count)
{
    const dt_type_desc_t *desc = description(type);
    list_t list = {NULL, 0, 0, 0, false};
    mca_common_ascend_map_t *map;

    add_description(&list, desc->desc, desc->used);
    list_repeat(&list, count, type->ub - type->lb);
    map = malloc(sizeof(*map));
    /* what is not understood is left to Open MPI's own walk */
    if (list.failed || NULL == map || 0 == list.n || list.bytes != count * type->size) {
        free(list.blocks);
        free(map);
        return NULL;
    }
    *map = (mca_common_ascend_map_t){.nblocks = list.n,
                                     .nrows = count_rows(list.blocks, list.n),
                                     .bytes = list.bytes,
                                     .references = 1,
                                     .blocks = list.blocks};
    set_bounds(map);
    return map;
}

/* ------------------------------------------------------------ cache ----- */

#define CACHE_SLOTS    64
#define CACHE_DESC_MAX 4096 /* entries of a description that is worth keeping */
#define HASH_BYTES     512

typedef struct slot {
    mca_common_ascend_map_t *map;
    size_t count;
    ptrdiff_t extent;
    size_t used;
    dt_elem_desc_t *desc; /* a copy */
} slot_t;

static struct {
    opal_mutex_t lock;
    slot_t slots[CACHE_SLOTS];
} cache = {.lock = OPAL_MUTEX_STATIC_INIT};

static slot_t *slot_of(const opal_datatype_t *type, size_t count)
{
    const dt_type_desc_t *desc = description(type);
    const size_t size = desc->used * sizeof(*desc->desc);
    const unsigned char *bytes = (const unsigned char *)desc->desc;
    uint64_t hash = count * 31 + (uint64_t)(type->ub - type->lb);

    for (size_t i = 0; i < size && i < HASH_BYTES; i++) {
        hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
    }
    return &cache.slots[(hash ^ (hash >> 32)) % CACHE_SLOTS];
}

static bool slot_matches(const slot_t *slot, const opal_datatype_t *type, size_t count)
{
    const dt_type_desc_t *desc = description(type);

    return NULL != slot->map && slot->count == count && slot->extent == type->ub - type->lb &&
           slot->used == desc->used &&
           0 == memcmp(slot->desc, desc->desc, desc->used * sizeof(*desc->desc));
}

static mca_common_ascend_map_t *map_retain(mca_common_ascend_map_t *map)
{
    (void)__atomic_add_fetch(&map->references, 1, __ATOMIC_RELAXED);
    return map;
}

void mca_common_ascend_map_put(mca_common_ascend_map_t *map)
{
    if (NULL != map && 0 == __atomic_sub_fetch(&map->references, 1, __ATOMIC_ACQ_REL)) {
        free(map->blocks);
        free(map);
    }
}

/* Takes the place of what was in the slot. */
static void slot_fill(slot_t *slot, mca_common_ascend_map_t *map, const opal_datatype_t *type,
                      size_t count)
{
    const dt_type_desc_t *desc = description(type);
    const size_t size = desc->used * sizeof(*desc->desc);
    slot_t fresh = {map, count, type->ub - type->lb, desc->used, malloc(size)}, old;

    if (NULL == fresh.desc) {
        return;
    }
    memcpy(fresh.desc, desc->desc, size);
    (void)map_retain(map);
    opal_mutex_lock(&cache.lock);
    old = *slot;
    *slot = fresh;
    opal_mutex_unlock(&cache.lock);
    mca_common_ascend_map_put(old.map);
    free(old.desc);
}

mca_common_ascend_map_t *mca_common_ascend_map_get(const struct ompi_datatype_t *dtype,
                                                   size_t count)
{
    const opal_datatype_t *type = &dtype->super;
    mca_common_ascend_map_t *map = NULL;
    slot_t *slot;

    if (0 == count || 0 == type->size || count > PTRDIFF_MAX / type->size) {
        return NULL;
    }
    slot = slot_of(type, count);
    opal_mutex_lock(&cache.lock);
    if (slot_matches(slot, type, count)) {
        map = map_retain(slot->map);
    }
    opal_mutex_unlock(&cache.lock);
    if (NULL != map) {
        return map;
    }
    map = map_make(type, count);
    if (NULL != map && description(type)->used <= CACHE_DESC_MAX) {
        slot_fill(slot, map, type, count);
    }
    return map;
}

void mca_common_ascend_map_pack(const mca_common_ascend_map_t *map, const char *base, char *packed)
{
    for (size_t i = 0; i < map->nblocks; i++) {
        const mca_common_ascend_rows_t *block = &map->blocks[i];

        for (size_t row = 0; row < block->rows; row++) {
            memcpy(packed + block->packed + row * block->packed_stride,
                   base + block->at + (ptrdiff_t)row * block->stride, block->len);
        }
    }
}
