/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The packed remote key: what an importer must know about one exported
 * allocation. Travels between processes of one node and one build only, so
 * it is in native order; it is never trusted.
 */
#ifndef LINK_RKEY_H
#define LINK_RKEY_H

#include "link/asc_link.h"

#include <stdbool.h>
#include <stdint.h>

#define LINK_IPC_KEY       65 /* bytes of a runtime key, opaque, zero filled */

#define LINK_RKEY_MAGIC    0x4b435341u /* "ASCK" */
#define LINK_RKEY_VERSION  1

#define LINK_RKEY_EXPORTED 0x1 /**< there is a runtime key in it */
#define LINK_RKEY_LIVE     0x2 /**< live[slot] of the owner tells whether it is stale */
#define LINK_RKEY_ONCE     0x4 /**< the export ends with its use: do not keep the import */
#define LINK_RKEY_OPEN     0x8 /**< the runtime lets every process import it */
#define LINK_RKEY_FLAGS    0xf

typedef struct link_rkey {
    uint32_t magic;
    uint16_t version;
    uint16_t flags;
    asc_link_addr_t owner;
    int32_t tgid;
    int32_t device; /**< the owner's user id of it */
    uint64_t base, size;
    uint64_t generation; /**< of the allocation, or a serial of the export */
    uint32_t slot;
    uint32_t epoch; /**< of the peer set that was whitelisted */
    char key[LINK_IPC_KEY];
    uint8_t reserved[1];
    uint16_t physical; /**< physical id of the device + 1; 0: not told */
    uint32_t reserved2;
    uint64_t sum; /**< of all bytes before it */
} link_rkey_t;

_Static_assert(sizeof(asc_link_addr_t) == 32, "address layout");
_Static_assert(sizeof(link_rkey_t) == ASC_LINK_RKEY_SIZE, "packed key layout");

/** Fills what is the same in all keys of this process. */
void link_rkey_init(link_rkey_t *rkey);

/** Writes the sum; nothing may be changed after it. */
void link_rkey_seal(link_rkey_t *rkey);

/** Copies @a len bytes in and checks them; false with a reason set. */
bool link_rkey_parse(const void *bytes, size_t len, link_rkey_t *rkey);

#endif
