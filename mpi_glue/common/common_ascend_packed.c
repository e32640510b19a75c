/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What costs: every call of the runtime (some microseconds) and every byte over
 * the bus to the host. So large rows are copied inside the device; many small
 * ones by one call to or from the host, or together with the gaps between them,
 * which is only possible in reading: gaps may be written by others at any time.
 */
#include "common_ascend_map.h"
#include "common_ascend_packed.h"

#include <stdlib.h>
#include <string.h>

/* Up to here a message is better off in host memory: it is sent at once, and a
 * device buffer would cost a copy more on both sides. */
#define HOST_MAX      ((size_t)8 << 10)

/* Bytes that the bus moves in the time that a task takes. */
#define TASK_BYTES    ((size_t)16 << 10)

/* Shorter rows inside the device are left to the host, which packs faster. */
#define ROW_MIN       ((size_t)64)

/* Reading the gaps along: as for stages, and not without bound. */
#define SPAN_FREE     ((size_t)64 << 10)
#define SPAN_PER_BYTE 8
#define SPAN_MAX      ((size_t)64 << 20)

/* Rows of one block that are worth a pitched call of their own. */
#define ROW_PITCHED   ((size_t)256)

/* ------------------------------------------------------------ memory ---- */

typedef struct place {
    int device;
    bool several; /* devices, or host memory among it */
    const char *bad;
} place_t;

static void look_at(place_t *place, const char *address, size_t len)
{
    asc_link_mem_t mem;
    const asc_link_mem_kind_t kind = asc_link_mem_query(address, len, &mem);

    if (ASC_LINK_MEM_BAD == kind && NULL == place->bad) {
        place->bad = address;
    }
    place->several |=
        ASC_LINK_MEM_DEVICE != kind || (place->device >= 0 && place->device != mem.device);
    place->device = (ASC_LINK_MEM_DEVICE == kind) ? mem.device : place->device;
}

static void look_at_block(place_t *place, const char *buf, const mca_common_ascend_rows_t *block)
{
    for (size_t i = 0; i < block->rows && NULL == place->bad; i++) {
        look_at(place, buf + block->at + (ptrdiff_t)i * block->stride, block->len);
    }
}

/* The whole span in one look where it is one allocation, else row by row. */
static place_t where(const mca_common_ascend_map_t *map, const char *buf)
{
    place_t place = {.device = -1};
    asc_link_mem_t mem;

    if (ASC_LINK_MEM_DEVICE ==
        asc_link_mem_query(buf + map->low, (size_t)(map->high - map->low), &mem)) {
        place.device = mem.device;
        return place;
    }
    for (size_t i = 0; i < map->nblocks && NULL == place.bad; i++) {
        look_at_block(&place, buf, &map->blocks[i]);
    }
    return place;
}

/* OMPI_ERR_NOT_SUPPORTED where there is host memory or a second device. */
static int check(const mca_common_ascend_packed_t *packed, int *device)
{
    const place_t place = where(packed->map, packed->buf);

    *device = place.device;
    if (NULL != place.bad) {
        return mca_common_ascend_bad_pointer(place.bad, &packed->names);
    }
    return place.several ? OMPI_ERR_NOT_SUPPORTED : OMPI_SUCCESS;
}

int mca_common_ascend_packed_check(const mca_common_ascend_packed_t *packed)
{
    int device, rc = OMPI_SUCCESS;

    if (NULL != packed->map) {
        rc = check(packed, &device);
    }
    return (OMPI_ERR_NOT_SUPPORTED != rc)
               ? rc
               : mca_common_ascend_bad_pointer(packed->buf, &packed->names);
}

static bool pays_on_device(const mca_common_ascend_map_t *map, int device)
{
    size_t tasks = map->nrows;

    if (map->bytes <= HOST_MAX || device != asc_link_home_device()) {
        return false;
    }
    if (map->nblocks < map->nrows && map->bytes / map->nrows >= ROW_MIN && asc_link_pitched(true)) {
        tasks = map->nblocks;
    }
    return tasks <= 2 + map->bytes / TASK_BYTES;
}

static asc_status_t host_memory(mca_common_ascend_packed_t *packed, size_t size, void **memory,
                                bool *pageable)
{
    const asc_status_t status = asc_link_pinned_get(size, memory);

    *pageable = false;
    if (ASC_OK == status) {
        return ASC_OK;
    }
    *memory = (ASC_ERR_NO_MEMORY == status || ASC_ERR_ACL == status) ? malloc(size) : NULL;
    if (NULL == *memory) {
        return status;
    }
    *pageable = true;
    mca_common_ascend_not_pinned(packed->names.call, size, status);
    return ASC_OK;
}

static void host_memory_put(void *memory, size_t size, bool pageable)
{
    if (pageable) {
        free(memory);
    } else {
        asc_link_pinned_put(memory, size);
    }
}

/* -------------------------------------------------------------- open ---- */

static int get_message(mca_common_ascend_packed_t *packed, mca_common_ascend_may_t may, int device)
{
    const mca_common_ascend_map_t *map = packed->map;

    if (MCA_COMMON_ASCEND_MAY_DEVICE == may && 1 == map->nrows) {
        packed->message = (void *)(packed->buf + map->blocks[0].at);
        packed->where = MCA_COMMON_ASCEND_IN_PLACE;
        return OMPI_SUCCESS;
    }
    if (MCA_COMMON_ASCEND_MAY_HOST != may && pays_on_device(map, device) &&
        ASC_OK == asc_link_scratch_get(map->bytes, &packed->message)) {
        packed->where = MCA_COMMON_ASCEND_ON_DEVICE;
        return OMPI_SUCCESS;
    }
    packed->where = MCA_COMMON_ASCEND_ON_HOST;
    /* without any memory the stage says so */
    return (ASC_OK == host_memory(packed, map->bytes, &packed->message, &packed->pageable))
               ? OMPI_SUCCESS
               : OMPI_ERR_NOT_SUPPORTED;
}

int mca_common_ascend_packed_open(mca_common_ascend_packed_t *packed, const void *buf, size_t count,
                                  struct ompi_datatype_t *dtype, mca_common_ascend_may_t may,
                                  bool sends, const mca_common_ascend_names_t *names)
{
    int device, rc;

    *packed = (mca_common_ascend_packed_t){.buf = buf,
                                           .sends = sends,
                                           .names = *names,
                                           .map = mca_common_ascend_map_get(dtype, count)};
    if (NULL == packed->map) {
        return OMPI_ERR_NOT_SUPPORTED;
    }
    rc = check(packed, &device);
    if (OMPI_SUCCESS == rc) {
        rc = get_message(packed, may, device);
    }
    if (OMPI_SUCCESS != rc) {
        packed->message = NULL;
        mca_common_ascend_packed_close(packed);
    }
    return rc;
}

void mca_common_ascend_packed_close(mca_common_ascend_packed_t *packed)
{
    if (NULL == packed->map) {
        return;
    }
    if (NULL != packed->message && MCA_COMMON_ASCEND_ON_DEVICE == packed->where) {
        asc_link_scratch_put(packed->message, packed->map->bytes);
    } else if (NULL != packed->message && MCA_COMMON_ASCEND_ON_HOST == packed->where) {
        host_memory_put(packed->message, packed->map->bytes, packed->pageable);
    }
    mca_common_ascend_map_put(packed->map);
    packed->map = NULL;
    packed->message = NULL;
}

/* ------------------------------------------------------------ copies ---- */

/* Rows of a block that the first @a limit bytes of the message fill. */
static size_t whole_rows(const mca_common_ascend_rows_t *block, size_t limit)
{
    size_t rows;

    if (block->packed + block->len > limit) {
        return 0;
    }
    if (1 == block->rows) {
        return 1;
    }
    rows = 1 + (limit - block->packed - block->len) / block->packed_stride;
    return (rows < block->rows) ? rows : block->rows;
}

static size_t add_block(const mca_common_ascend_packed_t *packed, asc_link_rows_t *list, size_t n,
                        const mca_common_ascend_rows_t *block, const asc_link_rows_t *size)
{
    char *there = (char *)packed->buf + block->at;
    char *here = (char *)packed->message + block->packed;

    list[n] = *size;
    list[n].dst = packed->sends ? here : there;
    list[n].src = packed->sends ? there : here;
    list[n].dpitch = packed->sends ? block->packed_stride : (size_t)block->stride;
    list[n].spitch = packed->sends ? (size_t)block->stride : block->packed_stride;
    return n + 1;
}

/* Blocks of the first @a limit bytes; the last row may be a part of one. */
static size_t list_blocks(const mca_common_ascend_packed_t *packed, size_t limit,
                          asc_link_rows_t *list)
{
    const mca_common_ascend_map_t *map = packed->map;
    size_t n = 0;

    for (size_t i = 0; i < map->nblocks; i++) {
        mca_common_ascend_rows_t block = map->blocks[i];
        const size_t rows = whole_rows(&block, limit);

        if (0 != rows) {
            n = add_block(packed, list, n, &block,
                          &(asc_link_rows_t){.width = block.len, .height = rows});
        }
        block.packed += rows * block.packed_stride;
        if (rows < block.rows && block.packed < limit) {
            block.at += (ptrdiff_t)rows * block.stride;
            n = add_block(packed, list, n, &block,
                          &(asc_link_rows_t){.width = limit - block.packed, .height = 1});
        }
    }
    return n;
}

static void copy_blocks(const mca_common_ascend_packed_t *packed, size_t limit,
                        mca_common_ascend_copies_t *copies)
{
    asc_link_rows_t *list = malloc(2 * packed->map->nblocks * sizeof(*list));

    if (NULL == list) {
        copies->status = ASC_ERR_NO_MEMORY;
        return;
    }
    mca_common_ascend_copies_rows(copies, list, list_blocks(packed, limit, list));
    free(list);
}

static bool reads_span(const mca_common_ascend_packed_t *packed)
{
    const mca_common_ascend_map_t *map = packed->map;
    const size_t span = (size_t)(map->high - map->low);

    if (MCA_COMMON_ASCEND_ON_HOST != packed->where || 1 == map->nrows ||
        (1 == map->nblocks && map->blocks[0].len >= ROW_PITCHED && asc_link_pitched(false))) {
        return false;
    }
    return (span <= SPAN_FREE || (span / SPAN_PER_BYTE <= map->bytes && span <= SPAN_MAX)) &&
           ASC_LINK_MEM_DEVICE == asc_link_mem_query(packed->buf + map->low, span, NULL);
}

/* One copy of all with the gaps, then the CPU. False without memory for it. */
static bool pack_span(mca_common_ascend_packed_t *packed, int *rc)
{
    const mca_common_ascend_map_t *map = packed->map;
    const size_t span = (size_t)(map->high - map->low);
    asc_status_t status;
    bool pageable;
    void *copy;

    if (ASC_OK != host_memory(packed, span, &copy, &pageable)) {
        return false;
    }
    status = asc_link_copy(copy, packed->buf + map->low, span);
    if (ASC_OK == status) {
        mca_common_ascend_map_pack(map, (const char *)copy - map->low, packed->message);
    }
    host_memory_put(copy, span, pageable);
    *rc = (ASC_OK == status) ? OMPI_SUCCESS : mca_common_ascend_copy_failed(status, &packed->names);
    return true;
}

int mca_common_ascend_packed_pack(mca_common_ascend_packed_t *packed)
{
    mca_common_ascend_copies_t copies;
    int rc;

    if (NULL == packed->map || !packed->sends || MCA_COMMON_ASCEND_IN_PLACE == packed->where) {
        return OMPI_SUCCESS;
    }
    if (reads_span(packed) && pack_span(packed, &rc)) {
        return rc;
    }
    mca_common_ascend_copies_init(&copies);
    copy_blocks(packed, packed->map->bytes, &copies);
    return mca_common_ascend_copies_end(&copies, &packed->names);
}

void mca_common_ascend_packed_unpack(mca_common_ascend_packed_t *packed, size_t limit,
                                     mca_common_ascend_copies_t *copies)
{
    if (NULL != packed->map && !packed->sends && MCA_COMMON_ASCEND_IN_PLACE != packed->where &&
        0 != limit) {
        copy_blocks(packed, (limit < packed->map->bytes) ? limit : packed->map->bytes, copies);
    }
}

int mca_common_ascend_packed_finish(mca_common_ascend_packed_t *packed, size_t limit)
{
    mca_common_ascend_copies_t copies;

    mca_common_ascend_copies_init(&copies);
    mca_common_ascend_packed_unpack(packed, limit, &copies);
    return mca_common_ascend_copies_end(&copies, &packed->names);
}
