/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * P26: device memory given to ucp_mem_map() without its type is registered as
 * what it is; memory that UCX allocates by our type is device memory, works in
 * messages, and is given back.
 */
#include "t_ucx.h"

#define SIZE ((size_t)1 << 20)

static void t_exchange_self(t_ctx_t *t, void *buf, size_t len)
{
    void *src = t_alloc(T_DEVICE, len);
    void *request;

    t_fill(T_DEVICE, src, len, len);
    request = t_recv(t, buf, len, 1);
    t_wait(t, t_send(t, t->self_ep, src, len, 1));
    t_wait(t, request);
    t_verify(T_DEVICE, buf, len, len, "mapped memory");
    t_free(T_DEVICE, src);
}

static ucp_mem_h t_map_memory(t_ctx_t *t, void *address, ucs_memory_type_t type)
{
    ucp_mem_map_params_t params = {.field_mask = UCP_MEM_MAP_PARAM_FIELD_LENGTH, .length = SIZE};
    ucp_mem_h memh;

    if (address != NULL) {
        params.field_mask |= UCP_MEM_MAP_PARAM_FIELD_ADDRESS;
        params.address = address;
    } else {
        params.field_mask |= UCP_MEM_MAP_PARAM_FIELD_FLAGS | UCP_MEM_MAP_PARAM_FIELD_MEMORY_TYPE;
        params.flags = UCP_MEM_MAP_ALLOCATE;
        params.memory_type = type;
    }
    T_UCX(ucp_mem_map(t->context, &params, &memh));
    return memh;
}

static void *t_check_type(ucp_mem_h memh, ucs_memory_type_t type)
{
    ucp_mem_attr_t attr = {.field_mask = UCP_MEM_ATTR_FIELD_MEM_TYPE | UCP_MEM_ATTR_FIELD_ADDRESS};

    T_UCX(ucp_mem_query(memh, &attr));
    T_CHECK(attr.mem_type == type, "memory is of type %d, not %d", attr.mem_type, type);
    return attr.address;
}

static void t_map(t_ctx_t *t)
{
    uint64_t live = 0;
    ucp_mem_h memh;
    void *buf;

    t_load_module();
    t_acl_open(t);
    t_open(t, 0);

    buf = t_alloc(T_DEVICE, SIZE);
    memh = t_map_memory(t, buf, UCS_MEMORY_TYPE_UNKNOWN);
    T_CHECK(t_check_type(memh, UCS_MEMORY_TYPE_ROCM) == buf, "other address");
    t_exchange_self(t, buf, SIZE);
    T_UCX(ucp_mem_unmap(t->context, memh));
    t_free(T_DEVICE, buf);

    if (!t_no_sim()) {
        live = t_sim("live.alloc");
    }
    memh = t_map_memory(t, NULL, UCS_MEMORY_TYPE_ROCM);
    t_exchange_self(t, t_check_type(memh, UCS_MEMORY_TYPE_ROCM), SIZE);
    T_UCX(ucp_mem_unmap(t->context, memh));
    if (!t_no_sim()) {
        T_CHECK(t_sim("live.alloc") <= live, "%llu allocations left behind",
                (unsigned long long)(t_sim("live.alloc") - live));
    }
    t_close(t);
}

int main(int argc, char **argv)
{
    return t_single(argc, argv, t_map);
}
