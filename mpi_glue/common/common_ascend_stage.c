/* SPDX-License-Identifier: BSD-3-Clause */
#include "common_ascend.h"
#include "common_ascend_layout.h"
#include "common_ascend_tell.h"

#include <stdlib.h>
#include <string.h>

#define HELP_FILE       "help-common-ascend.txt"

/* Pieces that a large copy is cut into, so that several copy streams work on
 * it and both buffers of a call move at the same time. */
#define COPY_PIECE      ((size_t)4 << 20)

/* Host copies keep the alignment of the original up to a cache line: types
 * then stay aligned as the saved functions expect. */
#define HOST_ALIGN      ((size_t)64)

/* A gap that is read along costs bandwidth, a run of its own a task on the
 * device. Reading up to this share or size along is cheaper. */
#define GAPS_PER_BYTE   8
#define GAPS_FREE_BYTES ((size_t)64 << 10)

/* Beyond any device's memory: an MPI_BOTTOM type that spans address spaces. */
#define SPAN_MAX        ((size_t)1 << 42)

typedef struct span {
    uintptr_t low, high; /* empty while low > high */
    size_t bytes;        /* of data */
} span_t;

static void span_add(span_t *span, const mca_common_ascend_layout_t *layout)
{
    mca_common_ascend_block_t block;
    uintptr_t low, high;

    for (int i = 0; i < layout->nblocks; i++) {
        if (!mca_common_ascend_block(layout, i, &block)) {
            continue;
        }
        mca_common_ascend_block_span(&block, &low, &high);
        span->low = (low < span->low) ? low : span->low;
        span->high = (high > span->high) ? high : span->high;
        span->bytes += block.bytes;
    }
}

static const span_t span_empty = {.low = UINTPTR_MAX};

/* ------------------------------------------------------------ copies ---- */

void mca_common_ascend_copies_init(mca_common_ascend_copies_t *copies)
{
    copies->busy = 0;
    copies->status = ASC_OK;
}

static void copies_note(mca_common_ascend_copies_t *copies, asc_status_t status)
{
    if (status < 0 && ASC_OK == copies->status) {
        copies->status = status;
    }
}

asc_status_t mca_common_ascend_copies_test(mca_common_ascend_copies_t *copies)
{
    for (uint32_t rest = copies->busy; 0 != rest; rest &= rest - 1) {
        const int i = __builtin_ctz(rest);
        const asc_status_t status = asc_link_op_test(&copies->ops[i]);

        if (ASC_INPROGRESS != status) {
            copies->busy &= ~(UINT32_C(1) << i);
            copies_note(copies, status);
        }
    }
    return (0 != copies->busy) ? ASC_INPROGRESS : copies->status;
}

static int copies_free_slot(mca_common_ascend_copies_t *copies)
{
    const uint32_t all = (UINT32_C(1) << MCA_COMMON_ASCEND_COPIES) - 1;

    while (all == copies->busy) {
        (void)mca_common_ascend_copies_test(copies);
    }
    return __builtin_ctz(~copies->busy);
}

void mca_common_ascend_copies_rows(mca_common_ascend_copies_t *copies, const asc_link_rows_t *rows,
                                   size_t n)
{
    const int i = copies_free_slot(copies);
    const asc_status_t status = asc_link_copy_rows_start(rows, n, &copies->ops[i]);

    if (ASC_INPROGRESS == status) {
        copies->busy |= UINT32_C(1) << i;
    } else {
        copies_note(copies, status);
    }
}

static asc_status_t copies_wait(mca_common_ascend_copies_t *copies)
{
    asc_status_t status;

    do {
        status = mca_common_ascend_copies_test(copies);
    } while (ASC_INPROGRESS == status);
    return status;
}

static void copies_add(mca_common_ascend_copies_t *copies, uintptr_t dst, uintptr_t src, size_t len)
{
    while (0 != len && ASC_OK == copies->status) {
        const size_t piece = (len < COPY_PIECE) ? len : COPY_PIECE;
        const int i = copies_free_slot(copies);
        const asc_status_t status =
            asc_link_copy_start((void *)dst, (const void *)src, piece, &copies->ops[i]);

        if (ASC_INPROGRESS == status) {
            copies->busy |= UINT32_C(1) << i;
        } else {
            copies_note(copies, status);
        }
        dst += piece;
        src += piece;
        len -= piece;
    }
}

int mca_common_ascend_copies_end(mca_common_ascend_copies_t *copies,
                                 const mca_common_ascend_names_t *names)
{
    const asc_status_t status = copies_wait(copies);

    return (ASC_OK == status) ? OMPI_SUCCESS : mca_common_ascend_copy_failed(status, names);
}

/* ------------------------------------------------------------- stage ---- */

asc_link_mem_kind_t mca_common_ascend_use_kind(const mca_common_ascend_use_t *use)
{
    asc_link_mem_kind_t kind = mca_common_ascend_layout_kind(&use->in);

    return (ASC_LINK_MEM_HOST != kind) ? kind : mca_common_ascend_layout_kind(&use->out);
}

static int find_bad(void *ctx, char *address, size_t len)
{
    if (ASC_LINK_MEM_BAD != asc_link_mem_query(address, len, NULL)) {
        return 0;
    }
    *(char **)ctx = address;
    return 1;
}

static int check_runs(const mca_common_ascend_use_t *use, const mca_common_ascend_names_t *names)
{
    char *bad = NULL;

    if (0 != mca_common_ascend_layout_walk(&use->in, find_bad, &bad) ||
        0 != mca_common_ascend_layout_walk(&use->out, find_bad, &bad)) {
        return mca_common_ascend_bad_pointer(bad, names);
    }
    return OMPI_SUCCESS;
}

static span_t use_span(const mca_common_ascend_use_t *use)
{
    span_t span = span_empty;

    span_add(&span, &use->in);
    span_add(&span, &use->out);
    return span;
}

static int check_use(const mca_common_ascend_use_t *use, const span_t *span,
                     const mca_common_ascend_names_t *names)
{
    if (ASC_LINK_MEM_DEVICE ==
        asc_link_mem_query((void *)span->low, span->high - span->low, NULL)) {
        return OMPI_SUCCESS;
    }
    return check_runs(use, names);
}

int mca_common_ascend_stage_check(const mca_common_ascend_stage_t *stage)
{
    span_t span;

    if (NULL == stage->memory) {
        return OMPI_SUCCESS;
    }
    span = use_span(&stage->use);
    return check_use(&stage->use, &span, &stage->names);
}

/* An error here would leave the other ranks of a nonblocking collective waiting,
 * so what cannot be pinned is pageable: that slows copies down, no more. */
static asc_status_t get_memory(mca_common_ascend_stage_t *stage, size_t size,
                               const mca_common_ascend_names_t *names)
{
    const asc_status_t status = asc_link_pinned_get(size, &stage->memory);

    stage->memory_size = size;
    if (ASC_OK == status) {
        return ASC_OK;
    }
    stage->memory = (ASC_ERR_NO_MEMORY == status || ASC_ERR_ACL == status) ? malloc(size) : NULL;
    if (NULL == stage->memory) {
        return status;
    }
    stage->pageable = true;
    mca_common_ascend_not_pinned(names->call, size, status);
    return ASC_OK;
}

int mca_common_ascend_stage_open(mca_common_ascend_stage_t *stage,
                                 const mca_common_ascend_use_t *use,
                                 const mca_common_ascend_names_t *names)
{
    const span_t span = use_span(use);
    const size_t size = span.high - span.low;
    asc_status_t status;
    uintptr_t host;
    int rc;

    memset(stage, 0, sizeof(*stage));
    rc = check_use(use, &span, names);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    status =
        (size > SPAN_MAX) ? ASC_ERR_NO_MEMORY : get_memory(stage, size + 2 * HOST_ALIGN, names);
    if (ASC_OK != status) {
        mca_common_ascend_tell(HELP_FILE, "no staging memory", names->call, names->argument,
                               (unsigned long)size, asc_status_text(status));
        return MPI_ERR_BUFFER;
    }
    stage->use = *use;
    stage->names = *names;
    host = ((uintptr_t)stage->memory + HOST_ALIGN - 1) & ~(HOST_ALIGN - 1);
    stage->shift = host + span.low % HOST_ALIGN - span.low;
    return OMPI_SUCCESS;
}

void *mca_common_ascend_stage_host(const mca_common_ascend_stage_t *stage)
{
    const void *buf = (0 != stage->use.out.nblocks) ? stage->use.out.buf : stage->use.in.buf;

    return (void *)((uintptr_t)buf + stage->shift);
}

typedef struct transfer {
    mca_common_ascend_copies_t *copies;
    uintptr_t shift;
    size_t left;
    bool to_device;
} transfer_t;

static int transfer_run(void *ctx, char *address, size_t len)
{
    transfer_t *transfer = ctx;
    const uintptr_t device = (uintptr_t)address;
    const uintptr_t host = device + transfer->shift;
    const size_t now = (len < transfer->left) ? len : transfer->left;

    copies_add(transfer->copies, transfer->to_device ? device : host,
               transfer->to_device ? host : device, now);
    transfer->left -= now;
    return 0 == transfer->left || ASC_OK != transfer->copies->status;
}

/* A type that cannot be walked must not pass for one without data. */
static void transfer_runs(const mca_common_ascend_layout_t *layout, transfer_t *transfer)
{
    if (mca_common_ascend_layout_walk(layout, transfer_run, transfer) < 0) {
        copies_note(transfer->copies, ASC_ERR_INVALID);
    }
}

static void stage_in(mca_common_ascend_stage_t *stage, mca_common_ascend_copies_t *copies)
{
    transfer_t transfer = {.copies = copies, .shift = stage->shift, .left = SIZE_MAX};
    span_t span = span_empty;

    if (NULL == stage->memory) {
        return;
    }
    span_add(&span, &stage->use.in);
    if (0 == span.bytes) {
        return;
    }
    if ((span.high - span.low <= GAPS_FREE_BYTES ||
         (span.high - span.low) / GAPS_PER_BYTE <= span.bytes) &&
        ASC_LINK_MEM_DEVICE == asc_link_mem_query((void *)span.low, span.high - span.low, NULL)) {
        copies_add(copies, span.low + stage->shift, span.low, span.high - span.low);
        return;
    }
    transfer_runs(&stage->use.in, &transfer);
}

void mca_common_ascend_stage_out(mca_common_ascend_stage_t *stage, size_t limit,
                                 mca_common_ascend_copies_t *copies)
{
    transfer_t transfer = {
        .copies = copies, .shift = stage->shift, .left = limit, .to_device = true};

    /* Run by run and never the gaps: another operation under way may own
     * them, as when two halo columns of one array are received at once. */
    if (NULL != stage->memory && 0 != limit) {
        transfer_runs(&stage->use.out, &transfer);
    }
}

/* Which of several copies failed is not known: the first buffer is named. */
static int copies_end(mca_common_ascend_copies_t *copies, const mca_common_ascend_stage_t *stages,
                      int n)
{
    int named = 0;

    while (named < n - 1 && NULL == stages[named].memory) {
        named++;
    }
    return mca_common_ascend_copies_end(copies, &stages[named].names);
}

int mca_common_ascend_copy_in(mca_common_ascend_stage_t *stages, int n)
{
    mca_common_ascend_copies_t copies;

    mca_common_ascend_copies_init(&copies);
    for (int i = 0; i < n; i++) {
        stage_in(&stages[i], &copies);
    }
    return copies_end(&copies, stages, n);
}

int mca_common_ascend_copy_out(mca_common_ascend_stage_t *stages, int n, size_t limit)
{
    mca_common_ascend_copies_t copies;

    mca_common_ascend_copies_init(&copies);
    for (int i = 0; i < n; i++) {
        mca_common_ascend_stage_out(&stages[i], limit, &copies);
    }
    return copies_end(&copies, stages, n);
}

void mca_common_ascend_stage_close(mca_common_ascend_stage_t *stage)
{
    if (NULL != stage->memory && stage->pageable) {
        free(stage->memory);
    } else if (NULL != stage->memory) {
        asc_link_pinned_put(stage->memory, stage->memory_size);
    }
    stage->memory = NULL;
}
