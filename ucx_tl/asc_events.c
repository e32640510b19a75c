/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Allocations: link/ sees them with the help of UCX's relocation patcher, UCX
 * hears of them through its memory events.
 */
#include "asc_base.h"

#include <ucm/event/event.h>
#include <ucm/util/reloc.h>
#include <ucs/config/global_opts.h>
#include <ucs/debug/log.h>
#include <ucs/debug/memtrack_int.h>
#include <ucs/memory/memtype_cache.h>
#include <ucs/type/init_once.h>

static int uct_asc_patch(const char *symbol, void *replacement)
{
    ucm_reloc_patch_t *patch;
    ucs_status_t status;

    /* UCX keeps the structure, and applies it to modules loaded later. */
    patch = ucs_calloc(1, sizeof(*patch), "uct_asc_patch");
    if (patch == NULL) {
        return -1;
    }

    patch->symbol = symbol;
    patch->value = replacement;
    status = ucm_reloc_modify(patch);
    if (status != UCS_OK) {
        ucs_free(patch);
        return -1;
    }
    return 0;
}

static void uct_asc_mem_event(asc_link_mem_event_t event, void *base, size_t size, void *arg)
{
    ucm_event_t ucm_event = {0};

    ucm_event.mem_type.address = base;
    ucm_event.mem_type.size = size;
    ucm_event.mem_type.mem_type = UCT_ASC_MEM_TYPE;

    ucm_event_enter();
    ucm_event_dispatch((event == ASC_LINK_MEM_ALLOC) ? UCM_EVENT_MEM_TYPE_ALLOC
                                                     : UCM_EVENT_MEM_TYPE_FREE,
                       &ucm_event);
    ucm_event_leave();
    (void)arg;
}

void uct_asc_limit_registration(void *address, size_t length)
{
    asc_link_mem_t mem;

    if (!UCT_ASC_UCX_CACHES_MEMH ||
        ((asc_link_mem_query(address, 1, &mem) == ASC_LINK_MEM_DEVICE) && (mem.generation != 0))) {
        return;
    }

    /* UCX's cache notes the event and drops the registration at its next look
     * into it; who uses it by then keeps it until done. */
    uct_asc_mem_event(ASC_LINK_MEM_FREE, address, length, NULL);
}

void uct_asc_install_hooks(void)
{
    static ucs_init_once_t once = UCS_INIT_ONCE_INITIALIZER;
    asc_status_t status;

    UCS_INIT_ONCE(&once)
    {
        status = asc_link_add_mem_listener(uct_asc_mem_event, NULL);
        if (status == ASC_OK) {
            status = asc_link_install_hooks(uct_asc_patch);
        }
        /* Works all the same: what is not seen is asked about and exported for
         * every use. */
        if (status != ASC_OK) {
            ucs_debug("allocations of device memory are not seen: %s", asc_status_text(status));
        }
    }
}

/* Stands before UCX's look-up, whose lock costs more than the rest of receiving a
 * short message: all is host memory, or UCX shall ask us. */
static ucs_status_t uct_asc_memtype_lookup(const void *address, size_t size,
                                           ucs_memory_info_t *mem_info)
{
    (void)address;
    (void)size;
    (void)mem_info;
    return asc_link_device_possible() ? UCS_ERR_UNSUPPORTED : UCS_ERR_NO_ELEM;
}

/* Nothing is in the cache while it is on, and UCX does not look into it again. */
static void uct_asc_memtype_cache_off(void *arg)
{
    const uintptr_t page = 4096, end = (uintptr_t)1 << 47;

    /* Short messages go the inline way while the cache is empty. */
    ucs_memtype_cache_update((void *)page, end - page, UCT_ASC_MEMTYPE_UNKNOWN);
    ucs_global_opts.enable_memtype_cache = UCS_NO;
    (void)arg;
}

void uct_asc_tune_memtype_cache(void)
{
    static ucs_init_once_t once = UCS_INIT_ONCE_INITIALIZER;
    ucs_memory_info_t info;

    UCS_INIT_ONCE(&once)
    {
        if (ucs_global_opts.enable_memtype_cache == UCS_TRY) {
            /* A miss in that cache means host memory to UCX, without asking
             * anybody; so an allocation made before the hooks, or by a program
             * that looks functions up itself, would be touched by the CPU.
             * Our own answer costs no more than the cache's, but an empty cache
             * costs least: it stays on as long as there can be no device memory.
             * The look-up makes it, so that it is there to be filled. */
            if (!asc_link_device_possible()) {
                (void)ucs_memtype_cache_lookup(&info, 1, &info);
                (void)uct_asc_patch("ucs_memtype_cache_lookup", (void *)uct_asc_memtype_lookup);
            }
            asc_link_on_first_use(uct_asc_memtype_cache_off, NULL);
        } else if (ucs_global_opts.enable_memtype_cache == UCS_YES) {
            ucs_info("UCX_MEMTYPE_CACHE=y: device memory allocated before UCX was started, or by "
                     "functions looked up with dlsym, is taken for host memory; unset it or set n");
        }
    }
}
