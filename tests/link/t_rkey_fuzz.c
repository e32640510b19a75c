/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protects: no sequence of bytes given as a remote key does harm. Keys are
 * mutated at random, half of them with a right checksum, so that each field's
 * own check is reached; all are refused or import nothing but what a right key
 * names. The process can still import afterwards.
 */
#include "link/rkey.h"
#include "tests/link/t_link.h"

#include <stdlib.h>
#include <string.h>

#define ROUNDS 100000
#define STEP   1000
#define SIZE   65536

static uint64_t state = 88172645463325252u;

static uint64_t draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* The same sum as rkey.c's, learnt from a right key: what is tested is what
 * happens behind it. */
static uint64_t sum_of(const void *bytes)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325), word;

    for (size_t i = 0; i < offsetof(link_rkey_t, sum); i += 8) {
        memcpy(&word, (const char *)bytes + i, 8);
        sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        sum ^= sum >> 29;
    }
    return sum;
}

static void mutate(unsigned char *bytes)
{
    int changes = 1 + (int)(draw() % 4);
    link_rkey_t rkey;

    for (int i = 0; i < changes; i++) {
        switch (draw() % 4) {
        case 0:
            bytes[draw() % ASC_LINK_RKEY_SIZE] = (unsigned char)draw();
            break;
        case 1:
            bytes[draw() % ASC_LINK_RKEY_SIZE] ^= (unsigned char)(1 << draw() % 8);
            break;
        case 2:
            memset(bytes + (draw() % 19) * 8, (int)(draw() % 3) * 0x7f, 8);
            break;
        default: {
            uint64_t word = draw() >> (draw() % 64);

            memcpy(bytes + (draw() % 19) * 8, &word, 8);
        }
        }
    }
    if (draw() % 8 == 0) {
        memcpy(&rkey, bytes, sizeof(rkey));
        rkey.owner.pid = (int)(draw() % 400) + 1;
        rkey.owner.board_fd = (int)(draw() % 16);
        rkey.owner.uid = draw();
        memcpy(bytes, &rkey, sizeof(rkey));
    }
    if (draw() % 2 == 0) {
        uint64_t sum = sum_of(bytes);

        memcpy(bytes + offsetof(link_rkey_t, sum), &sum, 8);
    }
}

static void attack(t_world_t *world, void *local)
{
    unsigned accepted = 0;

    for (int round = 0; round < ROUNDS; round++) {
        unsigned char bytes[ASC_LINK_RKEY_SIZE];
        asc_link_import_t *import = NULL;
        asc_link_op_t op;
        asc_status_t status;

        memcpy(bytes, world->rkey[draw() % 2], sizeof(bytes));
        mutate(bytes);
        status = asc_link_import(bytes, draw() % 16 == 0 ? draw() % 160 : sizeof(bytes), &import);
        t_check(status == ASC_OK || status == ASC_ERR_UNREACHABLE, "import answered %d", status);
        if (status == ASC_OK) {
            accepted++;
            (void)t_op_end(asc_link_get(import, world->value[0], local, 64, &op), &op);
            asc_link_import_release(import);
        }
        atomic_store(&world->flag[0], round / STEP);
    }
    atomic_store(&world->flag[0], ROUNDS / STEP);
    t_check(accepted < ROUNDS / 2, "%u of %d damaged keys were accepted", accepted, ROUNDS);
}

static int role(t_world_t *world, int me)
{
    void *mine;

    t_join(world, me, 0);
    mine = t_alloc_filled(SIZE, (uint64_t)me);
    if (me == 0) {
        world->value[0] = (uint64_t)mine;
        t_check(asc_link_export(mine, SIZE, world->rkey[0]) == ASC_OK, "%s",
                asc_link_last_reason());
        t_barrier(world);
        for (int step = 1; step <= ROUNDS / STEP; step++) {
            t_flag_await(&world->flag[0], step);
        }
    } else {
        asc_link_import_t *import;
        link_rkey_t rkey;

        t_check(asc_link_export(mine, SIZE, world->rkey[1]) == ASC_OK, "%s",
                asc_link_last_reason());
        t_barrier(world);
        memcpy(&rkey, world->rkey[0], sizeof(rkey));
        t_check(rkey.sum == sum_of(&rkey), "the test's checksum is not the library's any more");
        attack(world, mine);
        t_check(asc_link_import(NULL, 0, &import) == ASC_ERR_UNREACHABLE, "no key at all");
        import = t_import(world->rkey[0]);
        t_get(import, world->value[0], mine, SIZE);
        t_expect(mine, SIZE, 0, 0);
        asc_link_import_release(import);
    }
    t_barrier(world);
    return 0;
}

int main(void)
{
    /* refusals of a pair are warned about by kind; here they are the aim */
    setenv("ASCEND_LOG_LEVEL", "error", 1);
    t_world_run(2, role);
    return T_PASS;
}
