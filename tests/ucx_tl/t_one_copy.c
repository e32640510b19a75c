/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protects: a rendezvous of device memory between two processes is exactly one
 * copy from device to device, made by the receiver; no byte passes through
 * host memory, and no call of the runtime is made for the payload elsewhere.
 */
#include "t_ucx.h"

static void t_counts(t_ctx_t *t, size_t size, uint64_t messages, const char *what)
{
    uint64_t copies = (t->rank == 1) ? messages : 0;

    T_CHECK(t_sim("copy.d2d") == copies, "%s of %zu bytes: %llu device copies, not %llu", what,
            size, (unsigned long long)t_sim("copy.d2d"), (unsigned long long)copies);
    T_CHECK(t_sim("copy.bytes.d2d") == copies * size, "%s of %zu bytes: %llu bytes copied", what,
            size, (unsigned long long)t_sim("copy.bytes.d2d"));
    T_CHECK(t_sim("copy.imported") == copies, "%s of %zu bytes: %llu copies of imported memory",
            what, size, (unsigned long long)t_sim("copy.imported"));
    T_CHECK(t_sim("copy.d2h") == 0, "%s of %zu bytes: %llu copies to the host", what, size,
            (unsigned long long)t_sim("copy.d2h"));
    T_CHECK(t_sim("copy.h2d") == 0, "%s of %zu bytes: %llu copies from the host", what, size,
            (unsigned long long)t_sim("copy.h2d"));
}

static void t_rendezvous(t_ctx_t *t, size_t size, int unexpected)
{
    const char *what = unexpected ? "unexpected message" : "expected message";
    char *buf = t_alloc(T_DEVICE, size);
    void *request = NULL;

    if (t->rank == 0) {
        t_fill(T_DEVICE, buf, size, size);
    } else {
        t_poison(T_DEVICE, buf, size);
    }
    t_sim_reset();

    if (t->rank == 1 && !unexpected) {
        request = t_recv(t, buf, size, 1);
    }
    t_sync(t);
    if (t->rank == 0) {
        request = t_send(t, t->ep, buf, size, 1);
    }
    if (unexpected) {
        t_sync(t);
        t_linger(t, 5);
    }
    if (t->rank == 1 && unexpected) {
        request = t_recv(t, buf, size, 1);
    }
    t_wait(t, request);
    t_counts(t, size, 1, what);

    t_verify(T_DEVICE, buf, size, size, what);
    t_sync(t);
    t_free(T_DEVICE, buf);
}

static void t_one_copy(t_ctx_t *t)
{
    static const size_t sizes[] = {65536, 65537, 1048576, 4194304 + 8, 67108864};

    if (t_no_sim()) {
        t_skip("only the simulator counts copies");
    }

    t_load_module();
    t_acl_open(t);
    t_open(t, 0);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); ++i) {
        t_rendezvous(t, sizes[i], 0);
        t_rendezvous(t, sizes[i], 1);
    }
    t_close(t);
}

int main(int argc, char **argv)
{
    return t_pair(argc, argv, t_one_copy);
}
