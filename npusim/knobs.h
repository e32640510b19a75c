/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * knobs.h - the environment variables NPUSIM_*, read by aclInit(). Each is
 * described in docs/npusim.md.
 */
#ifndef NPUSIM_KNOBS_H
#define NPUSIM_KNOBS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIM_MAX_DEVICES 64

enum soc_family {
    SOC_950,
    SOC_A3,
    SOC_A2,
    SOC_310B,
    SOC_310P,
    SOC_910
};

/* Sets of families, for what only some chips have. */
#define SOC_BIT(_family) (1u << (_family))
#define SOC_NEWER        (SOC_BIT(SOC_950) | SOC_BIT(SOC_A3) | SOC_BIT(SOC_A2))
#define SOC_PEERS        (SOC_NEWER | SOC_BIT(SOC_310P) | SOC_BIT(SOC_910)) /* not 310B */

enum async_mode {
    ASYNC_EAGER,
    ASYNC_LAZY,
    ASYNC_RANDOM
};

struct knobs {
    uint32_t devices; /* on the node; physical ids 0..devices-1 */
    uint64_t hbm;     /* bytes per device, shared by all processes */
    char soc[40];
    enum soc_family family;
    enum async_mode async;
    uint64_t seed;
    bool va_recycle;
    bool suballoc;
    bool poison;
    bool one_import;
    bool pitched_d2d;
    uint32_t max_notify; /* per device, all processes */
    uint32_t max_stream; /* the same */
    uint32_t max_event;  /* the same; UINT32_MAX: not limited */
    uint32_t max_export; /* of this process */
    size_t redzone;      /* bytes around allocations; 0: none */
    bool leaks;          /* report them */
    int32_t tgid_offset;
    uint64_t no_peer[SIM_MAX_DEVICES]; /* bit j of [i]: i cannot reach j */
    char pci[SIM_MAX_DEVICES][16];     /* empty: not given */
    char stats[PATH_MAX];              /* empty: none */
    uint32_t visible_count;
    int32_t visible[SIM_MAX_DEVICES]; /* user id -> physical id */
};

extern struct knobs knobs;

/* Reads the environment. On a bad value returns false with the variable, the
 * value and what would be right in why. */
bool knobs_load(char *why, size_t why_len);

/* The n-th number of one of the sequences that NPUSIM_SEED makes. Each use has
 * a lane of its own, so that none shifts another's. */
static inline uint64_t knobs_random(uint64_t lane, uint64_t n)
{
    uint64_t z = knobs.seed + lane * 0xd1342543de82ef95u + n * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Physical id of a user id or -1; and back. */
int knobs_phys(int64_t user);
int knobs_user(int phys);

#endif
