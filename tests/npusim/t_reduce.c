/* SPDX-License-Identifier: BSD-3-Clause */
/* aclrtReduceAsync: results for every type and kind, integers that wrap, half
 * types rounded to nearest even, refusals, and what other chips lack (P60). */
#include "t_sim.h"

static aclrtStream s;

/* one reduction of n elements; the result replaces dst */
static void reduce(void *dst, const void *src, size_t bytes, aclrtReduceKind kind, aclDataType type)
{
    void *d = t_dev_alloc(bytes), *r = t_dev_alloc(bytes);
    t_to_device(d, dst, bytes);
    t_to_device(r, src, bytes);
    t_acl_ok(aclrtReduceAsync(d, r, bytes, kind, type, s, NULL));
    t_acl_ok(aclrtSynchronizeStream(s));
    t_to_host(dst, d, bytes);
    t_dev_free(d);
    t_dev_free(r);
}

#define SUM ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM
#define MAX ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX
#define MIN ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN

static void one16(uint16_t a, uint16_t b, aclrtReduceKind kind, aclDataType type, uint16_t want)
{
    uint16_t got = a;
    reduce(&got, &b, 2, kind, type);
    t_check(got == want, "type %d kind %d: 0x%04x with 0x%04x gave 0x%04x, not 0x%04x", type, kind,
            a, b, got, want);
}

static void integers(void)
{
    int8_t a8[3] = {127, -5, 3}, b8[3] = {1, 5, -4};
    reduce(a8, b8, 3, SUM, ACL_INT8);
    t_check(a8[0] == -128 && a8[1] == 0 && a8[2] == -1, "int8 %d %d %d", a8[0], a8[1], a8[2]);
    int32_t a[3] = {INT32_MAX, -7, 2}, b[3] = {2, 3, -9};
    reduce(a, b, sizeof(a), SUM, ACL_INT32);
    t_check(a[0] == INT32_MIN + 1 && a[1] == -4 && a[2] == -7, "int32 %d %d %d", a[0], a[1], a[2]);
    reduce(a, b, sizeof(a), MAX, ACL_INT32);
    t_check(a[0] == 2 && a[1] == 3 && a[2] == -7, "max %d %d %d", a[0], a[1], a[2]);
    reduce(a, b, sizeof(a), MIN, ACL_INT32);
    t_check(a[0] == 2 && a[1] == 3 && a[2] == -9, "min %d %d %d", a[0], a[1], a[2]);
    one16(0x7fff, 1, SUM, ACL_INT16, 0x8000);
    one16(0xffff, 1, MAX, ACL_INT16, 1);
    one16(0xffff, 1, MIN, ACL_INT16, 0xffff);
}

static void floats(void)
{
    float a[1000], b[1000];
    for (int i = 0; i < 1000; i++) {
        a[i] = (float)i * 0.5f;
        b[i] = 100.0f - (float)i;
    }
    reduce(a, b, sizeof(a), SUM, ACL_FLOAT);
    for (int i = 0; i < 1000; i++) {
        t_check(a[i] == (float)i * 0.5f + (100.0f - (float)i), "element %d is %f", i, (double)a[i]);
    }
    one16(0x3c00, 0x3c00, SUM, ACL_FLOAT16, 0x4000); /* 1 + 1 */
    one16(0x6800, 0x3c00, SUM, ACL_FLOAT16, 0x6800); /* 2048 + 1: to even, down */
    one16(0x6801, 0x3c00, SUM, ACL_FLOAT16, 0x6802); /* 2050 + 1: to even, up */
    one16(0x0001, 0x0001, SUM, ACL_FLOAT16, 0x0002); /* smallest subnormals */
    one16(0x03ff, 0x0001, SUM, ACL_FLOAT16, 0x0400); /* into the normal ones */
    one16(0x7bff, 0x7bff, SUM, ACL_FLOAT16, 0x7c00); /* overflow */
    one16(0xbc00, 0x3c00, MAX, ACL_FLOAT16, 0x3c00);
    one16(0xbc00, 0x3c00, MIN, ACL_FLOAT16, 0xbc00);
    one16(0x3f80, 0x3f80, SUM, ACL_BF16, 0x4000); /* 1 + 1 */
    one16(0x4380, 0x3f80, SUM, ACL_BF16, 0x4380); /* 256 + 1: to even, down */
    one16(0x4381, 0x3f80, SUM, ACL_BF16, 0x4382); /* 258 + 1: to even, up */
    one16(0x7f7f, 0x7f7f, SUM, ACL_BF16, 0x7f80);
    one16(0xc000, 0x3f80, MIN, ACL_BF16, 0xc000);
}

static int chip(void *arg)
{
    void *d, *r;
    const char *soc = arg;
    setenv("NPUSIM_SOC", soc, 1);
    t_device(0);
    t_check(strcmp(aclrtGetSocName(), soc) == 0, "SoC %s", aclrtGetSocName());
    s = t_stream();
    d = t_dev_alloc(8);
    r = t_dev_alloc(8);
    t_acl_ok(aclrtReduceAsync(d, r, 8, SUM, ACL_FLOAT, s, NULL));
    t_acl_fails(aclrtReduceAsync(d, r, 8, MAX, ACL_FLOAT, s, NULL),
                ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    t_acl_fails(aclrtReduceAsync(d, r, 8, SUM, ACL_INT32, s, NULL),
                ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    return 0;
}

int main(void)
{
    char host[64];
    t_deadline(60);
    t_wait_ok(t_child(chip, "Ascend910ProB"));
    t_wait_ok(t_child(chip, "Ascend310P3"));
    t_device(0);
    s = t_stream();
    integers();
    floats();
    t_check(npusim_counter("reduce") > 20, "reductions are counted");
    char *d = t_dev_alloc(64), *r = t_dev_alloc(64);
    t_acl_fails(aclrtReduceAsync(d, r, 8, SUM, ACL_DOUBLE, s, NULL), ACL_ERROR_INVALID_PARAM);
    t_acl_fails(aclrtReduceAsync(d, r, 8, SUM, ACL_UINT32, s, NULL),
                ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    t_acl_fails(aclrtReduceAsync(d, r, 8, ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL, ACL_FLOAT, s, NULL),
                ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    t_acl_fails(aclrtReduceAsync(d + 2, r, 8, SUM, ACL_FLOAT, s, NULL),
                ACL_ERROR_RT_ADDR_UNALIGNED);
    t_acl_fails(aclrtReduceAsync(d, r, 0, SUM, ACL_FLOAT, s, NULL), ACL_ERROR_RT_PARAM_INVALID);
    t_acl_fails(aclrtReduceAsync(d, host, 8, SUM, ACL_FLOAT, s, NULL), ACL_ERROR_RT_PARAM_INVALID);
    return 0;
}
