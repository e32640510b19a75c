/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * P01: after a free and a malloc that gives the same address again, a message
 * carries the new bytes, not what a peer's old mapping of that address holds.
 * P09 in passing: what is sent and freed does not pile up.
 */
#include "t_ucx.h"

#define ROUNDS 400
#define SIZE   ((size_t)1 << 20)

static void t_same_address(t_ctx_t *t)
{
    void *last = NULL, *buf;
    int recycled = 0;
    char what[64];

    t_load_module();
    t_acl_open(t);
    t_open(t, 0);

    for (int round = 0; round < ROUNDS; ++round) {
        buf = t_alloc(T_DEVICE, SIZE);
        recycled += (buf == last);
        last = buf;
        if (t->rank == 0) {
            t_fill(T_DEVICE, buf, SIZE, round);
            t_wait(t, t_send(t, t->ep, buf, SIZE, round));
        } else {
            t_poison(T_DEVICE, buf, SIZE);
            t_wait(t, t_recv(t, buf, SIZE, round));
            snprintf(what, sizeof(what), "round %d at %p", round, buf);
            t_verify(T_DEVICE, buf, SIZE, round, what);
        }
        t_free(T_DEVICE, buf);
    }

    T_CHECK(t_no_sim() || recycled > ROUNDS / 4,
            "the address came again in %d of %d rounds only: nothing was tested", recycled, ROUNDS);
    t_close(t);
}

int main(int argc, char **argv)
{
    return t_pair(argc, argv, t_same_address);
}
