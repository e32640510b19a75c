/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ipc_key.h - the text of exported keys, in the shape that drivers use.
 */
#ifndef NPUSIM_IPC_KEY_H
#define NPUSIM_IPC_KEY_H

#include <stdbool.h>
#include <stdint.h>

struct key_mem {
    int32_t tgid;
    uint64_t serial; /* unique in the exporting process; tells the slot */
    uint32_t device;
};

struct key_notify {
    int32_t tgid;
    uint32_t slot, gen;
};

/* 64 characters and NUL: pid, counter, device, function in hex, then zeros. */
void key_write_mem(char *key, const struct key_mem *k);

/* False when the text is no such key. Reads at most 65 bytes. */
bool key_read_mem(const char *key, struct key_mem *k);

/* 40 characters and NUL: pid, device, scheduler, type, id; 65 bytes are set. */
void key_write_notify(char *key, int32_t tgid, int device, uint32_t slot, uint32_t gen);
bool key_read_notify(const char *key, struct key_notify *k);

#endif
