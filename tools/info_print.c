/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/info.h"

#include <stdio.h>
#include <stdlib.h>
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

static bool info_has_problem(const info_rank_t *info, const info_problem_t *problem)
{
    for (int i = 0; i < info->num_problems; ++i) {
        if (strcmp(info->problems[i].id, problem->id) == 0 &&
            strcmp(info->problems[i].text, problem->text) == 0) {
            return true;
        }
    }
    return false;
}

/* Prints "rank 3" or "ranks 0-3,5". */
static void info_print_ranks(const bool *among, int size)
{
    int count = 0, printed = 0;

    for (int r = 0; r < size; ++r) {
        count += among[r];
    }
    printf(count > 1 ? "ranks " : "rank ");
    for (int r = 0; r < size; ++r) {
        bool begins = among[r] && (r == 0 || !among[r - 1]);
        bool ends = among[r] && (r + 1 == size || !among[r + 1]);

        if (begins) {
            printf("%s%d", printed++ > 0 ? "," : "", r);
        } else if (ends) {
            printf("-%d", r);
        }
    }
}

static void info_write_facts(FILE *out, const info_rank_t *info)
{
    fprintf(out, "  ACL library     %s\n", info_or(info->acl_path, "none"));
    if (info->device >= 0) {
        fprintf(out, "  devices         %d, device %d (%s) is used\n", info->devices, info->device,
                info_or(info->soc, "unknown"));
        fprintf(out, "  locality        PCI %s, NUMA node %d, CPUs %s%s%s\n",
                info_or(info->pci, "unknown"), info->numa_node, info_or(info->cpuset, "unknown"),
                info->locality_why[0] != '\0' ? ": " : "", info->locality_why);
    } else {
        fprintf(out, "  devices         %d, none is used\n", info->devices);
    }
    fprintf(out, "  UCX             %s running, %s built for\n", info->ucx_running,
            info->ucx_built);
    fprintf(out, "  Open MPI        %s running, %s built for, pml %s\n",
            info_or(info->ompi_running, "not"), info->ompi_built, info_or(info->pml, "not chosen"));
    fprintf(out, "  modules         hook %s, coll %s, UCX module %s\n", info_yes(info->module_hook),
            info_yes(info->module_coll), info_yes(info->module_uct));
    fprintf(out, "  transports      asc_copy %s, asc_ipc %s\n", info_yes(info->uct_copy),
            info_yes(info->uct_ipc));
    if (info->link_ready) {
        fprintf(out, "  allocations     seen by %s: %s\n", info->hook_mode, info->hook_why);
        fprintf(out, "  keys travel by  %s\n", info->oob);
    }
}

/* What there is to tell of a rank; to be freed, NULL without memory. */
static char *info_facts(const info_rank_t *info)
{
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);

    if (out != NULL) {
        info_write_facts(out, info);
        fclose(out);
    }
    return text;
}

/* Ranks of one host of which there is nothing different to tell share a block: on
 * a machine without an NPU that is all of them. */
static void info_print_rank_blocks(const info_rank_t *ranks, int size, bool *among)
{
    for (int r = 0; r < size; ++r) {
        char *facts = info_facts(&ranks[r]);
        bool told = false;

        for (int k = 0; k < size; ++k) {
            char *other = info_facts(&ranks[k]);

            among[k] = k == r || (facts != NULL && other != NULL && strcmp(facts, other) == 0 &&
                                  strcmp(ranks[k].host, ranks[r].host) == 0);
            told |= k < r && among[k];
            free(other);
        }
        if (!told) {
            info_print_ranks(among, size);
            printf(": host %s pid", ranks[r].host);
            for (int k = r; k < size; ++k) {
                if (among[k]) {
                    printf(" %d", ranks[k].pid);
                }
            }
            printf("\n%s", facts != NULL ? facts : "  (no memory to tell more)\n");
        }
        free(facts);
    }
}

/* Each problem once, with the ranks that have it. */
static void info_print_problems(const info_rank_t *ranks, int size, bool *among)
{
    for (int r = 0; r < size; ++r) {
        for (int i = 0; i < ranks[r].num_problems; ++i) {
            const info_problem_t *problem = &ranks[r].problems[i];
            bool told = false;

            for (int k = 0; k < size; ++k) {
                among[k] = info_has_problem(&ranks[k], problem);
                told |= k < r && among[k];
            }
            if (!told) {
                printf("problem [%s], ", problem->id);
                info_print_ranks(among, size);
                printf(": %s\n  remedy: %s\n", problem->text, problem->remedy);
            }
        }
    }
}

static bool info_same_refusal(const info_pair_t *a, const info_pair_t *b)
{
    return a->owner != a->importer && b->owner != b->importer && a->step == b->step &&
           strcmp(a->reason, b->reason) == 0;
}

/* So many pairs of one reason are named in the text. */
#define INFO_PAIRS_NAMED 6

static void info_print_refused(const info_pair_t *pairs, int count, int first)
{
    int named = 0, more = 0;

    for (int p = first; p < count; ++p) {
        if (!info_same_refusal(&pairs[p], &pairs[first])) {
            continue;
        }
        if (named == INFO_PAIRS_NAMED) {
            more++;
            continue;
        }
        printf("%s%d reads %d", named++ > 0 ? ", " : "  ", pairs[p].importer, pairs[p].owner);
        if (pairs[p].step != INFO_STEP_SKIPPED) {
            printf(" over %s", pairs[p].link);
        }
    }
    if (more > 0) {
        printf(" and %d more (--json names them)", more);
    }
    printf(": asc_ipc not usable, %s: %s\n    remedy: %s\n", info_step_name(pairs[first].step),
           pairs[first].reason, info_pair_remedy(&pairs[first]));
}

static void info_print_pairs(const info_pair_t *pairs, int count)
{
    printf("pairs\n");
    for (int p = 0; p < count; ++p) {
        bool told = pairs[p].owner == pairs[p].importer;

        for (int before = 0; before < p && !told && !info_pair_usable(&pairs[p]); ++before) {
            told = info_same_refusal(&pairs[before], &pairs[p]);
        }
        if (told) {
            continue;
        }
        if (info_pair_usable(&pairs[p])) {
            printf("  %d reads %d over %s: asc_ipc works (export, import, copy, notify tried)\n",
                   pairs[p].importer, pairs[p].owner, pairs[p].link);
        } else {
            info_print_refused(pairs, count, p);
        }
    }
}

bool info_print_text(const info_rank_t *ranks, const info_pair_t *pairs, int size)
{
    bool usable = info_all_usable(ranks, pairs, size);
    bool *among = calloc((size_t)size, sizeof(*among));

    if (among == NULL) {
        fprintf(stderr, "ascend_info: out of host memory for %d ranks\n", size);
        return false;
    }
    info_print_rank_blocks(ranks, size, among);
    info_print_problems(ranks, size, among);
    free(among);
    info_print_pairs(pairs, size * size);
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
    info_json_field("allocations_seen_how", info->hook_why, ",");
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
    printf("ASCEND_UCX_MODULE\tthe installed one\tUCX module that Open MPI loads before UCX "
           "starts\n"
           "ASCEND_HELP_DIR\tthe installed one\tdirectory of the messages' texts\n");
}
