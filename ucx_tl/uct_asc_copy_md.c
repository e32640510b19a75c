/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory domain ascend_copy: tells UCX which memory is on an NPU, allocates
 * there, and gives UCX access to it through the transport asc_copy.
 */
#include "asc_base.h"

#include <ucs/debug/log.h>
#include <ucs/debug/memtrack_int.h>
#include <ucs/sys/string.h>
#include <ucs/sys/sys.h>

#include <limits.h>

typedef struct uct_asc_copy_md {
    uct_md_t super;
} uct_asc_copy_md_t;

/* Copies inside the process need no registration; UCX wants a handle that is
 * not NULL. */
static char uct_asc_copy_memh;

static ucs_config_field_t uct_asc_copy_md_config_table[] = {
    {"", "", NULL, 0, UCS_CONFIG_TYPE_TABLE(uct_md_config_table)},

    {.name = NULL}};

static ucs_status_t uct_asc_copy_md_query(uct_md_h md, uct_asc_md_attr_t *attr)
{
    static const uct_asc_md_caps_t caps = {.flags = UCT_MD_FLAG_REG | UCT_MD_FLAG_ALLOC,
                                           .reg_mem_types = UCS_BIT(UCS_MEMORY_TYPE_HOST) |
                                                            UCS_BIT(UCT_ASC_MEM_TYPE),
                                           .alloc_mem_types = UCS_BIT(UCT_ASC_MEM_TYPE),
                                           .access_mem_types = UCT_ASC_COPY_ACCESS_MEM_TYPES,
                                           .detect_mem_types = UCS_BIT(UCT_ASC_MEM_TYPE),
                                           .max_alloc = SIZE_MAX};

    (void)md;
    uct_asc_md_attr_fill(attr, &caps);
    return UCS_OK;
}

static ucs_status_t uct_asc_copy_mem_reg(uct_md_h md, void *address, size_t length,
                                         uct_asc_mem_reg_arg_t arg, uct_mem_h *memh_p)
{
    (void)md;
    (void)address;
    (void)length;
    (void)arg;
    *memh_p = &uct_asc_copy_memh;
    return UCS_OK;
}

static ucs_status_t uct_asc_copy_mem_dereg(uct_md_h md, const uct_md_mem_dereg_params_t *params)
{
    (void)md;
    UCT_MD_MEM_DEREG_CHECK_PARAMS(params, 0);
    return UCS_OK;
}

static ucs_status_t uct_asc_copy_mem_alloc(uct_md_h md, size_t *length_p, void **address_p,
                                           ucs_memory_type_t mem_type,
                                           UCT_ASC_MEM_ALLOC_DEV_ARG unsigned flags,
                                           const char *alloc_name, uct_mem_h *memh_p)
{
    asc_status_t status;

    (void)md;
    (void)alloc_name;
    if ((mem_type != UCT_ASC_MEM_TYPE) || (flags & UCT_MD_MEM_FLAG_FIXED)) {
        return UCS_ERR_UNSUPPORTED;
    }

    status = asc_link_mem_alloc(*length_p, address_p);
    if (status != ASC_OK) {
        ucs_log(uct_md_reg_log_lvl(flags), "failed to allocate %zu bytes of device memory: %s",
                *length_p, asc_status_text(status));
        return uct_asc_status(status);
    }

    *memh_p = *address_p;
    return UCS_OK;
}

static ucs_status_t uct_asc_copy_mem_free(uct_md_h md, uct_mem_h memh)
{
    (void)md;
    return uct_asc_status(asc_link_mem_free(memh));
}

static ucs_status_t uct_asc_copy_mem_query(uct_md_h md, const void *address, size_t length,
                                           uct_asc_mem_attr_t *attr)
{
    asc_link_mem_kind_t kind;
    asc_link_mem_t mem;

    (void)md;
    kind = asc_link_mem_query(address, length, &mem);
    if ((kind == ASC_LINK_MEM_BAD) && (length > 0)) {
        /* "Not mine" would make it host memory, and this is the last moment
         * before a message is half sent. */
        uct_asc_bad_memory(address, length, "send or receive buffer");
    }
    if (kind != ASC_LINK_MEM_DEVICE) {
        return UCS_ERR_INVALID_ADDR;
    }

    if (attr->field_mask & UCT_ASC_MEM_ATTR_FIELD(MEM_TYPE)) {
        attr->mem_type = UCT_ASC_MEM_TYPE;
    }
    if (attr->field_mask & UCT_ASC_MEM_ATTR_FIELD(SYS_DEV)) {
        attr->sys_dev = uct_asc_sys_device(mem.device);
    }
    if (attr->field_mask & UCT_ASC_MEM_ATTR_FIELD(BASE_ADDRESS)) {
        attr->base_address = mem.base;
    }
    if (attr->field_mask & UCT_ASC_MEM_ATTR_FIELD(ALLOC_LENGTH)) {
        attr->alloc_length = mem.size;
    }
    return UCS_OK;
}

static ucs_status_t uct_asc_copy_detect_memory_type(uct_md_h md, const void *address, size_t length,
                                                    ucs_memory_type_t *mem_type_p)
{
    (void)md;
    if (asc_link_mem_query(address, length, NULL) == ASC_LINK_MEM_HOST) {
        return UCS_ERR_INVALID_ADDR;
    }

    *mem_type_p = UCT_ASC_MEM_TYPE;
    return UCS_OK;
}

static ucs_status_t
uct_asc_copy_mkey_pack(uct_md_h md, uct_mem_h memh,
                       UCT_ASC_MKEY_PACK_RANGE_ARGS const uct_md_mkey_pack_params_t *params,
                       void *rkey_buffer)
{
    (void)md;
    (void)memh;
    (void)params;
    (void)rkey_buffer;
    return UCS_OK;
}

static ucs_status_t uct_asc_copy_rkey_unpack(uct_component_t *component, const void *rkey_buffer,
                                             UCT_ASC_RKEY_UNPACK_MORE_ARG uct_rkey_t *rkey_p,
                                             void **handle_p)
{
    (void)component;
    (void)rkey_buffer;
    *rkey_p = (uct_rkey_t)&uct_asc_copy_memh;
    *handle_p = NULL;
    return UCS_OK;
}

static ucs_status_t uct_asc_copy_rkey_release(uct_component_t *component, uct_rkey_t rkey,
                                              void *handle)
{
    (void)component;
    (void)rkey;
    (void)handle;
    return UCS_OK;
}

static void uct_asc_copy_md_close(uct_md_h md)
{
    ucs_free(ucs_derived_of(md, uct_asc_copy_md_t));
}

static uct_md_ops_t uct_asc_copy_md_ops = {.close = uct_asc_copy_md_close,
                                           .query = uct_asc_copy_md_query,
                                           .mem_alloc = uct_asc_copy_mem_alloc,
                                           .mem_free = uct_asc_copy_mem_free,
                                           .mem_advise =
                                               UCT_ASC_NO_METHOD(uct_md_mem_advise_func_t),
                                           .mem_reg = uct_asc_copy_mem_reg,
                                           .mem_dereg = uct_asc_copy_mem_dereg,
                                           .mem_query = uct_asc_copy_mem_query,
                                           .mkey_pack = uct_asc_copy_mkey_pack,
                                           .detect_memory_type = uct_asc_copy_detect_memory_type,
                                           UCT_ASC_MD_OPS_MORE};

static ucs_status_t uct_asc_copy_md_open(uct_component_t *component, const char *md_name,
                                         const uct_md_config_t *config, uct_md_h *md_p)
{
    uct_asc_copy_md_t *md;

    (void)md_name;
    (void)config;
    uct_asc_check_tls();

    md = ucs_malloc(sizeof(*md), "uct_asc_copy_md");
    if (md == NULL) {
        return UCS_ERR_NO_MEMORY;
    }

    md->super.ops = &uct_asc_copy_md_ops;
    md->super.component = component;
    *md_p = &md->super;
    return UCS_OK;
}

static void uct_asc_copy_md_vfs_init(uct_md_h md)
{
    (void)md;
}

uct_component_t uct_asc_copy_component = {
    .query_md_resources = uct_asc_query_md_resources,
    .md_open = uct_asc_copy_md_open,
    .cm_open = UCT_ASC_NO_METHOD(uct_component_cm_open_func_t),
    .rkey_unpack = uct_asc_copy_rkey_unpack,
    .rkey_ptr = UCT_ASC_NO_METHOD(uct_component_rkey_ptr_func_t),
    .rkey_release = uct_asc_copy_rkey_release,
    .name = "ascend_copy",
    .md_config = {.name = "Ascend-copy memory domain",
                  .prefix = "ASC_COPY_",
                  .table = uct_asc_copy_md_config_table,
                  .size = sizeof(uct_md_config_t)},
    .cm_config = UCS_CONFIG_EMPTY_GLOBAL_LIST_ENTRY,
    .tl_list = UCT_COMPONENT_TL_LIST_INITIALIZER(&uct_asc_copy_component),
    .flags = 0,
    .md_vfs_init = uct_asc_copy_md_vfs_init,
    UCT_ASC_COMPONENT_MORE};
