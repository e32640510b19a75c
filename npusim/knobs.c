/* SPDX-License-Identifier: BSD-3-Clause */
#include "knobs.h"

#include <ctype.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "fault.h"
#include "link.h"
#include "values.h"

#define MIN_HBM     (4ull << 20)
#define MAX_HBM     (1ull << 44)
#define MAX_EXPORT  4096
#define MAX_REDZONE (1u << 20)

struct knobs knobs;

static char detail[400]; /* what exactly is wrong with a value, or empty */

extern char **environ;

/* Parses one value into knobs; false when it makes no sense. */
typedef bool (*knob_fn)(const char *value);

static bool parse_u64(const char *s, uint64_t max, uint64_t *out)
{
    char *end;
    if (!isdigit((unsigned char)*s)) {
        return false;
    }
    *out = strtoull(s, &end, 0);
    return *end == '\0' && *out <= max;
}

static bool parse_bool(const char *s, bool *out)
{
    static const char *const yes[] = {"y", "yes", "1", "on", "true"};
    static const char *const no[] = {"n", "no", "0", "off", "false"};
    for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++) {
        if (strcasecmp(s, yes[i]) == 0 || strcasecmp(s, no[i]) == 0) {
            *out = strcasecmp(s, yes[i]) == 0;
            return true;
        }
    }
    return false;
}

static bool parse_u32(const char *s, uint32_t min, uint32_t max, uint32_t *out)
{
    uint64_t v = 0;
    bool ok = parse_u64(s, max, &v) && v >= min;
    *out = ok ? (uint32_t)v : 0;
    return ok;
}

static bool set_devices(const char *s)
{
    return parse_u32(s, 0, SIM_MAX_DEVICES, &knobs.devices);
}

static bool set_hbm(const char *s)
{
    char *end;
    if (!isdigit((unsigned char)*s)) {
        return false;
    }
    uint64_t v = strtoull(s, &end, 10);
    static const char units[] = "KMGT";
    const char *u = *end != '\0' ? strchr(units, toupper((unsigned char)*end)) : NULL;
    int shift = u != NULL ? 10 * (int)(u - units + 1) : 0;
    knobs.hbm = v << shift;
    return end[u != NULL] == '\0' && v <= MAX_HBM >> shift && knobs.hbm >= MIN_HBM;
}

static bool set_soc(const char *s)
{
    static const struct {
        const char *prefix;
        enum soc_family family;
    } table[] = {
        {"Ascend950", SOC_950},   {"Ascend910_93", SOC_A3}, {"Ascend910B", SOC_A2},
        {"Ascend310B", SOC_310B}, {"Ascend310P", SOC_310P}, {"Ascend910Pro", SOC_910},
        {"Ascend910A", SOC_910},  {"Ascend910", SOC_910},
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        size_t len = strlen(table[i].prefix);
        bool exact = table[i].family == SOC_910 && strcmp(table[i].prefix, "Ascend910") == 0;
        if (strncmp(s, table[i].prefix, len) == 0 && (!exact || s[len] == '\0')) {
            knobs.family = table[i].family;
            snprintf(knobs.soc, sizeof(knobs.soc), "%s", s);
            return strlen(s) < sizeof(knobs.soc);
        }
    }
    return false;
}

static bool set_async(const char *s)
{
    static const char *const names[] = {"eager", "lazy", "random"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(s, names[i]) == 0) {
            knobs.async = (enum async_mode)i;
            return true;
        }
    }
    return false;
}

static bool set_seed(const char *s)
{
    return parse_u64(s, UINT64_MAX, &knobs.seed);
}

static bool set_va_recycle(const char *s)
{
    return parse_bool(s, &knobs.va_recycle);
}

static bool set_suballoc(const char *s)
{
    return parse_bool(s, &knobs.suballoc);
}

static bool set_poison(const char *s)
{
    return parse_bool(s, &knobs.poison);
}

static bool set_pitched_d2d(const char *s)
{
    return parse_bool(s, &knobs.pitched_d2d);
}

static bool set_one_import(const char *s)
{
    return parse_bool(s, &knobs.one_import);
}

static bool set_max_notify(const char *s)
{
    return parse_u32(s, 0, 8192, &knobs.max_notify);
}

static bool set_max_stream(const char *s)
{
    return parse_u32(s, 1, 8192, &knobs.max_stream);
}

static bool set_max_event(const char *s)
{
    return parse_u32(s, 0, 65536, &knobs.max_event);
}

static bool set_max_export(const char *s)
{
    return parse_u32(s, 0, MAX_EXPORT, &knobs.max_export);
}

static bool set_redzone(const char *s)
{
    uint64_t v = 0;
    bool ok = value_scaled(&s, 1024, MAX_REDZONE, &v) && *s == '\0';
    knobs.redzone = (size_t)v;
    return ok;
}

static bool set_leaks(const char *s)
{
    return parse_bool(s, &knobs.leaks);
}

static bool set_tgid_offset(const char *s)
{
    uint64_t v;
    bool ok = parse_u64(s, 100000000, &v);
    knobs.tgid_offset = ok ? (int32_t)v : 0;
    return ok;
}

static bool set_stats(const char *s)
{
    char dir[sizeof(knobs.stats)];

    snprintf(knobs.stats, sizeof(knobs.stats), "%s", s);
    snprintf(dir, sizeof(dir), "%s", s);
    return *s != '\0' && strlen(s) < sizeof(knobs.stats) - 32 && access(dirname(dir), W_OK) == 0;
}

/* "0-3,1-2": these pairs have no access to each other */
static bool peer_pairs(const char *s)
{
    while (*s != '\0') {
        char *end;
        unsigned long a = strtoul(s, &end, 10);
        if (end == s || *end != '-') {
            return false;
        }
        s = end + 1;
        unsigned long b = strtoul(s, &end, 10);
        if (end == s || a >= SIM_MAX_DEVICES || b >= SIM_MAX_DEVICES || a == b) {
            return false;
        }
        knobs.no_peer[a] |= 1ull << b;
        knobs.no_peer[b] |= 1ull << a;
        s = end + (*end == ',');
        if (*end != ',' && *end != '\0') {
            return false;
        }
    }
    return true;
}

/* "011/101/110": row i, column j is 1 where i reaches j */
static bool peer_matrix(const char *s)
{
    size_t row = 0, col = 0, width = strcspn(s, "/");
    for (; *s != '\0'; s++) {
        if (*s == '/' && col == width) {
            row++;
            col = 0;
        } else if ((*s == '0' || *s == '1') && row < SIM_MAX_DEVICES && col < SIM_MAX_DEVICES) {
            if (*s == '0' && row != col) {
                knobs.no_peer[row] |= 1ull << col;
            }
            col++;
        } else {
            return false;
        }
    }
    return col == width && row + 1 == width;
}

static bool set_peer(const char *s)
{
    return strchr(s, '-') != NULL ? peer_pairs(s) : peer_matrix(s);
}

static bool pci_address(const char *s, size_t len, char out[16])
{
    unsigned d, b, v, f;
    char buf[16];
    int used = 0;
    if (len >= sizeof(buf)) {
        return false;
    }
    memcpy(buf, s, len);
    buf[len] = '\0';
    if (sscanf(buf, "%4x:%2x:%2x.%1x%n", &d, &b, &v, &f, &used) != 4 || buf[used] != '\0') {
        return false;
    }
    snprintf(out, 16, "%04x:%02x:%02x.%x", d & 0xffff, b & 0xff, v & 0xff, f & 0xf);
    return true;
}

static bool set_pci(const char *s)
{
    for (size_t i = 0; *s != '\0'; i++) {
        size_t len = strcspn(s, ",");
        if (i >= SIM_MAX_DEVICES || !pci_address(s, len, knobs.pci[i])) {
            return false;
        }
        s += len + (s[len] == ',');
    }
    return true;
}

static bool set_fault(const char *s)
{
    return fault_load(s, detail, sizeof(detail));
}

static bool set_link(const char *s)
{
    return link_load(s, detail, sizeof(detail));
}

static bool set_dir(const char *s)
{
    return *s == '/' && strlen(s) < PATH_MAX - 32;
}

static const struct {
    const char *name;
    knob_fn set;
    const char *want;
} knob_table[] = {
    {"NPUSIM_DEVICES", set_devices, "a number from 0 to 64"},
    {"NPUSIM_HBM", set_hbm, "bytes, 4M or more, with K, M, G or T"},
    {"NPUSIM_SOC", set_soc, "a SoC name such as Ascend910B3, Ascend910_9392, Ascend310P3"},
    {"NPUSIM_ASYNC", set_async, "eager, lazy or random"},
    {"NPUSIM_SEED", set_seed, "a number"},
    {"NPUSIM_VA_RECYCLE", set_va_recycle, "y or n"},
    {"NPUSIM_SUBALLOC", set_suballoc, "y or n"},
    {"NPUSIM_POISON", set_poison, "y or n"},
    {"NPUSIM_ONE_IMPORT", set_one_import, "y or n"},
    {"NPUSIM_PITCHED_D2D", set_pitched_d2d, "y or n"},
    {"NPUSIM_MAX_NOTIFY", set_max_notify, "a number from 0 to 8192"},
    {"NPUSIM_MAX_STREAM", set_max_stream, "a number from 1 to 8192"},
    {"NPUSIM_MAX_EVENT", set_max_event, "a number from 0 to 65536"},
    {"NPUSIM_MAX_EXPORT", set_max_export, "a number from 0 to 4096"},
    {"NPUSIM_REDZONE", set_redzone, "bytes, perhaps with K, up to 1M; 0 for none"},
    {"NPUSIM_LEAKS", set_leaks, "y or n"},
    {"NPUSIM_TGID_OFFSET", set_tgid_offset, "a number from 0 to 100000000"},
    {"NPUSIM_PEER", set_peer, "pairs without access (0-3,1-2) or a square matrix (011/101/110)"},
    {"NPUSIM_PCI", set_pci, "PCI addresses dddd:bb:dd.f separated by commas"},
    {"NPUSIM_FAULT", set_fault, "rules WHAT:WHEN=EFFECT[@RANK] separated by commas"},
    {"NPUSIM_LINK", set_link, "links such as 0-1=25G/10us separated by commas"},
    {"NPUSIM_STATS", set_stats,
     "a file in a directory that can be written to; %p is the process id, %r the MPI rank"},
    {"NPUSIM_DIR", set_dir, "an absolute directory name"},
};

#define KNOBS (sizeof(knob_table) / sizeof(knob_table[0]))

/* A misspelt knob would silently test nothing, so names are checked too. */
static bool names_known(char *why, size_t why_len)
{
    for (char **e = environ; *e != NULL; e++) {
        if (strncmp(*e, "NPUSIM_", 7) != 0) {
            continue;
        }
        size_t len = strcspn(*e, "="), i = 0;
        while (i < KNOBS &&
               (strlen(knob_table[i].name) != len || memcmp(knob_table[i].name, *e, len) != 0)) {
            i++;
        }
        if (i == KNOBS) {
            snprintf(why, why_len, "npusim has no variable %.*s; npusim.md in %s/docs lists them",
                     (int)len, *e, NPUSIM_DOCDIR);
            return false;
        }
    }
    return true;
}

/* As the driver does: a list of physical ids, each once. */
static bool visible_load(char *why, size_t why_len)
{
    const char *s = getenv("ASCEND_RT_VISIBLE_DEVICES");
    knobs.visible_count = 0;
    if (s == NULL) {
        for (uint32_t i = 0; i < knobs.devices; i++) {
            knobs.visible[knobs.visible_count++] = (int32_t)i;
        }
        return true;
    }
    uint64_t seen = 0;
    for (const char *p = s; *p != '\0';) {
        char *end;
        unsigned long id = strtoul(p, &end, 10);
        if (!isdigit((unsigned char)*p) || (*end != ',' && *end != '\0') || id >= knobs.devices ||
            (seen >> id & 1)) {
            snprintf(why, why_len,
                     "ASCEND_RT_VISIBLE_DEVICES='%s' must list ids below %u, each once", s,
                     knobs.devices);
            return false;
        }
        seen |= 1ull << id;
        knobs.visible[knobs.visible_count++] = (int32_t)id;
        p = end + (*end == ',');
    }
    return true;
}

/* What a device has of each, as published for its family. A process cannot
 * have more than 8192 notifies here. */
static void limits_load(void)
{
    static const struct {
        uint32_t notify, stream;
    } limits[] = {
        [SOC_950] = {8192, 1984}, [SOC_A3] = {8192, 1984},   [SOC_A2] = {8192, 1984},
        [SOC_310B] = {2048, 512}, [SOC_310P] = {1024, 1024}, [SOC_910] = {1024, 2048},
    };
    if (getenv("NPUSIM_MAX_STREAM") == NULL) {
        knobs.max_stream = limits[knobs.family].stream;
    }
    if (getenv("NPUSIM_MAX_NOTIFY") == NULL) {
        knobs.max_notify = limits[knobs.family].notify;
    }
}

bool knobs_load(char *why, size_t why_len)
{
    memset(&knobs, 0, sizeof(knobs));
    fault_load(NULL, NULL, 0);
    link_load(NULL, NULL, 0);
    detail[0] = '\0';
    knobs.devices = 8;
    knobs.hbm = 16ull << 30;
    knobs.seed = 1;
    knobs.max_event = UINT32_MAX;
    knobs.max_export = MAX_EXPORT;
    set_soc("Ascend910B3");
    if (!names_known(why, why_len)) {
        return false;
    }
    for (size_t i = 0; i < KNOBS; i++) {
        const char *value = getenv(knob_table[i].name);
        if (value != NULL && !knob_table[i].set(value)) {
            snprintf(why, why_len, "%s='%.200s' is not valid: %s%s", knob_table[i].name, value,
                     detail[0] != '\0' ? "" : "use ",
                     detail[0] != '\0' ? detail : knob_table[i].want);
            return false;
        }
    }
    limits_load();
    return visible_load(why, why_len);
}

int knobs_phys(int64_t user)
{
    return user >= 0 && user < knobs.visible_count ? knobs.visible[user] : -1;
}

int knobs_user(int phys)
{
    for (uint32_t i = 0; i < knobs.visible_count; i++) {
        if (knobs.visible[i] == phys) {
            return (int)i;
        }
    }
    return -1;
}
