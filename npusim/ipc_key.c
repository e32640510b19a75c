/* SPDX-License-Identifier: BSD-3-Clause */
#include "ipc_key.h"

#include <stdio.h>
#include <string.h>

#include "acl/ascend_abi.h"
#include "node.h"

#define MEM_DIGITS    64
#define NOTIFY_DIGITS 40
#define NOTIFY_TYPE   1u

/* width hex digits at *s, which moves on */
static bool hex(const char **s, int width, uint64_t *out)
{
    *out = 0;
    for (int i = 0; i < width; i++, (*s)++) {
        char c = **s;
        if (c >= '0' && c <= '9') {
            *out = *out << 4 | (uint64_t)(c - '0');
        } else if (c >= 'a' && c <= 'f') {
            *out = *out << 4 | (uint64_t)(c - 'a' + 10);
        } else {
            return false;
        }
    }
    return true;
}

void key_write_mem(char *key, const struct key_mem *k)
{
    int n = snprintf(key, ASCEND_ABI_IPC_KEY_SIZE, "%08x%016llx%02x%02x", (unsigned)k->tgid,
                     (unsigned long long)k->serial, k->device, 0u);
    memset(key + n, '0', (size_t)(MEM_DIGITS - n));
    key[MEM_DIGITS] = '\0';
}

bool key_read_mem(const char *key, struct key_mem *k)
{
    uint64_t tgid, device, function, rest;
    if (!hex(&key, 8, &tgid) || !hex(&key, 16, &k->serial) || !hex(&key, 2, &device) ||
        !hex(&key, 2, &function) || !hex(&key, 18, &rest) || !hex(&key, 18, &rest)) {
        return false;
    }
    k->tgid = (int32_t)tgid;
    k->device = (uint32_t)device;
    return *key == '\0' && k->tgid > 0 && k->serial != 0 && k->device < SIM_MAX_DEVICES;
}

void key_write_notify(char *key, int32_t tgid, int device, uint32_t slot, uint32_t gen)
{
    memset(key, 0, ASCEND_ABI_IPC_KEY_SIZE);
    snprintf(key, NOTIFY_DIGITS + 1, "%08x%08x%08x%08x%08x", (unsigned)tgid, (unsigned)device, 0u,
             NOTIFY_TYPE, gen * NODE_NOTIFIES + slot);
}

bool key_read_notify(const char *key, struct key_notify *k)
{
    uint64_t tgid, device, ts, type, id;
    if (!hex(&key, 8, &tgid) || !hex(&key, 8, &device) || !hex(&key, 8, &ts) ||
        !hex(&key, 8, &type) || !hex(&key, 8, &id) || *key != '\0' || type != NOTIFY_TYPE) {
        return false;
    }
    k->tgid = (int32_t)tgid;
    k->slot = (uint32_t)(id % NODE_NOTIFIES);
    k->gen = (uint32_t)(id / NODE_NOTIFIES);
    return k->tgid > 0 && k->gen != 0;
}
