/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy_many.c - one call, many pieces: pitched copies and batches. Only between
 * host and device, as the vendor documents them; a pitched copy inside the
 * device is refused unless NPUSIM_PITCHED_D2D says that this device takes it.
 */
#include <stdlib.h>
#include <string.h>

#include "copy.h"
#include "knobs.h"
#include "link.h"
#include "node.h"
#include "redzone.h"
#include "stream.h"

#define HEIGHT_MAX ((size_t)5 << 20) /* documented */

struct piece {
    struct region *dst, *src; /* with references; NULL: pageable host */
    void *d;
    const void *s;
    size_t dpitch, spitch, width, height;
};

struct pieces {
    int dir; /* aclrtMemcpyKind by the addresses */
    int counter;
    bool pageable;
    size_t n;
    struct piece p[];
};

static void pieces_free(struct pieces *all)
{
    for (size_t i = 0; i < all->n; i++) {
        region_put(all->p[i].dst);
        region_put(all->p[i].src);
    }
    free(all);
}

static size_t piece_span(const struct piece *p, size_t pitch)
{
    return (p->height - 1) * pitch + p->width;
}

static aclError piece_run(const struct piece *p, int dev, const char **why, const void **bad)
{
    *bad = p->d;
    redzone_write(p->dst, p->d, piece_span(p, p->dpitch));
    aclError rc = copy_check(p->dst, p->d, piece_span(p, p->dpitch), dev, why);
    if (rc == ACL_SUCCESS) {
        *bad = p->s;
        rc = copy_check(p->src, p->s, piece_span(p, p->spitch), dev, why);
    }
    if (rc != ACL_SUCCESS) {
        return rc;
    }
    char *d = copy_engine(p->dst, p->d);
    const char *s = copy_engine(p->src, p->s);
    for (size_t row = 0; row < p->height; row++) {
        memcpy(d + row * p->dpitch, s + row * p->spitch, p->width);
    }
    return ACL_SUCCESS;
}

static aclError pieces_now(const struct pieces *all, int dev, const char **why, const void **bad)
{
    size_t rows = 0, bytes = 0;
    aclError rc = ACL_SUCCESS;

    for (size_t i = 0; i < all->n && rc == ACL_SUCCESS; i++) {
        rc = piece_run(&all->p[i], dev, why, bad);
        rows += all->p[i].height;
        bytes += all->p[i].height * all->p[i].width;
    }
    if (rc == ACL_SUCCESS) {
        sim_count(SIM_C_COPY_H2H + all->dir, 1);
        sim_count(SIM_C_BYTES_H2H + all->dir, bytes);
        sim_count(all->counter, 1);
        sim_count(SIM_C_COPY_ROWS, rows);
    }
    return rc;
}

static void pieces_traffic(const struct pieces *all, struct traffic *load)
{
    *load = (struct traffic){link_place(all->p[0].src), link_place(all->p[0].dst), 0};
    for (size_t i = 0; i < all->n; i++) {
        load->len += all->p[i].height * all->p[i].width;
    }
}

static aclError pieces_blocking(const struct pieces *all, int dev, const char **why,
                                const void **bad)
{
    struct traffic load;

    pieces_traffic(all, &load);
    link_wait(&load);
    return pieces_now(all, dev, why, bad);
}

static void many_traffic(const struct task *t, struct traffic *load)
{
    pieces_traffic(t->u.many.pieces, load);
}

static void many_drop(struct stream *s, struct task *t)
{
    (void)s;
    pieces_free(t->u.many.pieces);
}

static enum task_result many_run(struct stream *s, struct task *t)
{
    const char *why = "";
    const void *bad = NULL;
    aclError rc = pieces_now(t->u.many.pieces, s->dev, &why, &bad);

    if (rc != ACL_SUCCESS) {
        stream_fault(s, rc, "copy of %zu pieces, %p: %s", t->u.many.pieces->n, bad, why);
    }
    many_drop(s, t);
    return TASK_DONE;
}

const struct task_ops many_ops = {many_run, many_drop, many_traffic};

static bool is_device(const struct region *r, const void *p)
{
    return region_on_device(r) || (r == NULL && window_hit(p));
}

/* Takes references; gives the direction by the addresses, or -1 for imported
 * memory, which no engine reaches in this way. */
static int piece_resolve(struct piece *p, bool *pageable)
{
    region_get2(p->d, &p->dst, p->s, &p->src);
    if ((p->dst != NULL && p->dst->kind == REGION_IMPORT) ||
        (p->src != NULL && p->src->kind == REGION_IMPORT)) {
        return -1;
    }
    bool dd = is_device(p->dst, p->d), ds = is_device(p->src, p->s);

    *pageable = *pageable || (p->dst == NULL && !dd) || (p->src == NULL && !ds);
    return dd * 1 + ds * 2;
}

static struct pieces *pieces_new(size_t n, int counter)
{
    struct pieces *all = calloc(1, sizeof(*all) + n * sizeof(all->p[0]));

    if (all != NULL) {
        all->counter = counter;
        all->n = n;
    }
    return all;
}

/* Waits where the call must, and gives the pieces up in any case. */
static aclError submit(struct pieces *all, struct stream *s)
{
    const char *why = "";
    const void *bad = NULL;
    struct task t = {.type = TASK_MANY, .u.many = {all}};
    aclError rc;

    if (!all->pageable) {
        return stream_submit(s, &t);
    }
    rc = stream_sync(s, -1);
    if (rc == ACL_SUCCESS) {
        rc = pieces_blocking(all, s->dev, &why, &bad);
        if (rc != ACL_SUCCESS) {
            rc = sim_fail(rc, "%p: %s", bad, why);
        }
    }
    pieces_free(all);
    return rc;
}

static aclError run_blocking(struct pieces *all, int dev)
{
    const char *why = "";
    const void *bad = NULL;
    aclError rc = pieces_blocking(all, dev, &why, &bad);

    pieces_free(all);
    return rc == ACL_SUCCESS ? rc : sim_fail(rc, "%p: %s", bad, why);
}

/* ---- pitched ---- */

static aclError pitched_direction(const struct pieces *all, aclrtMemcpyKind kind)
{
    if (all->dir < 0) {
        return sim_fail(ACL_ERROR_RT_PARAM_INVALID, "imported memory takes no pitched copies");
    }
    if (all->dir == ACL_MEMCPY_HOST_TO_HOST ||
        (all->dir == ACL_MEMCPY_DEVICE_TO_DEVICE && !knobs.pitched_d2d)) {
        return sim_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                        "pitched copies are between host and device only");
    }
    if (kind != ACL_MEMCPY_DEFAULT && (int)kind != all->dir) {
        return sim_fail(ACL_ERROR_RT_PARAM_INVALID, "kind %d does not fit the addresses",
                        (int)kind);
    }
    return ACL_SUCCESS;
}

static aclError pitched_prepare(const struct piece *one, aclrtMemcpyKind kind, struct pieces **made)
{
    if (one->d == NULL || one->s == NULL || (int)kind < 0 || kind > ACL_MEMCPY_DEFAULT) {
        return sim_fail(ACL_ERROR_INVALID_PARAM, "dst %p, src %p or kind %d is not valid", one->d,
                        one->s, (int)kind);
    }
    if (one->width == 0 || one->width > one->dpitch || one->width > one->spitch ||
        one->height == 0 || one->height > HEIGHT_MAX) {
        return sim_fail(ACL_ERROR_RT_PARAM_INVALID,
                        "width %zu must be within both pitches (%zu, %zu), height %zu within 1 to "
                        "%zu",
                        one->width, one->dpitch, one->spitch, one->height, HEIGHT_MAX);
    }
    struct pieces *all = pieces_new(1, SIM_C_COPY_2D);
    if (all == NULL) {
        return sim_fail(ACL_ERROR_BAD_ALLOC, "no host memory");
    }
    all->p[0] = *one;
    all->dir = piece_resolve(&all->p[0], &all->pageable);
    aclError rc = pitched_direction(all, kind);
    if (rc != ACL_SUCCESS) {
        pieces_free(all);
        return rc;
    }
    *made = all;
    return ACL_SUCCESS;
}

SIM_API aclError aclrtMemcpy2d(void *dst, size_t dpitch, const void *src, size_t spitch,
                               size_t width, size_t height, aclrtMemcpyKind kind)
{
    const struct piece one = {NULL, NULL, dst, src, dpitch, spitch, width, height};
    struct pieces *all;
    struct context *ctx;
    aclError rc = sim_enter(SIM_F_aclrtMemcpy2d);

    if (rc != ACL_SUCCESS || (rc = context_need(&ctx)) != ACL_SUCCESS ||
        (rc = pitched_prepare(&one, kind, &all)) != ACL_SUCCESS) {
        return rc;
    }
    return run_blocking(all, ctx->dev);
}

SIM_API aclError aclrtMemcpy2dAsync(void *dst, size_t dpitch, const void *src, size_t spitch,
                                    size_t width, size_t height, aclrtMemcpyKind kind,
                                    aclrtStream stream)
{
    const struct piece one = {NULL, NULL, dst, src, dpitch, spitch, width, height};
    struct pieces *all;
    struct stream *s;
    aclError rc = sim_enter(SIM_F_aclrtMemcpy2dAsync);

    if (rc != ACL_SUCCESS || (rc = stream_use(stream, &s)) != ACL_SUCCESS ||
        (rc = pitched_prepare(&one, kind, &all)) != ACL_SUCCESS) {
        return rc;
    }
    return submit(all, s);
}

/* ---- batches ---- */

struct batch {
    void **dsts;
    size_t *dest_maxs;
    void **srcs;
    size_t *sizes;
    size_t n;
    aclrtMemcpyBatchAttr *attrs;
    size_t *at;
    size_t num_attrs;
    size_t *fail;
};

/* H2D or D2H as the attribute says, -1 for any other pair of places. */
static int attr_direction(const aclrtMemcpyBatchAttr *attr)
{
    bool to = attr->dstLoc.type == ACL_MEM_LOCATION_TYPE_DEVICE;
    bool from = attr->srcLoc.type == ACL_MEM_LOCATION_TYPE_DEVICE;

    return to == from ? -1 : to ? ACL_MEMCPY_HOST_TO_DEVICE : ACL_MEMCPY_DEVICE_TO_HOST;
}

static aclError batch_entry(const struct batch *b, size_t i, int dir, struct pieces *all)
{
    struct piece *p = &all->p[i];

    *p = (struct piece){NULL,        NULL,        b->dsts[i],  b->srcs[i],
                        b->sizes[i], b->sizes[i], b->sizes[i], 1};
    if (p->d == NULL || p->s == NULL || p->width == 0 || p->width > b->dest_maxs[i]) {
        return sim_fail(ACL_ERROR_RT_PARAM_INVALID,
                        "entry %zu: dst %p, src %p or size %zu is not valid", i, p->d, p->s,
                        p->width);
    }
    if (dir < 0 || piece_resolve(p, &all->pageable) != dir || (i > 0 && all->dir != dir)) {
        *b->fail = i;
        return sim_fail(ACL_ERROR_RT_PARAM_INVALID,
                        "entry %zu: attribute, address and direction do not fit", i);
    }
    all->dir = dir;
    return ACL_SUCCESS;
}

static aclError batch_prepare(const struct batch *b, struct pieces **made)
{
    aclError rc = sim_chip(SOC_NEWER);

    if (rc != ACL_SUCCESS) {
        return rc;
    }
    if (b->dsts == NULL || b->dest_maxs == NULL || b->srcs == NULL || b->sizes == NULL ||
        b->attrs == NULL || b->at == NULL || b->fail == NULL || b->n == 0 || b->num_attrs == 0 ||
        b->num_attrs > b->n || b->at[0] != 0) {
        return sim_fail(ACL_ERROR_INVALID_PARAM, "an array is NULL or empty, or the attributes do "
                                                 "not start at entry 0");
    }
    *b->fail = SIZE_MAX;
    struct pieces *all = pieces_new(b->n, SIM_C_COPY_BATCH);
    if (all == NULL) {
        return sim_fail(ACL_ERROR_BAD_ALLOC, "no host memory");
    }
    for (size_t i = 0, k = 0; i < b->n && rc == ACL_SUCCESS; i++) {
        k += k + 1 < b->num_attrs && b->at[k + 1] <= i;
        rc = batch_entry(b, i, attr_direction(&b->attrs[k]), all);
    }
    if (rc != ACL_SUCCESS) {
        pieces_free(all);
        return rc;
    }
    *made = all;
    return ACL_SUCCESS;
}

SIM_API aclError aclrtMemcpyBatch(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes,
                                  size_t numBatches, aclrtMemcpyBatchAttr *attrs,
                                  size_t *attrsIndexes, size_t numAttrs, size_t *failIndex)
{
    const struct batch b = {dsts,  destMaxs,     srcs,     sizes,    numBatches,
                            attrs, attrsIndexes, numAttrs, failIndex};
    struct pieces *all;
    struct context *ctx;
    aclError rc = sim_enter(SIM_F_aclrtMemcpyBatch);

    if (rc != ACL_SUCCESS || (rc = context_need(&ctx)) != ACL_SUCCESS ||
        (rc = batch_prepare(&b, &all)) != ACL_SUCCESS) {
        return rc;
    }
    return run_blocking(all, ctx->dev);
}

SIM_API aclError aclrtMemcpyBatchAsync(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes,
                                       size_t numBatches, aclrtMemcpyBatchAttr *attrs,
                                       size_t *attrsIndexes, size_t numAttrs, size_t *failIndex,
                                       aclrtStream stream)
{
    const struct batch b = {dsts,  destMaxs,     srcs,     sizes,    numBatches,
                            attrs, attrsIndexes, numAttrs, failIndex};
    struct pieces *all;
    struct stream *s;
    aclError rc = sim_enter(SIM_F_aclrtMemcpyBatchAsync);

    if (rc != ACL_SUCCESS || (rc = stream_use(stream, &s)) != ACL_SUCCESS ||
        (rc = batch_prepare(&b, &all)) != ACL_SUCCESS) {
        return rc;
    }
    return submit(all, s);
}
