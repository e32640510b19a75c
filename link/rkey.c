/* SPDX-License-Identifier: BSD-3-Clause */
#include "link/rkey.h"

#include "link/board.h"

#include <string.h>

static uint64_t sum_of(const link_rkey_t *rkey)
{
    const unsigned char *byte = (const unsigned char *)rkey;
    uint64_t sum = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < offsetof(link_rkey_t, sum); i += sizeof(uint64_t)) {
        uint64_t word;

        memcpy(&word, byte + i, sizeof(word));
        sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        sum ^= sum >> 29;
    }
    return sum;
}

void link_rkey_init(link_rkey_t *rkey)
{
    memset(rkey, 0, sizeof(*rkey));
    rkey->magic = LINK_RKEY_MAGIC;
    rkey->version = LINK_RKEY_VERSION;
    asc_link_self_addr(&rkey->owner);
}

void link_rkey_seal(link_rkey_t *rkey)
{
    rkey->sum = sum_of(rkey);
}

bool link_rkey_parse(const void *bytes, size_t len, link_rkey_t *rkey)
{
    if (bytes == NULL || len < sizeof(*rkey)) {
        link_set_reason("remote key of %zu bytes is too short, %zu are needed", len, sizeof(*rkey));
        return false;
    }
    memcpy(rkey, bytes, sizeof(*rkey));
    if (rkey->magic != LINK_RKEY_MAGIC || rkey->version != LINK_RKEY_VERSION) {
        link_set_reason("remote key has magic %x version %u, expected %x version %u: the "
                        "processes use different versions of this library",
                        rkey->magic, rkey->version, LINK_RKEY_MAGIC, LINK_RKEY_VERSION);
        return false;
    }
    if (rkey->sum != sum_of(rkey) || (rkey->flags & ~LINK_RKEY_FLAGS) != 0 || rkey->size == 0 ||
        rkey->base + rkey->size < rkey->base) {
        link_set_reason("remote key from process %d is damaged", rkey->owner.pid);
        return false;
    }
    if ((rkey->flags & LINK_RKEY_LIVE) != 0 &&
        (rkey->slot >= LINK_BOARD_LIVE || rkey->generation == 0)) {
        link_set_reason("remote key from process %d names allocation slot %u generation %llu, "
                        "which cannot be",
                        rkey->owner.pid, rkey->slot, (unsigned long long)rkey->generation);
        return false;
    }
    return true;
}
