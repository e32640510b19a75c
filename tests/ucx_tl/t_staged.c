/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * P22 and its kin: what cannot be exported, or not imported, is staged through
 * host memory: right, counted by libascendlink, and mentioned once on standard
 * error. t_staged.sh provokes the cases and reads standard error.
 *
 * usage: t_staged suballoc|import|export|off
 */
#include "t_ucx.h"

/* Part of a shared block under the simulator's sub-allocator, large enough for a
 * rendezvous, and of a length that lets none but the first begin a page. */
#define SIZE   (((size_t)256 << 10) + 100)
#define ROUNDS 4

static const char *t_mode = "suballoc";

static void t_staged(t_ctx_t *t)
{
    uint64_t copies_before;
    char *bufs[ROUNDS], *first;

    t_load_module();
    t_acl_open(t);
    t_open(t, 0);

    first = t_alloc(T_DEVICE, 64);
    copies_before = t_no_sim() ? 0 : t_sim("copy.imported");
    for (int i = 0; i < ROUNDS; ++i) {
        bufs[i] = t_alloc(T_DEVICE, SIZE);
        if (t->rank == 0) {
            t_fill(T_DEVICE, bufs[i], SIZE, i);
            t_wait(t, t_send(t, t->ep, bufs[i], SIZE, i));
        } else {
            t_poison(T_DEVICE, bufs[i], SIZE);
            t_wait(t, t_recv(t, bufs[i], SIZE, i));
            t_verify(T_DEVICE, bufs[i], SIZE, i, t_mode);
        }
    }

    if (!t_no_sim()) {
        T_CHECK(t_sim("copy.imported") == copies_before, "%s: %llu copies were direct", t_mode,
                (unsigned long long)(t_sim("copy.imported") - copies_before));
    }
    if (t->rank == 0 && (!strcmp(t_mode, "suballoc") || !strcmp(t_mode, "export"))) {
        T_CHECK(t_link("export_refused") > 0, "no refused export was counted");
    }
    if (t->rank == 1) {
        T_CHECK(t_link("relay_ops") == (strcmp(t_mode, "off") != 0 ? ROUNDS : 0),
                "%s: %lld messages were relayed", t_mode, (long long)t_link("relay_ops"));
    }
    if (t->rank == 1 && strcmp(t_mode, "off") != 0) {
        T_CHECK(t_link("import_refused") > 0, "no refused import was counted");
    }

    t_sync(t);
    for (int i = 0; i < ROUNDS; ++i) {
        t_free(T_DEVICE, bufs[i]);
    }
    t_free(T_DEVICE, first);
    t_close(t);
}

int main(int argc, char **argv)
{
    t_mode = (argc > 1) ? argv[argc - 1] : t_mode;
    return t_pair(argc, argv, t_staged);
}
