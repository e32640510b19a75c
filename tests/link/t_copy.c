/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies between every two kinds of memory, of every kind of size, aligned or
 * not, waited for and started: right bytes, none beside them. Bad addresses
 * are refused with a status, never followed. One device to another works with
 * peer access and without.
 */
#include "asc_config.h"

#include "tests/link/t_local.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROOM  ((size_t)9 << 20)
#define GUARD 64

enum {
    PAGEABLE,
    PINNED,
    DEVICE,
    DEVICE2,
    OTHER,
    KINDS
};

static char *area[KINDS];
static unsigned char wanted[ROOM], got[ROOM];

/* Independent of what is tested: the runtime's own synchronous calls. */
static void poke(int kind, size_t at, const void *data, size_t len)
{
    if (kind == PAGEABLE || kind == PINNED) {
        memcpy(area[kind] + at, data, len);
    } else {
        t_device(kind == OTHER ? 1 : 0);
        t_to_device(area[kind] + at, data, len);
        t_device(0);
    }
}

static void peek(int kind, size_t at, void *data, size_t len)
{
    if (kind == PAGEABLE || kind == PINNED) {
        memcpy(data, area[kind] + at, len);
    } else {
        t_device(kind == OTHER ? 1 : 0);
        t_to_host(data, area[kind] + at, len);
        t_device(0);
    }
}

static asc_status_t copy(void *dst, const void *src, size_t len, bool start)
{
    asc_link_op_t op;
    asc_status_t status;

    if (!start) {
        return asc_link_copy(dst, src, len);
    }
    status = asc_link_copy_start(dst, src, len, &op);
    while (status == ASC_INPROGRESS) {
        status = asc_link_op_test(&op);
    }
    return status;
}

static void one_copy(int to, size_t to_at, int from, size_t from_at, size_t len, bool start)
{
    static uint64_t seed;
    asc_status_t status;
    size_t all = len + 2 * GUARD;

    ++seed;
    t_fill(wanted, len, seed);
    memset(got, 0xee, all);
    poke(to, to_at, got, all);
    poke(from, from_at, wanted, len);
    status = copy(area[to] + to_at + GUARD, area[from] + from_at, len, start);
    t_check(status == ASC_OK, "%zu bytes from kind %d to %d: %s", len, from, to,
            asc_status_text(status));
    peek(to, to_at, got, all);
    t_verify(got + GUARD, len, seed, 0);
    for (int i = 0; i < GUARD; ++i) {
        t_check(got[i] == 0xee && got[GUARD + len + (size_t)i] == 0xee,
                "bytes beside %zu ones from kind %d to %d untouched", len, from, to);
    }
}

static void all_kinds(bool start)
{
    static const size_t sizes[] = {1,     3,     64,     4095,    4096,
                                   16384, 16385, 100001, 1 << 20, (4 << 20) + 7};

    for (int to = 0; to < KINDS; ++to) {
        for (int from = 0; from < KINDS; ++from) {
            for (size_t i = 0; to != from && i < sizeof(sizes) / sizeof(sizes[0]); ++i) {
                one_copy(to, i * 8, from, 64, sizes[i], start);
                one_copy(to, 13, from, 4096 + i, sizes[i], start);
            }
        }
    }
}

static void inside_one(bool start)
{
    one_copy(DEVICE, 0, DEVICE, ROOM / 2, 50000, start);
    one_copy(DEVICE, ROOM / 2, DEVICE, 1, (2 << 20) + 1, start);
}

static void refused(const char *what, void *dst, const void *src, size_t len)
{
    asc_link_op_t op;

    t_check(asc_link_copy(dst, src, len) == ASC_ERR_STALE, "%s to be refused", what);
    t_check(asc_link_copy_start(dst, src, len, &op) == ASC_ERR_STALE, "%s not to start", what);
}

static void bad_addresses(void)
{
    void *freed;
    int saved = dup(STDERR_FILENO), null = open("/dev/null", O_WRONLY);

    t_check(asc_link_mem_alloc(4096, &freed) == ASC_OK, "memory");
    t_check(asc_link_mem_free(freed) == ASC_OK, "free");
    dup2(null, STDERR_FILENO); /* each is logged */
    refused("a freed source", area[PAGEABLE], freed, 100);
    refused("a freed destination", freed, area[PAGEABLE], 100);
    refused("an overrun", area[PAGEABLE], area[DEVICE] + ROOM - 1, 100);
    dup2(saved, STDERR_FILENO);
    t_check(t_count("copy_failed") == 6, "each counted");
    t_check(asc_link_copy(freed, freed, 0) == ASC_OK, "nothing is copied from nowhere");
}

int main(void)
{
    t_deadline(50);
    t_link_start(1);
    T_ACL(aclrtMalloc)((void **)&area[OTHER], ROOM, ACL_MEM_MALLOC_HUGE_FIRST);
    t_device(0);
    t_check(asc_link_home_device() >= 0, "a home device");
    area[PAGEABLE] = malloc(ROOM);
    t_acl_ok(T_ACL(aclrtMallocHost)((void **)&area[PINNED], ROOM));
    T_ACL(aclrtMalloc)((void **)&area[DEVICE2], ROOM, ACL_MEM_MALLOC_HUGE_FIRST);
    T_ACL(aclrtMalloc)((void **)&area[DEVICE], ROOM, ACL_MEM_MALLOC_HUGE_FIRST);
    for (int kind = 0; kind < KINDS; ++kind) {
        t_check(area[kind] != NULL, "memory of kind %d", kind);
    }
    for (int start = 0; start < 2; ++start) {
        all_kinds(start != 0);
        inside_one(start != 0);
    }
    t_check(asc_link_counter("copy_h2d") > 0 && asc_link_counter("copy_d2h") > 0 &&
                asc_link_counter("copy_d2d") > 0 && asc_link_counter("copy_h2h") > 0,
            "all directions counted");
    bad_addresses();
    return T_PASS;
}
