/* SPDX-License-Identifier: BSD-3-Clause */
/* The default out-of-band port: names and blobs on the boards themselves. */
#include "link/peer.h"

#include <pthread.h>
#include <string.h>

static pthread_mutex_t put_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(const asc_oob_port_t *) plugged;

static asc_status_t board_put(void *ctx, const char *name, const void *blob, size_t len)
{
    link_board_t *board = link_board();
    asc_status_t status = ASC_OK;
    uint32_t top;

    (void)ctx;
    if (board == NULL) {
        return ASC_ERR_NOT_FOUND;
    }
    if (strlen(name) >= ASC_OOB_NAME_MAX || len > ASC_OOB_BLOB_MAX) {
        return ASC_ERR_INVALID;
    }
    pthread_mutex_lock(&put_lock);
    top = atomic_load(&board->name_top);
    if (top == LINK_BOARD_NAMES) {
        status = ASC_ERR_BUSY;
    } else {
        link_board_name_t *entry = &board->names[top];

        strcpy(entry->name, name);
        memcpy(entry->blob, blob, len);
        entry->len = (uint32_t)len;
        atomic_store_explicit(&board->name_top, top + 1, memory_order_release);
    }
    pthread_mutex_unlock(&put_lock);
    return status;
}

static asc_status_t board_get(void *ctx, uint64_t peer_uid, const char *name, void *blob,
                              size_t *len)
{
    asc_link_peer_t *peer = link_peer_by_uid(peer_uid);
    uint32_t top;

    (void)ctx;
    if (peer == NULL) {
        return ASC_ERR_NOT_FOUND;
    }
    top = atomic_load_explicit(&peer->board->name_top, memory_order_acquire);
    for (uint32_t i = 0; i < top && i < LINK_BOARD_NAMES; i++) {
        const link_board_name_t *entry = &peer->board->names[i];
        uint32_t size = entry->len;

        if (strncmp(entry->name, name, ASC_OOB_NAME_MAX) == 0) {
            if (size > *len || size > ASC_OOB_BLOB_MAX) {
                return ASC_ERR_INVALID;
            }
            memcpy(blob, entry->blob, size);
            *len = size;
            return ASC_OK;
        }
    }
    return ASC_ERR_NOT_FOUND;
}

const asc_oob_port_t link_oob_board = {.name = "board", .put = board_put, .get = board_get};

static const asc_oob_port_t *port(void)
{
    const asc_oob_port_t *in_use = atomic_load_explicit(&plugged, memory_order_acquire);

    return in_use != NULL ? in_use : &link_oob_board;
}

void asc_link_set_oob(const asc_oob_port_t *new_port)
{
    atomic_store_explicit(&plugged, new_port, memory_order_release);
}

const char *asc_link_oob_name(void)
{
    return port()->name;
}

asc_status_t link_oob_put(const char *name, const void *blob, size_t len)
{
    const asc_oob_port_t *to = port();
    asc_status_t status = to->put(to->ctx, name, blob, len);

    /* peers of other jobs, which the plugged-in port does not serve, look on
     * the board; so does everybody when that port is going away */
    if (to != &link_oob_board) {
        asc_status_t second = board_put(NULL, name, blob, len);

        status = status == ASC_OK ? ASC_OK : second;
    }
    return status;
}

asc_status_t link_oob_get(uint64_t uid, const char *name, void *blob, size_t *len)
{
    const asc_oob_port_t *from = port();
    size_t room = *len;
    asc_status_t status = from->get(from->ctx, uid, name, blob, len);

    if (status != ASC_OK && from != &link_oob_board) {
        *len = room;
        status = board_get(NULL, uid, name, blob, len);
    }
    return status;
}
