/* SPDX-License-Identifier: BSD-3-Clause */
/* Pitched copies and batches: every row where it belongs and no byte beside it,
 * what is refused and how, one call counted as one copy. */
#include "t_sim.h"

enum {
    WIDTH = 8,
    PITCH = 24,
    HEIGHT = 100,
    SIZE = PITCH * HEIGHT
};

static void check_rows(const char *got, size_t seed_rows, int fill)
{
    char want[WIDTH * HEIGHT];

    t_fill(want, sizeof(want), seed_rows);
    for (int i = 0; i < SIZE; i++) {
        int row = i / PITCH, at = i % PITCH;
        char byte = at < WIDTH ? want[row * WIDTH + at] : (char)fill;

        t_check(got[i] == byte, "byte %d of row %d is %d, not %d", at, row, got[i], byte);
    }
}

static void pitched(aclrtStream s)
{
    char *a = t_dev_alloc(SIZE), *b = t_dev_alloc(SIZE), *h = t_pinned(SIZE), back[SIZE];

    npusim_counter_reset();
    t_acl_ok(aclrtMemset(a, SIZE, 0x11, SIZE));
    t_fill(h, WIDTH * HEIGHT, 1);
    t_acl_ok(aclrtMemcpy2dAsync(a, PITCH, h, WIDTH, WIDTH, HEIGHT, ACL_MEMCPY_HOST_TO_DEVICE, s));
    t_acl_ok(aclrtSynchronizeStream(s));
    t_to_host(back, a, SIZE);
    check_rows(back, 1, 0x11);

    memset(h, 0, SIZE);
    t_acl_ok(aclrtMemcpy2d(h, WIDTH, a, PITCH, WIDTH, HEIGHT, ACL_MEMCPY_DEFAULT));
    t_verify(h, WIDTH * HEIGHT, 1, 0);
    t_check(npusim_counter("copy.2d") == 2 && npusim_counter("copy.rows") == 2 * HEIGHT &&
                npusim_counter("copy.h2d") == 1 &&
                npusim_counter("copy.bytes.h2d") == WIDTH * HEIGHT,
            "two pitched copies of %d rows", HEIGHT);

    t_acl_fails(
        aclrtMemcpy2dAsync(b, WIDTH, a, PITCH, WIDTH, HEIGHT, ACL_MEMCPY_DEVICE_TO_DEVICE, s),
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    t_acl_fails(aclrtMemcpy2d(h, WIDTH, a, PITCH, WIDTH, HEIGHT, ACL_MEMCPY_HOST_TO_DEVICE),
                ACL_ERROR_RT_PARAM_INVALID);
    t_acl_fails(aclrtMemcpy2d(h, WIDTH - 1, a, PITCH, WIDTH, 1, ACL_MEMCPY_DEVICE_TO_HOST),
                ACL_ERROR_RT_PARAM_INVALID);
    t_acl_fails(aclrtMemcpy2d(h, WIDTH, a, PITCH, WIDTH, 0, ACL_MEMCPY_DEVICE_TO_HOST),
                ACL_ERROR_RT_PARAM_INVALID);
    t_acl_fails(aclrtMemcpy2d(h, WIDTH, a, PITCH, WIDTH, (5u << 20) + 1, ACL_MEMCPY_DEVICE_TO_HOST),
                ACL_ERROR_RT_PARAM_INVALID);
    t_acl_fails(aclrtMemcpy2d(NULL, WIDTH, a, PITCH, WIDTH, 1, ACL_MEMCPY_DEVICE_TO_HOST),
                ACL_ERROR_INVALID_PARAM);
    t_dev_free(b);
}

/* The last row may end with its width, but not behind the allocation. */
static void bounds(void)
{
    aclrtStream s = t_stream();
    char *a = t_dev_alloc(4096), *h = t_pinned(8192);

    t_acl_ok(
        aclrtMemcpy2dAsync(h, 64, a + 4096 - 64 - 512, 512, 64, 2, ACL_MEMCPY_DEVICE_TO_HOST, s));
    t_acl_ok(aclrtSynchronizeStream(s));
    t_acl_ok(aclrtMemcpy2dAsync(h, 64, a, 1000, 64, 6, ACL_MEMCPY_DEVICE_TO_HOST, s));
    t_acl_fails(aclrtSynchronizeStream(s), ACL_ERROR_RT_DEVICE_MEM_ERROR);
}

static void batch(aclrtStream s)
{
    char *a = t_dev_alloc(4096), *h = t_pinned(4096), pageable[64], back[4096];
    void *dst[3] = {a + 5, a + 2000, a + 100}, *src[3] = {h, h + 10, pageable};
    size_t size[3] = {10, 20, 30}, max[3] = {10, 20, 30}, at[2] = {0, 2}, fail = 7;
    aclrtMemcpyBatchAttr attr[2] = {
        {.dstLoc = {0, ACL_MEM_LOCATION_TYPE_DEVICE}, .srcLoc = {0, ACL_MEM_LOCATION_TYPE_HOST}},
        {.dstLoc = {0, ACL_MEM_LOCATION_TYPE_DEVICE},
         .srcLoc = {0, ACL_MEM_LOCATION_TYPE_UNREGISTERED}}};

    npusim_counter_reset();
    t_acl_ok(aclrtMemset(a, 4096, 0, 4096));
    t_fill(h, 30, 3);
    t_fill(pageable, 30, 4);
    t_acl_ok(aclrtMemcpyBatchAsync(dst, max, src, size, 2, attr, at, 1, &fail, s));
    t_acl_ok(aclrtSynchronizeStream(s));
    t_check(fail == SIZE_MAX, "no entry failed, but %zu is named", fail);
    t_acl_ok(aclrtMemcpyBatch(dst, max, src, size, 3, attr, at, 2, &fail));
    t_to_host(back, a, 4096);
    t_verify(back + 5, 10, 3, 0);
    t_verify(back + 2000, 20, 3, 10);
    t_verify(back + 100, 30, 4, 0);
    t_check(back[4] == 0 && back[15] == 0 && back[130] == 0, "nothing beside the pieces");
    t_check(npusim_counter("copy.batch") == 2 && npusim_counter("copy.rows") == 5 &&
                npusim_counter("copy.h2d") == 2,
            "two batches of two and three pieces");

    src[1] = a;
    t_acl_fails(aclrtMemcpyBatchAsync(dst, max, src, size, 3, attr, at, 2, &fail, s),
                ACL_ERROR_RT_PARAM_INVALID);
    t_check(fail == 1, "entry 1 is wrong, but %zu is named", fail);
    max[0] = 9;
    t_acl_fails(aclrtMemcpyBatch(dst, max, src, size, 1, attr, at, 1, &fail),
                ACL_ERROR_RT_PARAM_INVALID);
}

static int inside(void *arg)
{
    (void)arg;
    setenv("NPUSIM_PITCHED_D2D", "y", 1);
    t_device(0);
    char *a = t_dev_alloc(SIZE), *b = t_dev_alloc(SIZE);

    t_dev_fill(b, SIZE, 9);
    t_acl_ok(aclrtMemcpy2d(a, WIDTH, b, WIDTH, WIDTH, HEIGHT, ACL_MEMCPY_DEVICE_TO_DEVICE));
    t_dev_verify(a, WIDTH * HEIGHT, 9, 0);
    return 0;
}

static int older(void *arg)
{
    void *dst[1], *src[1];
    size_t size[1] = {1}, at[1] = {0}, fail;
    aclrtMemcpyBatchAttr attr[1] = {{.dstLoc = {0, ACL_MEM_LOCATION_TYPE_DEVICE}}};

    (void)arg;
    setenv("NPUSIM_SOC", "Ascend310P3", 1);
    t_device(0);
    dst[0] = t_dev_alloc(8);
    src[0] = t_pinned(8);
    t_acl_fails(aclrtMemcpyBatch(dst, size, src, size, 1, attr, at, 1, &fail),
                ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    return 0;
}

int main(void)
{
    t_deadline(60);
    t_wait_ok(t_child(inside, NULL));
    t_wait_ok(t_child(older, NULL));
    t_device(0);
    aclrtStream s = t_stream();
    pitched(s);
    batch(s);
    bounds();
    return 0;
}
