/* SPDX-License-Identifier: BSD-3-Clause */
/* Upkeep in progress loops, and the orderly end. */
#include "link/board.h"
#include "link/export.h"
#include "link/free.h"
#include "link/import.h"
#include "link/notify.h"
#include "link/rescue.h"
#include "link/scratch.h"
#include "link/transfer.h"

#include <time.h>

#define UPKEEP_EVERY   32   /* calls of a progress loop */
#define LIVENESS_EVERY 1000 /* ms */

/* An owner that has ended takes its memory along; its imports are closed at
 * the next upkeep once somebody has looked. */
static void look_after_peers(void)
{
    static _Atomic uint64_t looked_ms;
    uint64_t now = link_now_ms();
    unsigned count = link_peer_count();

    if (now - atomic_load_explicit(&looked_ms, memory_order_relaxed) < LIVENESS_EVERY) {
        return;
    }
    atomic_store_explicit(&looked_ms, now, memory_order_relaxed);
    for (unsigned i = 0; i < count; i++) {
        asc_link_peer_t *peer = link_peer_at(i);

        if (__atomic_load_n(&peer->imports, __ATOMIC_RELAXED) > 0) {
            (void)asc_link_peer_alive(peer);
        }
    }
}

void asc_link_progress(void)
{
    static _Thread_local unsigned calls;

    if (!asc_link_ready() || link_board() == NULL || link_peer_count() == 0) {
        return;
    }
    (void)link_free_sweep(false);
    if (calls++ % UPKEEP_EVERY != 0) {
        return;
    }
    link_export_sweep();
    link_import_upkeep();
    link_notify_idle();
    link_rescue_look();
    look_after_peers();
}

void asc_link_quiesce(unsigned timeout_ms)
{
    const struct timespec pause = {.tv_nsec = 50000};
    link_board_t *board = link_board();
    uint64_t deadline = link_now_ms() + timeout_ms;

    if (asc_link_ready()) {
        (void)link_scratch_drop();
    }
    if (!asc_link_ready() || board == NULL || link_peer_count() == 0) {
        return;
    }
    atomic_store(&board->closing, 1);
    link_transfer_close(deadline);
    for (;;) {
        link_notify_drain();
        if (!link_notify_outstanding() || link_now_ms() >= deadline) {
            break;
        }
        nanosleep(&pause, NULL);
    }
    link_import_close_unused();
    (void)link_free_sweep(true);
    link_export_sweep();
    link_export_close_unused();
    link_notify_close();
}
