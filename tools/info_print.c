/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/info.h"

#include <stdio.h>
#include <string.h>

static bool info_all_usable(const info_rank_t *ranks, const info_pair_t *pairs, int size)
{
    for (int r = 0; r < size; ++r) {
        if (ranks[r].num_problems > 0) {
            return false;
        }
    }
    for (int p = 0; p < size * size; ++p) {
        if (pairs[p].owner != pairs[p].importer && !info_pair_usable(&pairs[p])) {
            return false;
        }
    }
    return true;
}

static const char *info_or(const char *text, const char *otherwise)
{
    return text[0] != '\0' ? text : otherwise;
}

/* ---- text -------------------------------------------------------------- */

static const char *info_yes(bool value)
{
    return value ? "yes" : "no";
}

static void info_print_rank(const info_rank_t *info)
{
    printf("rank %d: host %s pid %d\n", info->rank, info->host, info->pid);
    printf("  ACL library     %s\n", info_or(info->acl_path, "none"));
    printf("  devices         %d, this rank uses %d (%s)\n", info->devices, info->device,
           info_or(info->soc, "unknown"));
    printf("  locality        PCI %s, NUMA node %d, CPUs %s%s%s\n", info_or(info->pci, "unknown"),
           info->numa_node, info_or(info->cpuset, "unknown"),
           info->locality_why[0] != '\0' ? ": " : "", info->locality_why);
    printf("  UCX             %s running, %s built for\n", info->ucx_running, info->ucx_built);
    printf("  Open MPI        %s running, %s built for, pml %s\n",
           info_or(info->ompi_running, "not"), info->ompi_built, info_or(info->pml, "not chosen"));
    printf("  modules         hook %s, coll %s, UCX module %s\n", info_yes(info->module_hook),
           info_yes(info->module_coll), info_yes(info->module_uct));
    printf("  transports      asc_copy %s, asc_ipc %s\n", info_yes(info->uct_copy),
           info_yes(info->uct_ipc));
    printf("  allocations     seen by %s: %s\n", info->hook_mode, info->hook_why);
    printf("  keys travel by  %s\n", info->oob);
    for (int i = 0; i < info->num_problems; ++i) {
        printf("  problem [%s]: %s\n    remedy: %s\n", info->problems[i].id, info->problems[i].text,
               info->problems[i].remedy);
    }
}

static void info_print_pair(const info_pair_t *pair)
{
    printf("  %d reads %d over %s: ", pair->importer, pair->owner, pair->link);
    if (info_pair_usable(pair)) {
        printf("asc_ipc works (export, import, copy, notify tried)\n");
        return;
    }
    printf("asc_ipc not usable, %s: %s\n    remedy: %s\n", info_step_name(pair->step), pair->reason,
           info_pair_remedy(pair));
}

bool info_print_text(const info_rank_t *ranks, const info_pair_t *pairs, int size)
{
    bool usable = info_all_usable(ranks, pairs, size);

    for (int r = 0; r < size; ++r) {
        info_print_rank(&ranks[r]);
    }
    printf("pairs\n");
    for (int p = 0; p < size * size; ++p) {
        if (pairs[p].owner != pairs[p].importer) {
            info_print_pair(&pairs[p]);
        }
    }
    printf("verdict: %s\n", usable ? "Ascend memory is used directly between all ranks"
                                   : "not everything is used, see the problems and pairs above");
    return usable;
}

/* ---- JSON -------------------------------------------------------------- */

static void info_json_text(const char *text)
{
    putchar('"');
    for (; *text != '\0'; ++text) {
        unsigned char c = (unsigned char)*text;

        if (c == '"' || c == '\\') {
            printf("\\%c", c);
        } else if (c < 0x20) {
            printf("\\u%04x", c);
        } else {
            putchar(c);
        }
    }
    putchar('"');
}

static void info_json_field(const char *name, const char *value, const char *after)
{
    printf("\"%s\":", name);
    info_json_text(value);
    printf("%s", after);
}

static void info_json_bool(const char *name, bool value, const char *after)
{
    printf("\"%s\":%s%s", name, value ? "true" : "false", after);
}

static void info_json_rank(const info_rank_t *info)
{
    printf("{\"rank\":%d,\"pid\":%d,", info->rank, info->pid);
    info_json_field("host", info->host, ",");
    info_json_field("acl_library", info->acl_path, ",");
    printf("\"devices\":%d,\"device\":%d,\"numa_node\":%d,", info->devices, info->device,
           info->numa_node);
    info_json_field("soc", info->soc, ",");
    info_json_field("pci", info->pci, ",");
    info_json_field("cpuset", info->cpuset, ",");
    info_json_field("locality_unknown_because", info->locality_why, ",");
    info_json_field("ucx_running", info->ucx_running, ",");
    info_json_field("ucx_built_for", info->ucx_built, ",");
    info_json_field("ompi_running", info->ompi_running, ",");
    info_json_field("ompi_built_for", info->ompi_built, ",");
    info_json_field("pml", info->pml, ",");
    info_json_bool("module_hook", info->module_hook, ",");
    info_json_bool("module_coll", info->module_coll, ",");
    info_json_bool("module_uct", info->module_uct, ",");
    info_json_bool("asc_copy", info->uct_copy, ",");
    info_json_bool("asc_ipc", info->uct_ipc, ",");
    info_json_field("allocations_seen_by", info->hook_mode, ",");
    info_json_field("oob", info->oob, ",");
    printf("\"problems\":[");
    for (int i = 0; i < info->num_problems; ++i) {
        printf("%s{", i > 0 ? "," : "");
        info_json_field("id", info->problems[i].id, ",");
        info_json_field("text", info->problems[i].text, ",");
        info_json_field("remedy", info->problems[i].remedy, "}");
    }
    printf("]}");
}

static void info_json_pair(const info_pair_t *pair)
{
    printf("{\"importer\":%d,\"owner\":%d,", pair->importer, pair->owner);
    info_json_field("link", pair->link, ",");
    info_json_bool("usable", info_pair_usable(pair), ",");
    info_json_field("step", info_step_name(pair->step), ",");
    info_json_field("reason", pair->reason, ",");
    info_json_field("remedy", info_pair_remedy(pair), "}");
}

bool info_print_json(const info_rank_t *ranks, const info_pair_t *pairs, int size)
{
    bool usable = info_all_usable(ranks, pairs, size);
    bool first = true;

    printf("{\"usable\":%s,\"ranks\":[", usable ? "true" : "false");
    for (int r = 0; r < size; ++r) {
        printf("%s", r > 0 ? "," : "");
        info_json_rank(&ranks[r]);
    }
    printf("],\"pairs\":[");
    for (int p = 0; p < size * size; ++p) {
        if (pairs[p].owner != pairs[p].importer) {
            printf("%s", first ? "" : ",");
            info_json_pair(&pairs[p]);
            first = false;
        }
    }
    printf("]}\n");
    return usable;
}

void info_print_env(void)
{
    const asc_link_env_t *env = asc_link_env_table();

    for (; env->name != NULL; ++env) {
        printf("%s\t%s\t%s\n", env->name, env->defval, env->help);
    }
}
