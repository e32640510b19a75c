/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protects the notify protocol in plain UCX: fetching a peer's memory records
 * notifies, none onto a bit that is still set, and at close the owner has
 * consumed every one of them.
 */
#include "t_ucx.h"

#define ROUNDS 64
#define SIZE   ((size_t)256 << 10)

static void t_notify(t_ctx_t *t)
{
    uint64_t records, on_set, waits, peer_records, peer_waits;
    void *bufs[2];

    if (t_no_sim()) {
        t_skip("only the simulator counts notifies");
    }

    t_load_module();
    t_acl_open(t);
    t_open(t, 0);
    bufs[0] = t_alloc(T_DEVICE, SIZE);
    bufs[1] = t_alloc(T_DEVICE, SIZE);
    for (int i = 0; i < ROUNDS; ++i) {
        void *reqs[2];

        reqs[0] = t_recv(t, bufs[0], SIZE, i);
        reqs[1] = t_send(t, t->ep, bufs[1], SIZE, i);
        t_wait(t, reqs[0]);
        t_wait(t, reqs[1]);
    }
    t_sync(t);
    t_free(T_DEVICE, bufs[0]);
    t_free(T_DEVICE, bufs[1]);
    t_close(t);

    records = t_sim("notify.record");
    on_set = t_sim("notify.record_on_set");
    waits = t_sim("notify.wait_done");
    t_tell(t, (int64_t)records);
    peer_records = (uint64_t)t_ask(t);
    t_tell(t, (int64_t)waits);
    peer_waits = (uint64_t)t_ask(t);

    T_CHECK(records > 0, "no notify was recorded");
    T_CHECK(on_set == 0, "%llu records onto a set bit", (unsigned long long)on_set);
    T_CHECK(waits == peer_records, "%llu of the peer's %llu records consumed",
            (unsigned long long)waits, (unsigned long long)peer_records);
    T_CHECK(peer_waits == records, "the peer consumed %llu of %llu records",
            (unsigned long long)peer_waits, (unsigned long long)records);
    T_CHECK(t_sim("live.import") == 0, "%llu imports left open",
            (unsigned long long)t_sim("live.import"));
}

int main(int argc, char **argv)
{
    return t_pair(argc, argv, t_notify);
}
