/* SPDX-License-Identifier: BSD-3-Clause */
#include "asc_base.h"

#include "topo/asc_topo.h"

#include <ucs/debug/log.h>
#include <ucs/debug/memtrack_int.h>
#include <ucs/sys/string.h>
#include <ucs/sys/topo/base/topo.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More NPUs than a node has, and few enough for a table. */
#define UCT_ASC_MAX_DEVICES 64

ucs_status_t uct_asc_status(asc_status_t status)
{
    switch (status) {
    case ASC_OK:
        return UCS_OK;
    case ASC_INPROGRESS:
        return UCS_INPROGRESS;
    case ASC_ERR_NO_RUNTIME:
        return UCS_ERR_NO_DEVICE;
    case ASC_ERR_INVALID:
        return UCS_ERR_INVALID_PARAM;
    case ASC_ERR_NO_MEMORY:
        return UCS_ERR_NO_MEMORY;
    case ASC_ERR_UNREACHABLE:
        return UCS_ERR_UNREACHABLE;
    case ASC_ERR_STALE:
        return UCS_ERR_INVALID_ADDR;
    case ASC_ERR_TIMEOUT:
        return UCS_ERR_TIMED_OUT;
    case ASC_ERR_NOT_FOUND:
        return UCS_ERR_NO_ELEM;
    case ASC_ERR_BUSY:
        return UCS_ERR_NO_RESOURCE;
    case ASC_ERR_UNSUPPORTED:
        return UCS_ERR_UNSUPPORTED;
    case ASC_ERR_ACL:
        break;
    }
    return UCS_ERR_IO_ERROR;
}

static void uct_asc_tell_why_not(asc_status_t status)
{
    static int told = 0;
    const char *why = asc_link_why_not();
    const char *named_lib = getenv("ASCEND_ACL_LIBRARY");
    int user_asked = (status == ASC_ERR_INVALID) || ((status == ASC_ERR_NO_RUNTIME) &&
                                                     (named_lib != NULL) && (named_lib[0] != '\0'));

    if (user_asked && !__atomic_exchange_n(&told, 1, __ATOMIC_RELAXED)) {
        ucs_warn("Ascend memory is not supported in this process: %s", why);
    } else {
        ucs_debug("Ascend memory is not supported in this process: %s", why);
    }
}

static int uct_asc_is_usable(void)
{
    static int told = 0;
    const char *rocm_name;
    asc_status_t status;

    status = asc_link_init(ASC_LINK_ABI);
    if (status != ASC_OK) {
        uct_asc_tell_why_not(status);
        return 0;
    }

    if (uct_asc_find_rocm(&rocm_name)) {
        if (!__atomic_exchange_n(&told, 1, __ATOMIC_RELAXED)) {
            ucs_warn("Ascend memory is not supported in this process: it would use the memory "
                     "type of UCX component %s, which has devices here; remove one of the two",
                     rocm_name);
        }
        return 0;
    }

    return 1;
}

ucs_status_t uct_asc_query_md_resources(uct_component_t *component,
                                        uct_md_resource_desc_t **resources_p,
                                        unsigned *num_resources_p)
{
    if (!uct_asc_is_usable()) {
        return uct_md_query_empty_md_resource(resources_p, num_resources_p);
    }

    uct_asc_install_hooks();
    uct_asc_tune_memtype_cache();
    return uct_md_query_single_md_resource(component, resources_p, num_resources_p);
}

static ucs_sys_device_t uct_asc_find_sys_device(int device)
{
    ucs_sys_device_t sys_dev = UCS_SYS_DEVICE_ID_UNKNOWN;
    unsigned domain, bus, slot, function;
    ucs_sys_bus_id_t bus_id;
    char pci[32];

    if ((asc_link_device_pci(device, pci, sizeof(pci)) != ASC_OK) ||
        (sscanf(pci, "%x:%x:%x.%x", &domain, &bus, &slot, &function) != 4) ||
        (domain > UINT16_MAX)) {
        ucs_debug("PCI address of NPU %d is not known", device);
        return UCS_SYS_DEVICE_ID_UNKNOWN;
    }

    bus_id.domain = domain;
    bus_id.bus = bus;
    bus_id.slot = slot;
    bus_id.function = function;
    if (ucs_topo_find_device_by_bus_id(&bus_id, &sys_dev) != UCS_OK) {
        return UCS_SYS_DEVICE_ID_UNKNOWN;
    }

    ucs_debug("NPU %d is at %s, system device %d", device, pci, (int)sys_dev);
    return sys_dev;
}

ucs_sys_device_t uct_asc_sys_device(int device)
{
    /* 0: not asked yet, else the system device plus one. Two threads that ask
     * at once find the same answer. */
    static uint16_t known[UCT_ASC_MAX_DEVICES];
    ucs_sys_device_t sys_dev;
    uint16_t value;

    if ((device < 0) || (device >= UCT_ASC_MAX_DEVICES)) {
        return UCS_SYS_DEVICE_ID_UNKNOWN;
    }

    value = __atomic_load_n(&known[device], __ATOMIC_RELAXED);
    if (value != 0) {
        return value - 1;
    }

    sys_dev = uct_asc_find_sys_device(device);
    __atomic_store_n(&known[device], (uint16_t)sys_dev + 1, __ATOMIC_RELAXED);
    return sys_dev;
}

ucs_status_t uct_asc_query_devices(uct_md_h md, uct_device_type_t type,
                                   uct_tl_device_resource_t **devices_p, unsigned *num_devices_p)
{
    int device = asc_link_home_device();
    struct asc_topo *topo;

    if (device < 0) {
        /* Not chosen yet, but there may be no choice. */
        topo = asc_link_topo();
        device = ((topo != NULL) && (asc_topo_num_devices(topo) == 1)) ? 0 : -1;
    }
    return uct_single_device_resource(md, UCT_ASC_DEV_NAME, type, uct_asc_sys_device(device),
                                      devices_p, num_devices_p);
}

void uct_asc_bad_memory(const void *address, size_t length, const char *what)
{
    asc_link_mem_t mem;

    if ((length > 1) && (asc_link_mem_query(address, 1, &mem) == ASC_LINK_MEM_DEVICE)) {
        ucs_fatal("device pointer %p of %zu bytes (%s) runs past the end of its allocation "
                  "of %zu bytes at %p: pass a length that lies inside it",
                  address, length, what, mem.size, mem.base);
    }

    ucs_fatal("device pointer %p of %zu bytes (%s) is not live memory of this process, it was "
              "freed or is another process's: keep memory allocated until UCX is done with it",
              address, length, what);
}

void uct_asc_copy_lost(const void *dst, const void *src, size_t length, asc_status_t status)
{
    ucs_fatal("copy of %zu bytes from %p to %p failed twice: %s; UCX cannot report this and would "
              "go on with wrong data",
              length, src, dst, asc_status_text(status));
}
