/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory domain ascend_host: host memory that a peer's device memory is copied
 * to or from. UCX registers the host buffers of all its rendezvous here, the
 * sender not knowing what memory the receiver has, so registering costs next
 * to nothing, and a key is 16 bytes.
 */
#include "uct_asc_ipc.h"

#include <ucs/debug/memtrack_int.h>

#include <limits.h>

#define UCT_ASC_HOST_KEY_MAGIC 0x48435341u /* "ASCH" */

typedef struct uct_asc_host_key {
    uint32_t magic;
    uint32_t check;
    uint64_t ref;
} UCS_S_PACKED uct_asc_host_key_t;

static uint32_t uct_asc_host_key_check(uint64_t ref)
{
    return (uint32_t)((ref * 0x9e3779b97f4a7c15ull) >> 32);
}

static ucs_status_t uct_asc_host_md_query(uct_md_h md, uct_asc_md_attr_t *attr)
{
    static const uct_asc_md_caps_t caps = {.flags = UCT_MD_FLAG_REG | UCT_MD_FLAG_NEED_RKEY |
                                                    UCT_ASC_MD_FLAG_INVALIDATE,
                                           .reg_mem_types = UCS_BIT(UCS_MEMORY_TYPE_HOST),
                                           .access_mem_types = UCS_BIT(UCS_MEMORY_TYPE_HOST),
                                           .rkey_packed_size = sizeof(uct_asc_host_key_t)};

    (void)md;
    uct_asc_md_attr_fill(attr, &caps);
    return UCS_OK;
}

/* A handle is the offer's reference with a bit that makes it differ from NULL. */
static ucs_status_t uct_asc_host_mem_reg(uct_md_h md, void *address, size_t length,
                                         uct_asc_mem_reg_arg_t arg, uct_mem_h *memh_p)
{
    (void)arg;
    uct_asc_ipc_md_serve(md);
    *memh_p = (uct_mem_h)(uintptr_t)uct_asc_host_rkey(asc_link_relay_offer(address, length));
    return UCS_OK;
}

static ucs_status_t uct_asc_host_mem_dereg(uct_md_h md, const uct_md_mem_dereg_params_t *params)
{
    (void)md;
    UCT_MD_MEM_DEREG_CHECK_PARAMS(params, 1);

    asc_link_relay_withdraw(uct_asc_host_rkey_ref((uintptr_t)params->memh));
    if (UCT_MD_MEM_DEREG_FIELD_VALUE(params, flags, FIELD_FLAGS, 0) &
        UCT_MD_MEM_DEREG_FLAG_INVALIDATE) {
        uct_invoke_completion(params->comp, UCS_OK);
    }
    return UCS_OK;
}

static ucs_status_t
uct_asc_host_mkey_pack(uct_md_h md, uct_mem_h memh,
                       UCT_ASC_MKEY_PACK_RANGE_ARGS const uct_md_mkey_pack_params_t *params,
                       void *rkey_buffer)
{
    uct_asc_host_key_t *key = rkey_buffer;

    (void)md;
    (void)params;
    key->magic = UCT_ASC_HOST_KEY_MAGIC;
    key->ref = uct_asc_host_rkey_ref((uintptr_t)memh);
    key->check = uct_asc_host_key_check(key->ref);
    return UCS_OK;
}

int uct_asc_host_is_key(const void *rkey_buffer)
{
    const uct_asc_host_key_t *key = rkey_buffer;

    return key->magic == UCT_ASC_HOST_KEY_MAGIC;
}

ucs_status_t uct_asc_host_rkey_unpack(const void *rkey_buffer, uct_rkey_t *rkey_p, void **handle_p)
{
    const uct_asc_host_key_t *key = rkey_buffer;

    /* Reference 0: the sender had too much on offer. */
    if ((key->check != uct_asc_host_key_check(key->ref)) || (key->ref == 0) ||
        (key->ref > (UINT64_MAX >> 1))) {
        return UCS_ERR_UNREACHABLE;
    }

    *rkey_p = uct_asc_host_rkey(key->ref);
    *handle_p = NULL;
    return UCS_OK;
}

uct_md_ops_t uct_asc_host_md_ops = {.close = uct_asc_ipc_md_close,
                                    .query = uct_asc_host_md_query,
                                    .mem_alloc = UCT_ASC_NO_METHOD(uct_md_mem_alloc_func_t),
                                    .mem_free = UCT_ASC_NO_METHOD(uct_md_mem_free_func_t),
                                    .mem_advise = UCT_ASC_NO_METHOD(uct_md_mem_advise_func_t),
                                    .mem_reg = uct_asc_host_mem_reg,
                                    .mem_dereg = uct_asc_host_mem_dereg,
                                    .mem_query = UCT_ASC_NO_METHOD(uct_md_mem_query_func_t),
                                    .mkey_pack = uct_asc_host_mkey_pack,
                                    .detect_memory_type =
                                        UCT_ASC_NO_METHOD(uct_md_detect_memory_type_func_t),
                                    UCT_ASC_MD_OPS_MORE};
