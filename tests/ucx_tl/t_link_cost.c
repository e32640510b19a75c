/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Part of t_links.sh: prints what UCX is told of copies between devices, as
 * "bandwidth MBps latency us overhead us", by a process that uses device 0.
 */
#include "t_ucx.h"

#include <ucs/async/async_fwd.h>
#include <uct/api/uct.h>

static uct_md_h t_open_md(void)
{
    uct_component_h *components;
    uct_md_config_t *config;
    uct_md_h md = NULL;
    unsigned count;

    T_UCX(uct_query_components(&components, &count));
    for (unsigned i = 0; i < count; ++i) {
        uct_component_attr_t attr = {.field_mask = UCT_COMPONENT_ATTR_FIELD_NAME};

        T_UCX(uct_component_query(components[i], &attr));
        if (!strcmp(attr.name, "ascend_ipc")) {
            T_UCX(uct_md_config_read(components[i], NULL, NULL, &config));
            T_UCX(uct_md_open(components[i], "ascend_ipc", config, &md));
            uct_config_release(config);
        }
    }
    uct_release_component_list(components);
    T_CHECK(md != NULL, "no component ascend_ipc");
    return md;
}

static void t_link_cost(t_ctx_t *t)
{
    uct_iface_params_t params = {.field_mask =
                                     UCT_IFACE_PARAM_FIELD_OPEN_MODE | UCT_IFACE_PARAM_FIELD_DEVICE,
                                 .open_mode = UCT_IFACE_OPEN_MODE_DEVICE,
                                 .mode.device = {.tl_name = "asc_ipc", .dev_name = "ascend"}};
    ucs_async_context_t *async;
    uct_iface_config_t *config;
    uct_iface_attr_t attr;
    uct_worker_h worker;
    uct_iface_h iface;
    uct_md_h md;

    t_load_module();
    t_acl_open(t);
    md = t_open_md();
    T_UCX(ucs_async_context_create(UCS_ASYNC_MODE_THREAD_SPINLOCK, &async));
    T_UCX(uct_worker_create(async, UCS_THREAD_MODE_SINGLE, &worker));
    T_UCX(uct_md_iface_config_read(md, "asc_ipc", NULL, NULL, &config));
    T_UCX(uct_iface_open(md, worker, &params, config, &iface));
    T_UCX(uct_iface_query(iface, &attr));
    printf("bandwidth %.0f latency %.2f overhead %.2f\n", attr.bandwidth.dedicated / (1 << 20),
           attr.latency.c * 1e6, attr.overhead * 1e6);
    uct_iface_close(iface);
    uct_config_release(config);
    uct_worker_destroy(worker);
    ucs_async_context_destroy(async);
    uct_md_close(md);
}

int main(int argc, char **argv)
{
    return t_single(argc, argv, t_link_cost);
}
