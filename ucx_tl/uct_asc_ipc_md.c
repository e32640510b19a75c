/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory domain ascend_ipc: device memory that another process on the node may
 * read and write. Keys and caches are those of link/.
 */
#include "uct_asc_ipc.h"

#include <ucs/debug/log.h>
#include <ucs/debug/memtrack_int.h>
#include <ucs/sys/string.h>
#include <ucs/sys/sys.h>

#include <limits.h>

typedef struct uct_asc_ipc_md_config {
    uct_md_config_t super;
    int enable;
    int enable_host;
} uct_asc_ipc_md_config_t;

/* A key that was handed out; an export made for one use ends with it. */
typedef struct uct_asc_ipc_key {
    ucs_list_link_t list;
    uint8_t rkey[ASC_LINK_RKEY_SIZE];
} uct_asc_ipc_key_t;

typedef struct uct_asc_ipc_memh {
    void *address;
    size_t length;
    ucs_list_link_t keys;
} uct_asc_ipc_memh_t;

static ucs_config_field_t uct_asc_ipc_md_config_table[] = {
    {"", "", NULL, ucs_offsetof(uct_asc_ipc_md_config_t, super),
     UCS_CONFIG_TYPE_TABLE(uct_md_config_table)},

    {"ENABLE", "y",
     "Copy device memory between the processes of a node directly. If off, such\n"
     "messages are staged through host memory.",
     ucs_offsetof(uct_asc_ipc_md_config_t, enable), UCS_CONFIG_TYPE_BOOL},

    {"HOST", "y",
     "Copy large messages between host memory and device memory of two processes\n"
     "through shared memory, with both processes copying. If off, UCX cuts them\n"
     "into pieces of its own.",
     ucs_offsetof(uct_asc_ipc_md_config_t, enable_host), UCS_CONFIG_TYPE_BOOL},

    {.name = NULL}};

static ucs_status_t uct_asc_ipc_md_query(uct_md_h md, uct_asc_md_attr_t *attr)
{
    /* INVALIDATE: without it UCX drops the lane of endpoints that ask for the
     * handling of peer failures. */
    static const uct_asc_md_caps_t caps = {.flags = UCT_MD_FLAG_REG | UCT_MD_FLAG_NEED_RKEY |
                                                    UCT_ASC_MD_FLAG_INVALIDATE,
                                           .reg_mem_types = UCS_BIT(UCT_ASC_MEM_TYPE),
                                           .access_mem_types = UCS_BIT(UCT_ASC_MEM_TYPE),
                                           .rkey_packed_size = ASC_LINK_RKEY_SIZE};

    (void)md;
    uct_asc_md_attr_fill(attr, &caps);
    return UCS_OK;
}

static ucs_status_t uct_asc_ipc_mem_reg(uct_md_h md, void *address, size_t length,
                                        uct_asc_mem_reg_arg_t arg, uct_mem_h *memh_p)
{
    uct_asc_ipc_memh_t *memh;

    (void)arg;
    uct_asc_ipc_md_serve(md);
    /* The export waits until a key is wanted: UCX registers for transfers that
     * turn out to need none. */
    memh = ucs_malloc(sizeof(*memh), "uct_asc_ipc_memh");
    if (memh == NULL) {
        return UCS_ERR_NO_MEMORY;
    }

    memh->address = address;
    memh->length = length;
    ucs_list_head_init(&memh->keys);
    asc_link_relay_hold(true);
    uct_asc_limit_registration(address, length);
    *memh_p = memh;
    return UCS_OK;
}

/* Uses of an export are counted, so one of each key is enough to keep it. */
static void uct_asc_ipc_memh_keep(uct_asc_ipc_memh_t *memh, uct_asc_ipc_key_t *key)
{
    uct_asc_ipc_key_t *kept;

    ucs_list_for_each (kept, &memh->keys, list) {
        if (!memcmp(kept->rkey, key->rkey, sizeof(key->rkey))) {
            asc_link_export_release(key->rkey);
            ucs_free(key);
            return;
        }
    }
    ucs_list_add_tail(&memh->keys, &key->list);
}

static ucs_status_t
uct_asc_ipc_mkey_pack(uct_md_h md, uct_mem_h tl_memh,
                      UCT_ASC_MKEY_PACK_RANGE_ARGS const uct_md_mkey_pack_params_t *params,
                      void *rkey_buffer)
{
    uct_asc_ipc_memh_t *memh = tl_memh;
    void *start = UCT_ASC_MKEY_PACK_ADDRESS(memh->address);
    size_t wanted = UCT_ASC_MKEY_PACK_LENGTH(memh->length);
    uct_asc_ipc_key_t *key;
    asc_status_t status;

    (void)md;
    (void)params;
    key = ucs_malloc(sizeof(*key), "uct_asc_ipc_key");
    if (key == NULL) {
        return UCS_ERR_NO_MEMORY;
    }

    /* UCX ends the process if this fails. A key that says "cannot be exported"
     * makes the peer take the staged way instead. */
    status = asc_link_export(start, wanted, key->rkey);
    if (status != ASC_OK) {
        ucs_debug("no direct access to device memory %p of %zu bytes: %s", start, wanted,
                  asc_status_text(status));
    }

    memcpy(rkey_buffer, key->rkey, sizeof(key->rkey));
    uct_asc_ipc_memh_keep(memh, key);
    return UCS_OK;
}

static ucs_status_t uct_asc_ipc_mem_dereg(uct_md_h md, const uct_md_mem_dereg_params_t *params)
{
    uct_asc_ipc_memh_t *memh;
    uct_asc_ipc_key_t *key, *tmp;

    (void)md;
    UCT_MD_MEM_DEREG_CHECK_PARAMS(params, 1);

    memh = params->memh;
    asc_link_relay_hold(false);
    ucs_list_for_each_safe (key, tmp, &memh->keys, list) {
        asc_link_export_release(key->rkey);
        ucs_free(key);
    }
    ucs_free(memh);

    if (UCT_MD_MEM_DEREG_FIELD_VALUE(params, flags, FIELD_FLAGS, 0) &
        UCT_MD_MEM_DEREG_FLAG_INVALIDATE) {
        uct_invoke_completion(params->comp, UCS_OK);
    }
    return UCS_OK;
}

/* UCX asks the component, not a domain, to unpack. */
static int uct_asc_ipc_relays = 0;

static ucs_status_t uct_asc_ipc_rkey_unpack(uct_component_t *component, const void *rkey_buffer,
                                            UCT_ASC_RKEY_UNPACK_MORE_ARG uct_rkey_t *rkey_p,
                                            void **handle_p)
{
    asc_link_import_t *import;
    asc_status_t status;

    (void)component;
    if (uct_asc_host_is_key(rkey_buffer)) {
        return uct_asc_host_rkey_unpack(rkey_buffer, rkey_p, handle_p);
    }

    /* Here or never: a failure inside get_zcopy would leave the sender waiting
     * for ever, and any status but UNREACHABLE would end the process. */
    status = asc_link_import(rkey_buffer, ASC_LINK_RKEY_SIZE, &import);
    if (status != ASC_OK) {
        ucs_debug("no direct access to a peer's device memory: %s", asc_link_last_reason());
        if (!uct_asc_ipc_relays || !asc_link_relay_usable(rkey_buffer, ASC_LINK_RKEY_SIZE)) {
            return UCS_ERR_UNREACHABLE;
        }
        /* This process has no device, the memory cannot be exported, or the
         * pair has no access: the owner takes part in the copy. */
        *rkey_p = uct_asc_host_rkey(0);
        *handle_p = NULL;
        return UCS_OK;
    }

    *rkey_p = (uct_rkey_t)import;
    *handle_p = NULL;
    return UCS_OK;
}

static ucs_status_t uct_asc_ipc_rkey_release(uct_component_t *component, uct_rkey_t rkey,
                                             void *handle)
{
    (void)component;
    (void)handle;
    if (!uct_asc_host_is_rkey(rkey)) {
        asc_link_import_release((asc_link_import_t *)rkey);
    }
    return UCS_OK;
}

void uct_asc_ipc_md_serve_slow(uct_asc_ipc_md_t *md)
{
    uct_asc_ipc_iface_t *iface;

    pthread_mutex_lock(&md->lock);
    __atomic_store_n(&md->served, 1, __ATOMIC_RELAXED);
    ucs_list_for_each (iface, &md->ifaces, list) {
        uct_asc_iface_wake(&iface->super);
    }
    pthread_mutex_unlock(&md->lock);
}

void uct_asc_ipc_md_close(uct_md_h tl_md)
{
    uct_asc_ipc_md_t *md = ucs_derived_of(tl_md, uct_asc_ipc_md_t);

    pthread_mutex_destroy(&md->lock);
    ucs_free(md);
}

static uct_md_ops_t uct_asc_ipc_md_ops = {.close = uct_asc_ipc_md_close,
                                          .query = uct_asc_ipc_md_query,
                                          .mem_alloc = UCT_ASC_NO_METHOD(uct_md_mem_alloc_func_t),
                                          .mem_free = UCT_ASC_NO_METHOD(uct_md_mem_free_func_t),
                                          .mem_advise = UCT_ASC_NO_METHOD(uct_md_mem_advise_func_t),
                                          .mem_reg = uct_asc_ipc_mem_reg,
                                          .mem_dereg = uct_asc_ipc_mem_dereg,
                                          .mem_query = UCT_ASC_NO_METHOD(uct_md_mem_query_func_t),
                                          .mkey_pack = uct_asc_ipc_mkey_pack,
                                          .detect_memory_type =
                                              UCT_ASC_NO_METHOD(uct_md_detect_memory_type_func_t),
                                          UCT_ASC_MD_OPS_MORE};

static ucs_status_t uct_asc_ipc_md_open(uct_component_t *component, const char *md_name,
                                        const uct_md_config_t *tl_config, uct_md_h *md_p)
{
    const uct_asc_ipc_md_config_t *config = ucs_derived_of(tl_config, uct_asc_ipc_md_config_t);
    uct_asc_ipc_md_t *md;

    md = ucs_malloc(sizeof(*md), "uct_asc_ipc_md");
    if (md == NULL) {
        return UCS_ERR_NO_MEMORY;
    }

    md->is_host = !strcmp(md_name, UCT_ASC_HOST_MD_NAME);
    md->super.ops = md->is_host ? &uct_asc_host_md_ops : &uct_asc_ipc_md_ops;
    md->super.component = component;
    pthread_mutex_init(&md->lock, NULL);
    ucs_list_head_init(&md->ifaces);
    md->served = 0;
    md->enable = config->enable;
    md->enable_host = config->enable_host;
    uct_asc_ipc_relays = config->enable && config->enable_host;
    *md_p = &md->super;
    return UCS_OK;
}

static void uct_asc_ipc_md_vfs_init(uct_md_h md)
{
    (void)md;
}

static ucs_status_t uct_asc_ipc_query_md_resources(uct_component_t *component,
                                                   uct_md_resource_desc_t **resources_p,
                                                   unsigned *num_resources_p)
{
    uct_md_resource_desc_t *resources;
    ucs_status_t status;

    status = uct_asc_query_md_resources(component, resources_p, num_resources_p);
    if ((status != UCS_OK) || (*num_resources_p == 0) || !UCT_ASC_HOST_DOMAIN) {
        return status;
    }

    resources = ucs_realloc(*resources_p, 2 * sizeof(*resources), "asc md resources");
    if (resources != NULL) {
        ucs_snprintf_zero(resources[1].md_name, UCT_MD_NAME_MAX, UCT_ASC_HOST_MD_NAME);
        *resources_p = resources;
        *num_resources_p = 2;
    }
    return UCS_OK;
}

uct_component_t uct_asc_ipc_component = {
    .query_md_resources = uct_asc_ipc_query_md_resources,
    .md_open = uct_asc_ipc_md_open,
    .cm_open = UCT_ASC_NO_METHOD(uct_component_cm_open_func_t),
    .rkey_unpack = uct_asc_ipc_rkey_unpack,
    .rkey_ptr = UCT_ASC_NO_METHOD(uct_component_rkey_ptr_func_t),
    .rkey_release = uct_asc_ipc_rkey_release,
    .name = UCT_ASC_IPC_MD_NAME,
    .md_config = {.name = "Ascend-IPC memory domain",
                  .prefix = "ASC_IPC_",
                  .table = uct_asc_ipc_md_config_table,
                  .size = sizeof(uct_asc_ipc_md_config_t)},
    .cm_config = UCS_CONFIG_EMPTY_GLOBAL_LIST_ENTRY,
    .tl_list = UCT_COMPONENT_TL_LIST_INITIALIZER(&uct_asc_ipc_component),
    .flags = 0,
    .md_vfs_init = uct_asc_ipc_md_vfs_init,
    UCT_ASC_COMPONENT_MORE};
