/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loads the module beside libuct alone, as no UCP program would, and prints the
 * names of the components that have memory domains. For t_version.sh and
 * t_rocm.sh.
 *
 * usage: t_components [rocm N]   a component of AMD's name with N domains
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <uct/base/uct_md.h>
#include <ucs/debug/memtrack_int.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned t_num_rocm;

static ucs_status_t t_rocm_query(uct_component_t *component, uct_md_resource_desc_t **resources_p,
                                 unsigned *num_resources_p)
{
    if (t_num_rocm == 0) {
        return uct_md_query_empty_md_resource(resources_p, num_resources_p);
    }
    return uct_md_query_single_md_resource(component, resources_p, num_resources_p);
}

static uct_component_t t_rocm_component = {
    .query_md_resources = t_rocm_query,
    .name = "rocm_cpy",
    .md_config = {.name = "rocm", .table = uct_md_config_table, .size = sizeof(uct_md_config_t)},
    .cm_config = UCS_CONFIG_EMPTY_GLOBAL_LIST_ENTRY,
    .tl_list = UCT_COMPONENT_TL_LIST_INITIALIZER(&t_rocm_component)};

int main(int argc, char **argv)
{
    uct_component_attr_t attr;
    uct_component_h *components;
    unsigned i, count;

    alarm(30);
    if (argc == 3 && !strcmp(argv[1], "rocm")) {
        t_num_rocm = atoi(argv[2]);
        uct_component_register(&t_rocm_component);
    }
    if (dlopen(getenv("ASC_UCX_MODULE"), RTLD_NOW) == NULL) {
        fprintf(stderr, "FAIL: %s\n", dlerror());
        return 1;
    }

    if (uct_query_components(&components, &count) != UCS_OK) {
        return 1;
    }
    for (i = 0; i < count; ++i) {
        attr.field_mask =
            UCT_COMPONENT_ATTR_FIELD_NAME | UCT_COMPONENT_ATTR_FIELD_MD_RESOURCE_COUNT;
        if (uct_component_query(components[i], &attr) == UCS_OK && attr.md_resource_count > 0) {
            printf("component %s\n", attr.name);
        }
    }
    uct_release_component_list(components);
    return 0;
}
