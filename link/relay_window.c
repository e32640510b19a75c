/* SPDX-License-Identifier: BSD-3-Clause */
/* The windows of relay.h: the own one and its channels, and those of peers. */
#include "asc_config.h"

#include "link/relay.h"

#include "acl/asc_log.h"
#include "link/init.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define WINDOW_NAME "ascend-relay"
#define CHANNEL     (LINK_RELAY_SLOTS * LINK_RELAY_SLOT)
#define WINDOW      (LINK_RELAY_CHANNELS * CHANNEL)

static struct {
    pthread_mutex_t lock;
    char *base;
    bool refused;
    uint32_t taken; /* bit for a channel */
} window = {.lock = PTHREAD_MUTEX_INITIALIZER};

size_t link_relay_piece(size_t len)
{
    size_t piece = (len / 8 + 0xffff) & ~(size_t)0xffff;

    return piece < LINK_RELAY_SLOT ? (piece == 0 ? 0x10000 : piece) : LINK_RELAY_SLOT;
}

/* Under the lock. */
static bool make_window(void)
{
    link_board_t *board = link_board();
    void *base = MAP_FAILED;
    int fd;

    if (window.base != NULL || window.refused || board == NULL) {
        return window.base != NULL;
    }
    fd = memfd_create(WINDOW_NAME, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd >= 0 && fchmod(fd, 0600) == 0 && ftruncate(fd, (off_t)WINDOW) == 0 &&
        fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0) {
        base = mmap(NULL, WINDOW, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    }
    if (base == MAP_FAILED) {
        asc_log(ASC_LOG_WARN,
                "no shared memory of %zu bytes (%s): messages between host and device memory of "
                "two processes fail",
                (size_t)WINDOW, strerror(errno));
        window.refused = true;
        if (fd >= 0) {
            close(fd);
        }
        return false;
    }
    (void)madvise(base, WINDOW, MADV_DONTFORK);
    window.base = base;
    atomic_store(&board->relay_fd, fd + 1);
    return true;
}

bool link_relay_channel_get(uint32_t *channel)
{
    bool found = false;

    pthread_mutex_lock(&window.lock);
    if (make_window()) {
        for (uint32_t i = 0; i < LINK_RELAY_CHANNELS && !found; i++) {
            if ((window.taken >> i & 1) == 0) {
                window.taken |= 1u << i;
                *channel = i;
                found = true;
            }
        }
    }
    pthread_mutex_unlock(&window.lock);
    return found;
}

void link_relay_channel_put(uint32_t channel)
{
    pthread_mutex_lock(&window.lock);
    window.taken &= ~(1u << channel);
    pthread_mutex_unlock(&window.lock);
}

static size_t slot_at(uint32_t channel, uint64_t piece)
{
    return channel * CHANNEL + (size_t)(piece % LINK_RELAY_SLOTS) * LINK_RELAY_SLOT;
}

char *link_relay_slot(uint32_t channel, uint64_t piece)
{
    return window.base + slot_at(channel, piece);
}

static void *map_window(asc_link_peer_t *peer)
{
    int number = atomic_load(&peer->board->relay_fd) - 1;
    void *base;
    int fd;

    if (number < 0 ||
        link_board_open_file(&peer->addr, number, WINDOW_NAME, WINDOW, &fd) != ASC_OK) {
        return NULL;
    }
    base = mmap(NULL, WINDOW, PROT_READ, MAP_SHARED, fd, 0);
    close(fd);
    return base != MAP_FAILED ? base : NULL;
}

const char *link_relay_peer_slot(asc_link_peer_t *peer, uint32_t channel, uint64_t piece)
{
    void *base = atomic_load_explicit(&peer->relay.window, memory_order_acquire), *none = NULL;

    if (base == NULL) {
        base = map_window(peer);
        if (base == NULL || channel >= LINK_RELAY_CHANNELS) {
            return NULL;
        }
        if (!atomic_compare_exchange_strong(&peer->relay.window, &none, base)) {
            (void)munmap(base, WINDOW);
            base = none;
        }
    }
    return channel < LINK_RELAY_CHANNELS ? (const char *)base + slot_at(channel, piece) : NULL;
}
