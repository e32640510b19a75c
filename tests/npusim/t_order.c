/* SPDX-License-Identifier: BSD-3-Clause */
/* NPUSIM_ASYNC=random: independent streams finish in an order that the seed
 * permutes and that comes back with the seed; each stream keeps its own order,
 * and who waits for an event comes after it. */
#include <stdbool.h>
#include <stdio.h>

#include "t_sim.h"

#define STREAMS 6
#define ROUNDS  4
#define EVENTS  (STREAMS * ROUNDS)
#define SEEDS   12

struct run {
    char seed[8];
    int worker; /* the runtime's thread interfered: the program was off the CPU */
    int order[EVENTS];
};

static bool before(aclrtEvent a, aclrtEvent b)
{
    float ms;
    return aclrtEventElapsedTime(&ms, a, b) == ACL_SUCCESS;
}

/* numbers of the events, the first one done first */
static void sort(aclrtEvent *ev, int *order)
{
    for (int i = 0; i < EVENTS; i++) {
        int at = i;
        for (; at > 0 && before(ev[i], ev[order[at - 1]]); at--) {
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
}

static int run(void *arg)
{
    struct run *r = arg;
    aclrtStream s[STREAMS];
    aclrtEvent ev[EVENTS];
    setenv("NPUSIM_ASYNC", "random", 1);
    setenv("NPUSIM_SEED", r->seed, 1);
    t_device(0);
    char *a = t_dev_alloc(4096), *b = t_dev_alloc(4096);
    for (int i = 0; i < STREAMS; i++) {
        s[i] = t_stream();
    }
    for (int i = 0; i < EVENTS; i++) {
        t_acl_ok(aclrtCreateEvent(&ev[i]));
    }
    npusim_counter_reset();
    for (int i = 0; i < EVENTS; i++) {
        t_d2d(b, a, 64, s[i % STREAMS]);
        t_acl_ok(aclrtRecordEvent(ev[i], s[i % STREAMS]));
    }
    t_acl_ok(aclrtStreamWaitEvent(s[0], ev[EVENTS - 1]));
    t_acl_ok(aclrtSynchronizeDevice());
    r->worker = npusim_counter("worker.tasks") != 0;
    sort(ev, r->order);
    return 0;
}

static void run_undisturbed(struct run *r)
{
    for (int tries = 0; tries < 50; tries++) {
        t_wait_ok(t_child(run, r));
        if (!r->worker) {
            return;
        }
    }
    t_skip("the machine is too busy: never 20 ms without a pause");
}

static void check_streams(const struct run *r)
{
    int next[STREAMS] = {0};
    for (int i = 0; i < EVENTS; i++) {
        int s = r->order[i] % STREAMS, round = r->order[i] / STREAMS;
        t_check(round == next[s], "seed %s: round %d of stream %d came before %d", r->seed, round,
                s, next[s]);
        next[s]++;
    }
}

int main(void)
{
    struct run *r = t_shared((SEEDS + 1) * sizeof(*r));
    int same = 0, first[STREAMS] = {0}, firsts = 0;
    t_deadline(100);
    for (int i = 0; i < SEEDS; i++) {
        snprintf(r[i].seed, sizeof(r[i].seed), "%d", i + 1);
        run_undisturbed(&r[i]);
        check_streams(&r[i]);
        for (int k = 0; k < 3; k++) {
            memcpy(r[SEEDS].seed, r[i].seed, sizeof(r[i].seed));
            run_undisturbed(&r[SEEDS]);
            t_check(memcmp(r[SEEDS].order, r[i].order, sizeof(r[i].order)) == 0,
                    "seed %s gives the same order again", r[i].seed);
        }
        for (int k = 0; k < i; k++) {
            same += memcmp(r[k].order, r[i].order, sizeof(r[i].order)) == 0;
        }
        firsts += first[r[i].order[EVENTS - 1] % STREAMS]++ == 0;
    }
    t_check(same == 0, "%d pairs of seeds give the same order", same);
    t_check(firsts >= 3, "only %d different streams are the last to finish", firsts);
    return 0;
}
