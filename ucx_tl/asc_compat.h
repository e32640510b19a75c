/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * What differs between the UCX releases that the module is built for, all in
 * one place: the other files are written once, in words defined here.
 *
 * Known are 1.13.1 and 1.18.1, in which the tests run. What is here for releases
 * after 1.18 has been compiled against their headers only; configure admits
 * them on demand.
 */
#ifndef UCT_ASC_COMPAT_H
#define UCT_ASC_COMPAT_H

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <ucs/arch/cpu.h>
#include <ucs/config/parser.h>
#include <ucs/datastruct/mpool.h>
#include <ucs/memory/memory_type.h>
#include <uct/api/v2/uct_v2.h>
#include <uct/api/version.h>
#include <uct/base/uct_iface.h>
#include <uct/base/uct_md.h>

#include <limits.h>
#include <string.h>

/** Is this UCX @a _major.@a _minor or later? */
#define UCT_ASC_UCX(_major, _minor) \
    ((UCT_VERNO_MAJOR > (_major)) || \
     ((UCT_VERNO_MAJOR == (_major)) && (UCT_VERNO_MINOR >= (_minor))))

#if UCT_ASC_UCX(1, 14) && !UCT_ASC_UCX(1, 18)
#error "UCX 1.14 to 1.17 are not known to ucx-ascend: install 1.13.1, or 1.18 or later"
#endif

/**
 * Since 1.14 UCX keeps registrations beyond the message that they were made
 * for, in a cache that goes by addresses and hears of frees through memory
 * events; and a key is packed for the part that is wanted of a registration.
 */
#define UCT_ASC_UCX_CACHES_MEMH  UCT_ASC_UCX(1, 14)

/**
 * Is there a domain for host memory, so that large messages between host and
 * device memory are copied by both processes? The protocols that are the
 * default since 1.16 cut such messages into large pieces by themselves, and
 * would rate the domain's lanes for messages between host buffers, too.
 */
#define UCT_ASC_HOST_DOMAIN      !UCT_ASC_UCX(1, 18)

/** For initializers: a method of type @a _type that is not supported. By way of
 *  void (*)(void), from which compilers accept any such cast. */
#define UCT_ASC_NO_METHOD(_type) ((_type)(void (*)(void))ucs_empty_function_return_unsupported)

/* -------------------------------------------------- memory domains ------- */

/** What a domain of ours can do, in words common to all releases. */
typedef struct uct_asc_md_caps {
    uint64_t flags;
    uint64_t reg_mem_types;
    uint64_t alloc_mem_types;
    uint64_t access_mem_types;
    uint64_t detect_mem_types;
    size_t max_alloc;
    size_t rkey_packed_size;
} uct_asc_md_caps_t;

#if UCT_ASC_UCX(1, 18)
typedef uct_md_attr_v2_t uct_asc_md_attr_t;
typedef const uct_md_mem_reg_params_t *uct_asc_mem_reg_arg_t;

/* The part of the registration that a key is for. */
#define UCT_ASC_MKEY_PACK_RANGE_ARGS           void *address UCS_V_UNUSED, size_t length UCS_V_UNUSED,
#define UCT_ASC_MKEY_PACK_ADDRESS(_registered) (address)
#define UCT_ASC_MKEY_PACK_LENGTH(_registered)  (length)

#define UCT_ASC_MD_FLAG_INVALIDATE             (UCT_MD_FLAG_INVALIDATE | UCT_MD_FLAG_INVALIDATE_RMA)
#define UCT_ASC_COMPONENT_MORE                 .rkey_compare = uct_base_rkey_compare,
#else
typedef uct_md_attr_t uct_asc_md_attr_t;
typedef unsigned uct_asc_mem_reg_arg_t;

#define UCT_ASC_MKEY_PACK_RANGE_ARGS
#define UCT_ASC_MKEY_PACK_ADDRESS(_registered) (_registered)
#define UCT_ASC_MKEY_PACK_LENGTH(_registered)  (_registered)

#define UCT_ASC_MD_FLAG_INVALIDATE             UCT_MD_FLAG_INVALIDATE
#define UCT_ASC_COMPONENT_MORE
#endif

#if UCT_ASC_UCX(1, 19)
#define UCT_ASC_MEM_ALLOC_DEV_ARG     ucs_sys_device_t sys_dev UCS_V_UNUSED,
#define UCT_ASC_RKEY_UNPACK_MORE_ARG  const uct_rkey_unpack_params_t *params UCS_V_UNUSED,
/* The domain that copies between host and device must name both. */
#define UCT_ASC_COPY_ACCESS_MEM_TYPES (UCS_BIT(UCS_MEMORY_TYPE_HOST) | UCS_BIT(UCT_ASC_MEM_TYPE))
#else
#define UCT_ASC_MEM_ALLOC_DEV_ARG
#define UCT_ASC_RKEY_UNPACK_MORE_ARG
#define UCT_ASC_COPY_ACCESS_MEM_TYPES UCS_BIT(UCT_ASC_MEM_TYPE)
#endif

#if UCT_ASC_UCX(1, 22)
typedef uct_md_mem_attr_v2_t uct_asc_mem_attr_t;
#define UCT_ASC_MEM_ATTR_FIELD(_name) UCT_MD_MEM_ATTR_V2_FIELD_##_name
#else
typedef uct_md_mem_attr_t uct_asc_mem_attr_t;
#define UCT_ASC_MEM_ATTR_FIELD(_name) UCT_MD_MEM_ATTR_FIELD_##_name
#endif

/* Methods that no domain of ours has, as members of an initializer. */
#if UCT_ASC_UCX(1, 21)
#define UCT_ASC_MD_OPS_MORE \
    .mem_attach = UCT_ASC_NO_METHOD(uct_md_mem_attach_func_t), \
    .mem_elem_pack = UCT_ASC_NO_METHOD(uct_md_mem_elem_pack_func_t),
#elif UCT_ASC_UCX(1, 18)
#define UCT_ASC_MD_OPS_MORE .mem_attach = UCT_ASC_NO_METHOD(uct_md_mem_attach_func_t),
#else
#define UCT_ASC_MD_OPS_MORE .is_sockaddr_accessible = ucs_empty_function_return_zero_int,
#endif

static inline void uct_asc_md_attr_fill(uct_asc_md_attr_t *attr, const uct_asc_md_caps_t *caps)
{
#if UCT_ASC_UCX(1, 18)
    uct_md_base_md_query(attr);
    attr->flags = caps->flags;
    attr->reg_mem_types = caps->reg_mem_types;
    /* UCX asserts that it caches whatever a rendezvous registers. */
    attr->cache_mem_types = caps->reg_mem_types;
    attr->alloc_mem_types = caps->alloc_mem_types;
    attr->access_mem_types = caps->access_mem_types;
    attr->detect_mem_types = caps->detect_mem_types;
    attr->max_alloc = caps->max_alloc;
#else
    attr->cap.flags = caps->flags;
    attr->cap.reg_mem_types = caps->reg_mem_types;
    attr->cap.alloc_mem_types = caps->alloc_mem_types;
    attr->cap.access_mem_types = caps->access_mem_types;
    attr->cap.detect_mem_types = caps->detect_mem_types;
    attr->cap.max_alloc = caps->max_alloc;
    attr->cap.max_reg = ULONG_MAX;
#endif
    attr->rkey_packed_size = caps->rkey_packed_size;
    attr->reg_cost = ucs_linear_func_make(0, 0);
    memset(&attr->local_cpus, 0xff, sizeof(attr->local_cpus));
}

/* ------------------------------------------------------ interfaces ------- */

typedef int (*uct_asc_is_reachable_func_t)(const uct_iface_h iface,
                                           const uct_device_addr_t *dev_addr,
                                           const uct_iface_addr_t *iface_addr);

/**
 * UCT_ASC_DEFINE_REACHABILITY(f) makes of the function f, which has the
 * signature above, what UCX wants to be told; the two other macros name that
 * in initializers of uct_iface_ops_t and uct_iface_internal_ops_t.
 */
#if UCT_ASC_UCX(1, 18)
static inline int uct_asc_is_reachable_v2(const uct_iface_h iface,
                                          const uct_iface_is_reachable_params_t *params,
                                          uct_asc_is_reachable_func_t is_reachable)
{
    const uct_device_addr_t *dev_addr =
        UCS_PARAM_VALUE(UCT_IFACE_IS_REACHABLE_FIELD, params, device_addr, DEVICE_ADDR, NULL);
    const uct_iface_addr_t *iface_addr =
        UCS_PARAM_VALUE(UCT_IFACE_IS_REACHABLE_FIELD, params, iface_addr, IFACE_ADDR, NULL);

    if (!is_reachable(iface, dev_addr, iface_addr)) {
        uct_iface_fill_info_str_buf(params, "not an Ascend peer on this node");
        return 0;
    }
    return (dev_addr == NULL) || uct_iface_scope_is_reachable(iface, params);
}

#define UCT_ASC_DEFINE_REACHABILITY(_func) \
    static int _func##_v2(const uct_iface_h iface, const uct_iface_is_reachable_params_t *params) \
    { \
        return uct_asc_is_reachable_v2(iface, params, _func); \
    }
#define UCT_ASC_IS_REACHABLE(_func) uct_base_iface_is_reachable
#else
#define UCT_ASC_DEFINE_REACHABILITY(_func)
#define UCT_ASC_IS_REACHABLE(_func) _func
#endif

#if UCT_ASC_UCX(1, 22)
#define UCT_ASC_INTERNAL_OPS_1_20 \
    .iface_query_v2 = uct_iface_base_query_v2, \
    .ep_get_device_ep = UCT_ASC_NO_METHOD(uct_ep_get_device_ep_func_t), \
    .ep_put_sgl_zcopy = UCT_ASC_NO_METHOD(uct_ep_put_sgl_zcopy_func_t),
#elif UCT_ASC_UCX(1, 21)
#define UCT_ASC_INTERNAL_OPS_1_20 \
    .ep_get_device_ep = UCT_ASC_NO_METHOD(uct_ep_get_device_ep_func_t),
#elif UCT_ASC_UCX(1, 20)
#define UCT_ASC_INTERNAL_OPS_1_20 \
    .iface_query_v2 = uct_iface_base_query_v2, \
    .ep_get_device_ep = UCT_ASC_NO_METHOD(uct_ep_get_device_ep_func_t),
#else
#define UCT_ASC_INTERNAL_OPS_1_20
#endif

#if UCT_ASC_UCX(1, 18)
#define UCT_ASC_INTERNAL_OPS_MORE(_func) \
    .ep_connect_to_ep_v2 = UCT_ASC_NO_METHOD(uct_ep_connect_to_ep_v2_func_t), \
    .iface_is_reachable_v2 = _func##_v2, .ep_is_connected = uct_base_ep_is_connected, \
    UCT_ASC_INTERNAL_OPS_1_20
#else
#define UCT_ASC_INTERNAL_OPS_MORE(_func)
#endif

/* In any thread: a callback for each round of a worker's progress. */
#if UCT_ASC_UCX(1, 18)
#define UCT_ASC_CALLBACKQ_ADD(_queue, _cb, _arg) ucs_callbackq_add_safe(_queue, _cb, _arg)
#else
#define UCT_ASC_CALLBACKQ_ADD(_queue, _cb, _arg) \
    ucs_callbackq_add_safe(_queue, _cb, _arg, UCS_CALLBACKQ_FLAG_FAST)
#endif

#if UCT_ASC_UCX(1, 22)
#define UCT_ASC_MEMTYPE_UNKNOWN UCS_MEMORY_TYPE_UNKNOWN, UCS_SYS_DEVICE_ID_UNKNOWN, 0
#else
#define UCT_ASC_MEMTYPE_UNKNOWN UCS_MEMORY_TYPE_UNKNOWN, UCS_SYS_DEVICE_ID_UNKNOWN
#endif

/** Is a bandwidth setting "auto"? */
#if UCT_ASC_UCX(1, 18)
#define UCT_ASC_BW_IS_AUTO(_bandwidth) UCS_CONFIG_DBL_IS_AUTO(_bandwidth)
#else
#define UCT_ASC_BW_IS_AUTO(_bandwidth) UCS_CONFIG_BW_IS_AUTO(_bandwidth)
#endif

#if UCT_ASC_UCX(1, 21)
typedef const uct_ep_invalidate_params_t *uct_asc_ep_invalidate_arg_t;
#else
typedef unsigned uct_asc_ep_invalidate_arg_t;
#endif

#if UCT_ASC_UCX(1, 22)
#define UCT_ASC_EP_CHECK_PARAMS(_flags, _comp) \
    UCT_EP_KEEPALIVE_CHECK_PARAM(_flags) \
    (void)(_comp)
#else
#define UCT_ASC_EP_CHECK_PARAMS(_flags, _comp) UCT_EP_KEEPALIVE_CHECK_PARAM(_flags, _comp)
#endif

/** Answers what UCX 1.13 does not ask about an operation; @a bandwidth in bytes
 *  per second. */
static inline void uct_asc_perf_attr_more(uct_perf_attr_t *attr, double bandwidth UCS_V_UNUSED)
{
#if UCT_ASC_UCX(1, 19)
    if (attr->field_mask & UCT_PERF_ATTR_FIELD_PATH_BANDWIDTH) {
        attr->path_bandwidth.dedicated = bandwidth;
        attr->path_bandwidth.shared = 0;
    }
#endif
#if UCT_ASC_UCX(1, 18)
    if (attr->field_mask & UCT_PERF_ATTR_FIELD_FLAGS) {
        attr->flags = 0;
    }
#else
    (void)attr;
#endif
}

/** A pool of elements of @a size bytes that grows by @a grow of them. */
static inline ucs_status_t uct_asc_mpool_init(ucs_mpool_t *pool, size_t size, unsigned grow,
                                              ucs_mpool_ops_t *ops, const char *name)
{
#if UCT_ASC_UCX(1, 18)
    ucs_mpool_params_t params;

    ucs_mpool_params_reset(&params);
    params.elem_size = size;
    params.elems_per_chunk = grow;
    params.ops = ops;
    params.name = name;
    return ucs_mpool_init(&params, pool);
#else
    return ucs_mpool_init(pool, 0, size, 0, UCS_SYS_CACHE_LINE_SIZE, grow, UINT_MAX, ops, name);
#endif
}

#endif
