/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The link model: what a link of a kind is worth on a family of parts.
 *
 * Every number has a source:
 *   [X] measured, hicann/hixl 9ed283b27309, benchmarks/performance_en.md
 *   [F] fitted by us to [X]'s figures for 1 and 2 MiB blocks
 *   [S] second-hand table, hicann/shmem 643bfb73b50d, hardware-architecture.md
 *   [H] constant of HCCL's cost model, hicann/hccl 09300b70, cost_model.cc
 *   [B] press and vendors' pages
 *   [A] assumption of ours, where nothing is published
 * Where the sources contradict each other the lower figure is taken.
 */
#include "topo/asc_topo.h"

#include <string.h>

#define GB 1e9
#define US 1e-6

struct figures {
    double get;
    double put;
    double latency;
};

/* One row per family, columns as enum asc_topo_link_kind has them. */
static const struct figures links[ASC_TOPO_SOC_LAST][ASC_TOPO_LINK_LAST] =
    {
        [ASC_TOPO_SOC_910] =
            {
                /* half of 1.2 TB/s [B], as a copy reads and writes; latency [A] */
                [ASC_TOPO_LINK_SAME] = {600 * GB, 600 * GB, 1.0 * US},
                [ASC_TOPO_LINK_SIO] = {30 * GB, 30 * GB, 1.5 * US},     /* has none: as HCCS */
                [ASC_TOPO_LINK_HCCS] = {30 * GB, 30 * GB, 1.5 * US},    /* 240 Gb/s a port [B] */
                [ASC_TOPO_LINK_HCCS_SW] = {30 * GB, 30 * GB, 1.5 * US}, /* has none: as HCCS */
                [ASC_TOPO_LINK_PIX] = {25 * GB, 25 * GB, 2.0 * US}, /* PCIe 4.0 x16, usable [B] */
                [ASC_TOPO_LINK_PHB] = {25 * GB, 25 * GB, 2.0 * US},
                [ASC_TOPO_LINK_SYS] = {18 * GB, 18 * GB, 2.5 * US},     /* [A] */
                [ASC_TOPO_LINK_UNKNOWN] = {18 * GB, 18 * GB, 2.5 * US}, /* as the slowest */
            },
        [ASC_TOPO_SOC_910B] =
            {
                /* half of 1.2 TB/s [S]; other tables say 1.6 */
                [ASC_TOPO_LINK_SAME] = {600 * GB, 600 * GB, 1.0 * US},
                [ASC_TOPO_LINK_SIO] = {27.4 * GB, 20.5 * GB, 1.6 * US}, /* has none: as HCCS */
                /* fit: get 1.6 us + n / 27.4 GB/s, put 1.3 us + n / 20.5 GB/s [F]; the link is 28
                 * nominal [S]. One latency serves both directions: the longer. */
                [ASC_TOPO_LINK_HCCS] = {27.4 * GB, 20.5 * GB, 1.6 * US},
                [ASC_TOPO_LINK_HCCS_SW] = {27.4 * GB, 20.5 * GB, 1.6 * US}, /* has none: as HCCS */
                [ASC_TOPO_LINK_PIX] = {20 * GB, 20 * GB, 2.0 * US},         /* [A], below HCCS */
                [ASC_TOPO_LINK_PHB] = {20 * GB, 20 * GB, 2.0 * US},         /* [A] */
                [ASC_TOPO_LINK_SYS] = {15 * GB, 15 * GB, 2.5 * US},         /* [A] */
                [ASC_TOPO_LINK_UNKNOWN] = {15 * GB, 15 * GB, 2.5 * US},
            },
        [ASC_TOPO_SOC_910_93] =
            {
                /* half of 1.6 TB/s a die (package 3.2, arXiv 2506.12708) [B] */
                [ASC_TOPO_LINK_SAME] = {800 * GB, 800 * GB, 1.0 * US},
                [ASC_TOPO_LINK_SIO] = {270 * GB, 270 * GB, 1.5 * US},      /* [S]; latency [A] */
                [ASC_TOPO_LINK_HCCS] = {165.3 * GB, 164.6 * GB, 1.5 * US}, /* as through switches */
                /* one machine, 2 MiB blocks [X]; 196 nominal [S] */
                [ASC_TOPO_LINK_HCCS_SW] = {165.3 * GB, 164.6 * GB, 1.5 * US},
                [ASC_TOPO_LINK_PIX] = {25 * GB, 25 * GB, 2.0 * US}, /* [A] */
                [ASC_TOPO_LINK_PHB] = {25 * GB, 25 * GB, 2.0 * US}, /* [A] */
                [ASC_TOPO_LINK_SYS] = {18 * GB, 18 * GB, 2.5 * US}, /* [A] */
                [ASC_TOPO_LINK_UNKNOWN] = {18 * GB, 18 * GB, 2.5 * US},
            },
        [ASC_TOPO_SOC_310P] =
            {
                /* no fabric: what pairs there are go over PCIe 4.0 x16 [A] */
                [ASC_TOPO_LINK_SAME] = {100 * GB, 100 * GB, 1.0 * US}, /* half of LPDDR4X [A] */
                [ASC_TOPO_LINK_SIO] = {25 * GB, 25 * GB, 2.0 * US},
                [ASC_TOPO_LINK_HCCS] = {25 * GB, 25 * GB, 2.0 * US},
                [ASC_TOPO_LINK_HCCS_SW] = {25 * GB, 25 * GB, 2.0 * US},
                [ASC_TOPO_LINK_PIX] = {25 * GB, 25 * GB, 2.0 * US},
                [ASC_TOPO_LINK_PHB] = {25 * GB, 25 * GB, 2.0 * US},
                [ASC_TOPO_LINK_SYS] = {15 * GB, 15 * GB, 2.5 * US},
                [ASC_TOPO_LINK_UNKNOWN] = {15 * GB, 15 * GB, 2.5 * US},
            },
        [ASC_TOPO_SOC_310B] =
            {
                /* one device a board; pairs only through the host [A] */
                [ASC_TOPO_LINK_SAME] = {25 * GB, 25 * GB, 1.0 * US},
                [ASC_TOPO_LINK_SIO] = {6 * GB, 6 * GB, 2.0 * US},
                [ASC_TOPO_LINK_HCCS] = {6 * GB, 6 * GB, 2.0 * US},
                [ASC_TOPO_LINK_HCCS_SW] = {6 * GB, 6 * GB, 2.0 * US},
                [ASC_TOPO_LINK_PIX] = {6 * GB, 6 * GB, 2.0 * US},
                [ASC_TOPO_LINK_PHB] = {6 * GB, 6 * GB, 2.0 * US},
                [ASC_TOPO_LINK_SYS] = {5 * GB, 5 * GB, 2.5 * US},
                [ASC_TOPO_LINK_UNKNOWN] = {5 * GB, 5 * GB, 2.5 * US},
            },
        [ASC_TOPO_SOC_950] =
            {
                [ASC_TOPO_LINK_SAME] = {750 * GB, 750 * GB, 1.0 * US}, /* local copy [H] */
                [ASC_TOPO_LINK_SIO] = {56 * GB, 56 * GB, 1.5 * US},
                [ASC_TOPO_LINK_HCCS] = {56 * GB, 56 * GB, 1.5 * US}, /* a port [H] */
                [ASC_TOPO_LINK_HCCS_SW] = {56 * GB, 56 * GB, 1.5 * US},
                [ASC_TOPO_LINK_PIX] = {25 * GB, 25 * GB, 2.0 * US}, /* [A] */
                [ASC_TOPO_LINK_PHB] = {25 * GB, 25 * GB, 2.0 * US}, /* [A] */
                [ASC_TOPO_LINK_SYS] = {18 * GB, 18 * GB, 2.5 * US}, /* [A] */
                [ASC_TOPO_LINK_UNKNOWN] = {18 * GB, 18 * GB, 2.5 * US},
            },
};

/* Device to host, host to device. No figure is published for PCIe on A2: [A] is what a
 * gen4 x16 link carries. A3's host hangs on the fabric: 54 and 60 GB/s at 2 MiB [X]. */
static const struct figures host_links[ASC_TOPO_SOC_LAST] = {
    [ASC_TOPO_SOC_910] = {25 * GB, 25 * GB, 2.0 * US},
    [ASC_TOPO_SOC_910B] = {25 * GB, 25 * GB, 2.0 * US},
    [ASC_TOPO_SOC_910_93] = {54 * GB, 60 * GB, 1.5 * US},
    [ASC_TOPO_SOC_310P] = {25 * GB, 25 * GB, 2.0 * US},
    [ASC_TOPO_SOC_310B] = {6 * GB, 6 * GB, 2.0 * US},
    [ASC_TOPO_SOC_950] = {25 * GB, 25 * GB, 2.0 * US},
};

/*
 * Host time per asynchronous copy: 5.7 us on A3, from 16 KiB blocks at 2.874 GB/s [X].
 * On A2 5 us is advised; blocks of 16 KiB at 1.39 to 1.47 GB/s through HCCL, 11 to
 * 12 us each [X], hold more than the submission.
 */
static double submit_cost(enum asc_topo_soc soc)
{
    return soc == ASC_TOPO_SOC_910_93 ? 5.7 * US : 5.0 * US;
}

/* A part nobody knows is taken for the most common one. */
static enum asc_topo_soc known_soc(enum asc_topo_soc soc)
{
    if (((int)soc <= ASC_TOPO_SOC_UNKNOWN) || ((int)soc >= ASC_TOPO_SOC_LAST)) {
        return ASC_TOPO_SOC_910B;
    }
    return soc;
}

static void fill(struct asc_topo_link *link, enum asc_topo_soc soc, enum asc_topo_link_kind kind,
                 const struct figures *f)
{
    link->kind = kind;
    link->get_bandwidth = f->get;
    link->put_bandwidth = f->put;
    link->latency = f->latency;
    link->overhead = submit_cost(soc);
}

void asc_topo_model_link(enum asc_topo_soc soc, enum asc_topo_link_kind kind,
                         struct asc_topo_link *link)
{
    if (((int)kind < 0) || ((int)kind >= ASC_TOPO_LINK_LAST)) {
        kind = ASC_TOPO_LINK_UNKNOWN;
    }
    soc = known_soc(soc);
    fill(link, soc, kind, &links[soc][kind]);
}

void asc_topo_model_host_link(enum asc_topo_soc soc, struct asc_topo_link *link)
{
    soc = known_soc(soc);
    fill(link, soc, soc == ASC_TOPO_SOC_910_93 ? ASC_TOPO_LINK_HCCS_SW : ASC_TOPO_LINK_PHB,
         &host_links[soc]);
}

/* Names seen: Ascend910A, Ascend910ProB, Ascend910B3, Ascend910_9392, Ascend310P3,
 * Ascend310B4, Ascend950PR_xxxx. 'Ascend910B' alone is the first generation's name for
 * a bin of the 910; those of A2 carry a digit. */
enum asc_topo_soc asc_topo_soc_from_name(const char *soc_name)
{
    const char *part;

    if ((soc_name == NULL) || (strncmp(soc_name, "Ascend", 6) != 0)) {
        return ASC_TOPO_SOC_UNKNOWN;
    }

    part = soc_name + 6;
    if (strncmp(part, "910_93", 6) == 0) {
        return ASC_TOPO_SOC_910_93;
    }
    if ((strncmp(part, "910B", 4) == 0) && (part[4] >= '0') && (part[4] <= '9')) {
        return ASC_TOPO_SOC_910B;
    }
    if ((strncmp(part, "910", 3) == 0) && (part[3] != '_')) {
        return ASC_TOPO_SOC_910;
    }
    if (strncmp(part, "310P", 4) == 0) {
        return ASC_TOPO_SOC_310P;
    }
    if (strncmp(part, "310B", 4) == 0) {
        return ASC_TOPO_SOC_310B;
    }
    if (strncmp(part, "950", 3) == 0) {
        return ASC_TOPO_SOC_950;
    }
    return ASC_TOPO_SOC_UNKNOWN;
}

/* The runtime promises one bit a pair; should it ever give more, the best link wins. */
enum asc_topo_link_kind asc_topo_kind_from_bits(uint64_t acl_topo_bits)
{
    static const struct {
        uint64_t bit;
        enum asc_topo_link_kind kind;
    } bits[] = {
        {0x20, ASC_TOPO_LINK_SIO}, {0x01, ASC_TOPO_LINK_HCCS}, {0x40, ASC_TOPO_LINK_HCCS_SW},
        {0x02, ASC_TOPO_LINK_PIX}, {0x04, ASC_TOPO_LINK_PHB}, /* several PCIe bridges: reserved */
        {0x08, ASC_TOPO_LINK_PHB}, {0x10, ASC_TOPO_LINK_SYS},
    };
    size_t i;

    for (i = 0; i < sizeof(bits) / sizeof(bits[0]); ++i) {
        if (acl_topo_bits & bits[i].bit) {
            return bits[i].kind;
        }
    }
    return ASC_TOPO_LINK_UNKNOWN;
}

const char *asc_topo_kind_name(enum asc_topo_link_kind kind)
{
    static const char *const names[ASC_TOPO_LINK_LAST] = {
        [ASC_TOPO_LINK_UNKNOWN] = "UNKNOWN", [ASC_TOPO_LINK_SAME] = "SAME",
        [ASC_TOPO_LINK_SIO] = "SIO",         [ASC_TOPO_LINK_HCCS] = "HCCS",
        [ASC_TOPO_LINK_HCCS_SW] = "HCCS_SW", [ASC_TOPO_LINK_PIX] = "PIX",
        [ASC_TOPO_LINK_PHB] = "PHB",         [ASC_TOPO_LINK_SYS] = "SYS",
    };

    return ((int)kind >= 0) && ((int)kind < ASC_TOPO_LINK_LAST) ? names[kind] : "UNKNOWN";
}
