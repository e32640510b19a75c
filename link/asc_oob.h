/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The out-of-band port: how small keys travel between processes before any
 * device memory is shared. link/ owns a default (names and blobs in the
 * board's own key area, which works for plain UCX programs); mpi_glue plugs
 * PMIx in.
 *
 * Names are written once: new data needs a new name. A get never waits: it is
 * made only when the peer's board says that the name is there.
 */
#ifndef ASC_OOB_H
#define ASC_OOB_H

#include "acl/asc_status.h"

#include <stddef.h>
#include <stdint.h>

/** Longest name, with its terminator, and largest blob in bytes. */
#define ASC_OOB_NAME_MAX 64
#define ASC_OOB_BLOB_MAX 256

typedef struct asc_oob_port {
    const char *name; /**< for logs and ascend_info: "board", "pmix" */

    /** Publishes @a blob under @a name for every local peer, at once. */
    asc_status_t (*put)(void *ctx, const char *name, const void *blob, size_t len);

    /**
     * Fetches what the process @a peer_uid (asc_link_addr_t.uid) has put.
     * @param len in: room at @a blob, out: bytes written.
     * @return ASC_OK, or ASC_ERR_NOT_FOUND (also for a peer that the port
     *         does not know; link then asks the board's own port).
     */
    asc_status_t (*get)(void *ctx, uint64_t peer_uid, const char *name, void *blob, size_t *len);

    void *ctx;
} asc_oob_port_t;

#endif
