/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * P03, P08, P13: what is kept of peers' memory stays bounded, with the cache on,
 * limited to 16 regions, and off. 32 messages of one buffer are under way at
 * once; then many buffers are sent in turn, made and freed again and again.
 * Neither imports, exports, descriptors nor mappings pile up.
 * t_cache.sh gives the settings.
 *
 * usage: t_cache on|few|off
 */
#include "t_ucx.h"

#include <dirent.h>

#define SIZE       ((size_t)16 << 10)
#define BURST      32
#define BURST_SIZE ((size_t)256 << 10)
#define ROUNDS     2
#define BATCH      40
#define FEW        16

static const char *t_mode = "on";

static int t_is(const char *mode)
{
    return !strcmp(t_mode, mode);
}

/* ---- what a process holds ------------------------------------------------ */

static long t_open_files(void)
{
    DIR *dir = opendir("/proc/self/fd");
    long count = 0;

    T_CHECK(dir != NULL, "no /proc/self/fd");
    while (readdir(dir) != NULL) {
        ++count;
    }
    closedir(dir);
    return count;
}

static long t_mappings(void)
{
    FILE *file = fopen("/proc/self/maps", "r");
    long count = 0;
    int c;

    T_CHECK(file != NULL, "no /proc/self/maps");
    while ((c = getc(file)) != EOF) {
        count += (c == '\n');
    }
    fclose(file);
    return count;
}

static int64_t t_imports(void)
{
    int64_t ours = t_link("import_new") - t_link("import_closed");

    T_CHECK(t_no_sim() || (uint64_t)ours == t_sim("live.import"),
            "%s: %lld imports are counted, the driver has %llu", t_mode, (long long)ours,
            (unsigned long long)t_sim("live.import"));
    return ours;
}

/* Freed memory is let go of by progress alone, soon. */
static void t_await_none(t_ctx_t *t, const char *what)
{
    double end = t_now() + 10;

    if (t_no_sim()) {
        return;
    }
    while (t_sim(what) > 0) {
        t_linger(t, 1);
        T_CHECK(t_now() < end, "%s: %s stays at %llu", t_mode, what,
                (unsigned long long)t_sim(what));
    }
}

/* ---- traffic ------------------------------------------------------------- */

static void t_burst(t_ctx_t *t)
{
    char *bufs[BURST];
    void *requests[BURST];
    int count = (t->rank == 0) ? 1 : BURST;

    for (int i = 0; i < count; ++i) {
        bufs[i] = t_alloc(T_DEVICE, BURST_SIZE);
        t_fill(T_DEVICE, bufs[i], BURST_SIZE, t->rank == 0 ? 7 : 8);
    }
    for (int i = 0; i < BURST; ++i) {
        requests[i] = (t->rank == 0) ? t_send(t, t->ep, bufs[0], BURST_SIZE, i)
                                     : t_recv(t, bufs[i], BURST_SIZE, i);
    }
    for (int i = 0; i < BURST; ++i) {
        t_wait(t, requests[i]);
    }
    for (int i = 0; t->rank == 1 && i < BURST; ++i) {
        t_verify(T_DEVICE, bufs[i], BURST_SIZE, 7, "one of many copies");
    }
    t_sync(t);
    if (t->rank == 1) {
        T_CHECK(t_imports() <= !t_is("off"), "%s: one buffer, %lld imports", t_mode,
                (long long)t_imports());
    }
    for (int i = 0; i < count; ++i) {
        t_free(T_DEVICE, bufs[i]);
    }
}

/* Several at a time, which may all be imported meanwhile. */
static void t_batch(t_ctx_t *t, char **bufs, int first, int count, uint64_t seed)
{
    void *requests[BATCH];

    for (int i = 0; i < count; ++i) {
        requests[i] = (t->rank == 0) ? t_send(t, t->ep, bufs[first + i], SIZE, first + i)
                                     : t_recv(t, bufs[i], SIZE, first + i);
    }
    for (int i = 0; i < count; ++i) {
        t_wait(t, requests[i]);
    }
    for (int i = 0; t->rank == 1 && i < count; ++i) {
        t_verify(T_DEVICE, bufs[i], SIZE, seed + first + i, "message");
    }
}

static void t_pass(t_ctx_t *t, char **bufs, int count, uint64_t seed)
{
    int64_t most = t_is("off") ? 0 : t_is("few") ? FEW : count;

    for (int i = 0; i < count; i += BATCH) {
        t_batch(t, bufs, i, (count - i < BATCH) ? count - i : BATCH, seed);
        T_CHECK(t->rank == 0 || t_imports() <= most, "%s: %lld imports after %d buffers", t_mode,
                (long long)t_imports(), i + BATCH);
    }
    t_sync(t);
}

static void t_cycle(t_ctx_t *t, char **bufs, int count, uint64_t seed)
{
    int mine = (t->rank == 0) ? count : BATCH;
    int64_t before;

    for (int i = 0; i < mine; ++i) {
        bufs[i] = t_alloc(T_DEVICE, SIZE);
        t_fill(T_DEVICE, bufs[i], SIZE, seed + i);
    }
    t_pass(t, bufs, count, seed);
    before = t_link("import_new");
    if (!t_is("off")) {
        t_pass(t, bufs, count, seed);
    }
    T_CHECK(t->rank == 0 || t_link("import_new") - before == (t_is("few") ? count : 0),
            "%s: %lld new imports in a second pass over %d buffers", t_mode,
            (long long)(t_link("import_new") - before), count);
    for (int i = 0; i < mine; ++i) {
        t_free(T_DEVICE, bufs[i]);
    }
    t_sync(t);
    t_await_none(t, "live.import");
    t_await_none(t, "live.export");
    t_await_none(t, "live.alloc");
}

static void t_cache(t_ctx_t *t)
{
    int count = t_is("few") ? 64 : 1000;
    char **bufs = calloc(count, sizeof(*bufs));
    long files = 0, mappings = 0;

    t_load_module();
    t_acl_open(t);
    t_open(t, 0);
    t_burst(t);
    for (int round = 0; round < ROUNDS; ++round) {
        t_cycle(t, bufs, count, 1000 * (uint64_t)(round + 1));
        if (round == 0) {
            files = t_open_files();
            mappings = t_mappings();
        }
    }
    T_CHECK(t_open_files() <= files, "%s: %ld files open, %ld before", t_mode, t_open_files(),
            files);
    T_CHECK(t_mappings() <= mappings + 8, "%s: %ld mappings, %ld before", t_mode, t_mappings(),
            mappings);
    if (t->rank == 1) {
        T_CHECK((t_link("import_evicted") > 0) == t_is("few"), "%s: %lld imports evicted", t_mode,
                (long long)t_link("import_evicted"));
        T_CHECK(t_link("get_ops") >= BURST + (long long)ROUNDS * count && t_link("relay_ops") == 0,
                "%s: %lld direct copies", t_mode, (long long)t_link("get_ops"));
    }
    t_close(t);
    free(bufs);
}

int main(int argc, char **argv)
{
    t_mode = (argc > 1) ? argv[argc - 1] : t_mode;
    return t_pair(argc, argv, t_cache);
}
