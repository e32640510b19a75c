/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * reduce.c - the copy engine's arithmetic: dst[i] = dst[i] op src[i]. Half
 * types are computed in float and rounded to nearest even; integers wrap.
 */
#include <string.h>

#include "copy.h"
#include "redzone.h"
#include "stream.h"

#define SUM_MAX ((uint64_t)4 << 30)

static float half_to_float(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, exp = h >> 10 & 0x1f, man = h & 0x3ff;
    uint32_t bits;
    float f;
    if (exp == 0x1f) {
        bits = sign | 0x7f800000 | man << 13;
    } else if (exp != 0) {
        bits = sign | (exp + 112) << 23 | man << 13;
    } else {
        f = (float)man * 0x1p-24f; /* subnormal: exact in float */
        memcpy(&bits, &f, sizeof(bits));
        bits |= sign;
    }
    memcpy(&f, &bits, sizeof(f));
    return f;
}

static uint16_t float_to_half(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof(bits));
    uint32_t sign = bits >> 16 & 0x8000, abs = bits & 0x7fffffff;
    if (abs > 0x7f800000) {
        return (uint16_t)(sign | 0x7e00);
    }
    if (abs >= 0x477ff000) { /* rounds to 65536 or more */
        return (uint16_t)(sign | 0x7c00);
    }
    if (abs < 0x38800000) { /* subnormal: let float addition round */
        float magic = 0.5f, a;
        memcpy(&a, &abs, sizeof(a));
        a += magic;
        uint32_t sum, half;
        memcpy(&sum, &a, sizeof(sum));
        memcpy(&half, &magic, sizeof(half));
        return (uint16_t)(sign | (sum - half));
    }
    abs += 0xfff + (abs >> 13 & 1);
    return (uint16_t)(sign | ((abs - 0x38000000) >> 13));
}

static float bf16_to_float(uint16_t h)
{
    uint32_t bits = (uint32_t)h << 16;
    float f;
    memcpy(&f, &bits, sizeof(f));
    return f;
}

static uint16_t float_to_bf16(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof(bits));
    if ((bits & 0x7fffffff) > 0x7f800000) {
        return (uint16_t)(bits >> 16 | 0x40);
    }
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

#define SAME(_x) (_x)

/* One loop per type: _get and _put convert, _sum_type is what sums wrap in. */
#define REDUCE_LOOP(_name, _type, _calc, _get, _put, _sum_type) \
    static void reduce_##_name(void *dst, const void *src, size_t n, int kind) \
    { \
        _type *d = dst; \
        const _type *s = src; \
        if (kind == ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM) { \
            for (size_t i = 0; i < n; i++) { \
                d[i] = (_type)_put((_calc)((_sum_type)_get(d[i]) + (_sum_type)_get(s[i]))); \
            } \
        } else if (kind == ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX) { \
            for (size_t i = 0; i < n; i++) { \
                d[i] = _get(s[i]) > _get(d[i]) ? s[i] : d[i]; \
            } \
        } else { \
            for (size_t i = 0; i < n; i++) { \
                d[i] = _get(s[i]) < _get(d[i]) ? s[i] : d[i]; \
            } \
        } \
    }

REDUCE_LOOP(int8, int8_t, int8_t, SAME, SAME, uint8_t)
REDUCE_LOOP(int16, int16_t, int16_t, SAME, SAME, uint16_t)
REDUCE_LOOP(int32, int32_t, int32_t, SAME, SAME, uint32_t)
REDUCE_LOOP(uint32, uint32_t, uint32_t, SAME, SAME, uint32_t)
REDUCE_LOOP(float, float, float, SAME, SAME, float)
REDUCE_LOOP(fp16, uint16_t, float, half_to_float, float_to_half, float)
REDUCE_LOOP(bf16, uint16_t, float, bf16_to_float, float_to_bf16, float)

/* Which families reduce which types, and which only by sum. */
static const struct {
    aclDataType type;
    size_t size;
    void (*run)(void *, const void *, size_t, int);
    unsigned families;
} types[] = {
    {ACL_INT8, 1, reduce_int8, SOC_NEWER | SOC_BIT(SOC_310B)},
    {ACL_INT16, 2, reduce_int16, SOC_NEWER | SOC_BIT(SOC_310B) | SOC_BIT(SOC_310P)},
    {ACL_INT32, 4, reduce_int32, SOC_NEWER | SOC_BIT(SOC_310B)},
    {ACL_UINT32, 4, reduce_uint32, SOC_BIT(SOC_950)},
    {ACL_FLOAT16, 2, reduce_fp16, SOC_NEWER | SOC_BIT(SOC_310B) | SOC_BIT(SOC_310P)},
    {ACL_FLOAT, 4, reduce_float,
     SOC_NEWER | SOC_BIT(SOC_310B) | SOC_BIT(SOC_310P) | SOC_BIT(SOC_910)},
    {ACL_BF16, 2, reduce_bf16, SOC_NEWER},
};

static void reduce_drop(struct stream *s, struct task *t)
{
    (void)s;
    region_put(t->u.copy.dst);
    region_put(t->u.copy.src);
}

static enum task_result reduce_run(struct stream *s, struct task *t)
{
    struct region *d = t->u.copy.dst, *r = t->u.copy.src;
    size_t len = t->u.copy.len;
    const char *why;
    redzone_write(d, t->u.copy.d, len);
    aclError rc = copy_check(d, t->u.copy.d, len, s->dev, &why);
    if (rc == ACL_SUCCESS) {
        rc = copy_check(r, t->u.copy.s, len, s->dev, &why);
    }
    if (rc == ACL_SUCCESS) {
        int i = t->u.copy.type;
        types[i].run(region_engine(d, t->u.copy.d), region_engine(r, t->u.copy.s),
                     len / types[i].size, t->u.copy.kind);
        sim_count(SIM_C_REDUCE, 1);
    } else {
        stream_fault(s, rc, "reduction of %zu bytes: %s", len, why);
    }
    reduce_drop(s, t);
    return TASK_DONE;
}

const struct task_ops reduce_ops = {reduce_run, reduce_drop, copy_traffic};

static aclError type_find(aclDataType type, aclrtReduceKind kind, int *index)
{
    bool sum_only = knobs.family == SOC_310P || knobs.family == SOC_910;
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (types[i].type == type) {
            *index = (int)i;
            return (types[i].families & SOC_BIT(knobs.family)) != 0 &&
                           kind != ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL &&
                           (kind == ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM || !sum_only)
                       ? ACL_SUCCESS
                       : ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
        }
    }
    return ACL_ERROR_INVALID_PARAM;
}

static aclError check(void *dst, const void *src, uint64_t count, aclrtReduceKind kind,
                      aclDataType type, int *index)
{
    if (dst == NULL || src == NULL || kind < ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM ||
        kind > ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL) {
        return sim_fail(ACL_ERROR_INVALID_PARAM, "dst %p, src %p or kind %d", dst, src, (int)kind);
    }
    aclError rc = type_find(type, kind, index);
    if (rc != ACL_SUCCESS) {
        return sim_fail(rc, "%s does not reduce type %d by kind %d", knobs.soc, (int)type,
                        (int)kind);
    }
    size_t size = types[*index].size;
    if (count == 0 || count % size != 0 ||
        (kind == ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM && count > SUM_MAX)) {
        return sim_fail(ACL_ERROR_RT_PARAM_INVALID, "count %llu bytes", (unsigned long long)count);
    }
    if ((uintptr_t)dst % size != 0 || (uintptr_t)src % size != 0) {
        return sim_fail(ACL_ERROR_RT_ADDR_UNALIGNED, "dst %p or src %p is not aligned to %zu", dst,
                        src, size);
    }
    return ACL_SUCCESS;
}

SIM_API aclError aclrtReduceAsync(void *dst, const void *src, uint64_t count, aclrtReduceKind kind,
                                  aclDataType type, aclrtStream stream, void *reserve)
{
    int index = 0;
    struct stream *s;
    struct region *rd, *rs;
    aclError rc = sim_enter(SIM_F_aclrtReduceAsync);
    (void)reserve;
    if (rc != ACL_SUCCESS || (rc = check(dst, src, count, kind, type, &index)) != ACL_SUCCESS ||
        (rc = stream_use(stream, &s)) != ACL_SUCCESS) {
        return rc;
    }
    region_get2(dst, &rd, src, &rs);
    struct task t = {.type = TASK_REDUCE,
                     .u.copy = {rd, rs, dst, src, (size_t)count, (int)kind, index}};
    if (rd == NULL || rs == NULL || rd->kind != REGION_DEVICE || rs->kind != REGION_DEVICE) {
        reduce_drop(s, &t);
        return sim_fail(ACL_ERROR_RT_PARAM_INVALID,
                        "both operands must be device memory of this process");
    }
    return stream_submit(s, &t);
}
