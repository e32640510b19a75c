/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protects: whatever way of rendezvous the user makes UCX take (sender writes,
 * receiver reads, everything or nothing by rendezvous, no direct transport,
 * one transport for messages only), the bytes arrive, for all kinds of buffers.
 */
#include "t_ucx.h"

typedef struct t_scheme {
    const char *name, *value;
    const char *direct; /* "put", "get": who must have copied a large D-D message */
} t_scheme_t;

static const t_scheme_t t_schemes_list[] = {{"UCX_RNDV_SCHEME", "put_zcopy", "put"},
                                            {"UCX_RNDV_SCHEME", "get_zcopy", "get"},
                                            {"UCX_RNDV_THRESH", "0", "get"},
                                            {"UCX_RNDV_THRESH", "inf", NULL},
                                            {"UCX_TLS", "posix,self,asc_copy,asc_ipc", "get"},
                                            {"UCX_TLS", "tcp,self,asc_copy", NULL},
                                            {"UCX_TLS", "posix,self,cma,asc_copy", NULL}};

static void t_one(t_ctx_t *t, const t_scheme_t *scheme, int variant, size_t size)
{
    t_kind_t from = (variant & 1) ? T_DEVICE : T_HOST;
    t_kind_t to = (variant & 2) ? T_DEVICE : T_HOST;
    t_kind_t kind = (t->rank == 0) ? from : to;
    char *buf = t_alloc(kind, size);
    uint64_t direct;
    char what[128];

    snprintf(what, sizeof(what), "%s=%s %c-%c %zu bytes", scheme->name, scheme->value, "HD"[from],
             "HD"[to], size);
    if (t->rank == 0) {
        t_fill(kind, buf, size, size + variant);
    } else {
        t_poison(kind, buf, size);
    }
    if (!t_no_sim()) {
        t_sim_reset();
    }
    t_sync(t);
    t_wait(t, (t->rank == 0) ? t_send(t, t->ep, buf, size, 1) : t_recv(t, buf, size, 1));
    t_sync(t);
    if (!t_no_sim() && size >= 1048576 && variant == 3) {
        direct = scheme->direct && !strcmp(scheme->direct, (t->rank == 0) ? "put" : "get");
        T_CHECK(t_sim("copy.imported") == direct, "%s: %llu direct copies, not %llu", what,
                (unsigned long long)t_sim("copy.imported"), (unsigned long long)direct);
    }
    if (t->rank == 1) {
        t_verify(kind, buf, size, size + variant, what);
    }
    t_free(kind, buf);
}

static void t_schemes(t_ctx_t *t)
{
    static const size_t sizes[] = {8, 9000, 1048576 + 3, 8388608};

    t_load_module();
    t_acl_open(t);
    for (size_t i = 0; i < sizeof(t_schemes_list) / sizeof(t_schemes_list[0]); ++i) {
        setenv(t_schemes_list[i].name, t_schemes_list[i].value, 1);
        t_open(t, 0);
        for (int variant = 1; variant < 4; ++variant) {
            for (size_t j = 0; j < sizeof(sizes) / sizeof(sizes[0]); ++j) {
                t_one(t, &t_schemes_list[i], variant, sizes[j]);
            }
        }
        t_close(t);
        unsetenv(t_schemes_list[i].name);
    }
}

int main(int argc, char **argv)
{
    return t_pair(argc, argv, t_schemes);
}
