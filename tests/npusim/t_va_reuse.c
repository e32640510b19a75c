/* SPDX-License-Identifier: BSD-3-Clause */
/* Addresses come back: first fit by default; with NPUSIM_VA_RECYCLE=y the
 * last freed address of a size is the next one given out. What was there is
 * gone, or poisoned with NPUSIM_POISON=y (P01). */
#include "t_sim.h"

static int recycles(void *arg)
{
    (void)arg;
    setenv("NPUSIM_VA_RECYCLE", "y", 1);
    t_device(0);
    void *low = t_dev_alloc(8192), *mid = t_dev_alloc(8192), *high = t_dev_alloc(8192);
    t_dev_free(low);
    t_dev_free(high);
    t_check(t_dev_alloc(8192) == high, "last freed comes first");
    t_check(t_dev_alloc(8192) == low, "then the one before");
    void *larger = t_dev_alloc(3 * T_MIB);
    t_dev_free(mid);
    t_dev_free(larger);
    t_check(t_dev_alloc(8192) == mid, "an address comes back for its own size only");
    return 0;
}

static int first_fit(void *arg)
{
    (void)arg;
    t_device(0);
    void *low = t_dev_alloc(8192);
    t_dev_alloc(8192);
    void *high = t_dev_alloc(8192);
    t_dev_fill(low, 8192, 3);
    t_dev_free(high);
    t_dev_free(low);
    t_check(t_dev_alloc(8192) == low, "lowest address first");
    char now[8192], none[8192] = {0};
    t_to_host(now, low, 8192);
    t_check(memcmp(now, none, 8192) == 0, "old contents are gone");
    return 0;
}

static int poisons(void *arg)
{
    unsigned char now[100];
    (void)arg;
    setenv("NPUSIM_POISON", "y", 1);
    t_device(0);
    void *p = t_dev_alloc(100);
    t_dev_fill(p, 100, 1);
    t_dev_free(p);
    t_check(t_dev_alloc(100) == p, "same address");
    t_to_host(now, p, 100);
    for (int i = 0; i < 100; i++) {
        t_check(now[i] == 0xdb, "byte %d is 0x%x", i, now[i]);
    }
    return 0;
}

int main(void)
{
    t_deadline(60);
    t_wait_ok(t_child(recycles, NULL));
    t_wait_ok(t_child(first_fit, NULL));
    t_wait_ok(t_child(poisons, NULL));
    return 0;
}
