/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protects (P20, P21): views of one allocation are one export and each lands
 * at its own offset; allocations of odd sizes can be shared like any other.
 */
#include "tests/link/t_link.h"

#define BLOCK ((size_t)4 << 20)
#define VIEWS 4

static const size_t odd[] = {1, 65, 3758, 4095, 4097, (2 << 20) - 1, (2 << 20) + 1};
#define N_ODD (sizeof(odd) / sizeof(odd[0]))

static int role(t_world_t *world, int me)
{
    t_join(world, me, 0);
    if (me == 0) {
        char *block = t_alloc_filled(BLOCK, 5);

        for (int i = 0; i < VIEWS; i++) {
            char *view = block + (size_t)i * (BLOCK / VIEWS) + (size_t)i * 7;

            world->value[i] = (uint64_t)view;
            t_check(asc_link_export(view, 1000, world->rkey[i]) == ASC_OK, "view %d", i);
        }
        t_check(asc_link_counter("export_new") == 1 && asc_link_counter("export_hit") == VIEWS - 1,
                "%lld exports of one block", (long long)asc_link_counter("export_new"));
        for (size_t i = 0; i < N_ODD; i++) {
            void *mine = t_alloc_filled(odd[i], 100 + i);

            world->value[10 + i] = (uint64_t)mine;
            t_check(asc_link_export(mine, odd[i], world->rkey[10 + i]) == ASC_OK, "size %zu: %s",
                    odd[i], asc_link_last_reason());
        }
        t_barrier(world);
    } else {
        void *local = t_alloc_filled(BLOCK, 6);

        t_barrier(world);
        for (int i = VIEWS - 1; i >= 0; i--) {
            asc_link_import_t *import = t_import(world->rkey[i]);

            t_get(import, world->value[i], local, 1000);
            t_expect(local, 1000, 5, (size_t)i * (BLOCK / VIEWS) + (size_t)i * 7);
            asc_link_import_release(import);
        }
        t_check(asc_link_counter("import_new") == 1, "%lld imports of one block",
                (long long)asc_link_counter("import_new"));
        for (size_t i = 0; i < N_ODD; i++) {
            asc_link_import_t *import = t_import(world->rkey[10 + i]);
            asc_link_op_t op;

            t_get(import, world->value[10 + i], local, odd[i]);
            t_expect(local, odd[i], 100 + i, 0);
            t_check(asc_link_get(import, world->value[10 + i], local, odd[i] + 64, &op) ==
                        ASC_ERR_INVALID,
                    "read past the end of %zu bytes", odd[i]);
            asc_link_import_release(import);
        }
    }
    t_barrier(world);
    asc_link_quiesce(5000);
    return 0;
}

int main(void)
{
    t_world_run(2, role);
    return T_PASS;
}
