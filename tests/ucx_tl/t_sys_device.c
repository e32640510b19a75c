/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protects: UCX is told the system device, by PCI address, of the NPU that the
 * process has chosen (both transports) and of the NPU on which a buffer lies.
 * run.tab gives the software NPUs their addresses.
 */
#include "t_ucx.h"

#include <ucs/sys/topo/base/topo.h>
#include <uct/api/uct.h>

static ucs_sys_device_t t_at_bus(uint8_t bus)
{
    ucs_sys_bus_id_t bus_id = {.bus = bus};
    ucs_sys_device_t device = UCS_SYS_DEVICE_ID_UNKNOWN;

    T_UCX(ucs_topo_find_device_by_bus_id(&bus_id, &device));
    return device;
}

static uct_md_h t_open_md(const char *name)
{
    uct_component_h *components;
    uct_md_config_t *config;
    uct_md_h md = NULL;
    unsigned count;

    T_UCX(uct_query_components(&components, &count));
    for (unsigned i = 0; i < count; ++i) {
        uct_component_attr_t attr = {.field_mask = UCT_COMPONENT_ATTR_FIELD_NAME};

        T_UCX(uct_component_query(components[i], &attr));
        if (!strcmp(attr.name, name)) {
            T_UCX(uct_md_config_read(components[i], NULL, NULL, &config));
            T_UCX(uct_md_open(components[i], name, config, &md));
            uct_config_release(config);
        }
    }
    uct_release_component_list(components);
    T_CHECK(md != NULL, "no component %s", name);
    return md;
}

static void t_check_transport(const char *md_name, ucs_sys_device_t want)
{
    uct_md_h md = t_open_md(md_name);
    uct_tl_resource_desc_t *resources;
    unsigned count;

    T_UCX(uct_md_query_tl_resources(md, &resources, &count));
    T_CHECK(count > 0, "%s has no transport", md_name);
    for (unsigned i = 0; i < count; ++i) {
        T_CHECK(resources[i].sys_device == want, "%s/%s: system device %d, not %d",
                resources[i].tl_name, resources[i].dev_name, resources[i].sys_device, want);
    }
    uct_release_tl_resource_list(resources);
    uct_md_close(md);
}

static void t_check_memory(uct_md_h md, int device, ucs_sys_device_t want)
{
    uct_md_mem_attr_t attr = {
        .field_mask = UCT_MD_MEM_ATTR_FIELD_SYS_DEV | UCT_MD_MEM_ATTR_FIELD_MEM_TYPE |
                      UCT_MD_MEM_ATTR_FIELD_BASE_ADDRESS | UCT_MD_MEM_ATTR_FIELD_ALLOC_LENGTH};
    char *buf;

    T_ACL(aclrtSetDevice(device));
    buf = t_alloc(T_DEVICE, 65536);
    T_UCX(uct_md_mem_query(md, buf + 100, 1000, &attr));
    T_CHECK(attr.sys_dev == want, "memory of NPU %d: system device %d, not %d", device,
            attr.sys_dev, want);
    T_CHECK(attr.mem_type == UCS_MEMORY_TYPE_ROCM, "memory type %d", attr.mem_type);
    T_CHECK(attr.base_address == buf && attr.alloc_length >= 65536, "allocation %p, %zu bytes",
            attr.base_address, attr.alloc_length);
    t_free(T_DEVICE, buf);

    T_CHECK(uct_md_mem_query(md, &attr, sizeof(attr), &attr) != UCS_OK, "the stack is ours?");
}

static void t_sys_device(t_ctx_t *t)
{
    ucs_sys_device_t first, second;
    uct_md_h md;

    if (t_no_sim()) {
        t_skip("the addresses are those of the software NPU");
    }

    t_load_module();
    t_acl_open(t);
    first = t_at_bus(0xc1);
    second = t_at_bus(0xc2);
    t_check_transport("ascend_copy", first);
    t_check_transport("ascend_ipc", first);

    md = t_open_md("ascend_copy");
    t_check_memory(md, 0, first);
    t_check_memory(md, 1, second);
    uct_md_close(md);
}

int main(int argc, char **argv)
{
    return t_single(argc, argv, t_sys_device);
}
