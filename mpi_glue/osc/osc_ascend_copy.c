/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One contiguous copy, by the best way that there is: between devices by an
 * import, to and from host memory of another process by the kernel, and what
 * neither can do by relaying, for which the target has to make progress in MPI.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "osc_ascend.h"

#include <errno.h>
#include <sys/uio.h>

#include "opal/runtime/opal_progress.h"
#include "opal/util/output.h"

/* Pieces of copies that need memory between. */
#define PIECE ((size_t)4 << 20)

asc_status_t mca_osc_ascend_copy_end(asc_status_t status, asc_link_op_t *op)
{
    while (ASC_INPROGRESS == status) {
        status = asc_link_op_test(op);
        if (ASC_INPROGRESS == status) {
            opal_progress();
        }
    }
    return status;
}

/* -------------------------------------------------- imported memory ----- */

static asc_status_t by_import(asc_link_import_t *import, uint64_t remote, void *local, size_t len,
                              bool put, asc_link_op_t *op)
{
    return put ? asc_link_put_or_relay(import, remote, local, len, op)
               : asc_link_get_or_relay(import, remote, local, len, op);
}

/* Imported memory takes copies from and to the device alone. */
static asc_status_t by_scratch(asc_link_import_t *import, const mca_osc_ascend_copy_t *copy)
{
    const size_t room = (copy->len < PIECE) ? copy->len : PIECE;
    asc_link_op_t op;
    void *scratch;
    asc_status_t status = asc_link_scratch_get(room, &scratch);

    if (ASC_OK != status) {
        return status;
    }
    for (size_t at = 0; at < copy->len && ASC_OK == status; at += room) {
        const size_t len = (copy->len - at < room) ? copy->len - at : room;
        char *local = (char *)copy->local + at;

        if (copy->put) {
            status = asc_link_copy(scratch, local, len);
        }
        if (ASC_OK == status) {
            status = mca_osc_ascend_copy_end(
                by_import(import, copy->remote + at, scratch, len, copy->put, &op), &op);
        }
        if (ASC_OK == status && !copy->put) {
            status = asc_link_copy(local, scratch, len);
        }
    }
    asc_link_scratch_put(scratch, room);
    return status;
}

/* ------------------------------------------------------- host memory ---- */

/* False where the kernel does not allow it; remembered. */
static bool by_kernel(pid_t pid, uint64_t remote, char *local, size_t len, bool put,
                      asc_status_t *status)
{
    static bool refused;

    while (0 != len && mca_osc_ascend_component.kernel &&
           !__atomic_load_n(&refused, __ATOMIC_RELAXED)) {
        struct iovec here = {local, len}, there = {(void *)(uintptr_t)remote, len};
        const ssize_t done = put ? process_vm_writev(pid, &here, 1, &there, 1, 0)
                                 : process_vm_readv(pid, &here, 1, &there, 1, 0);

        if (done <= 0 && (EFAULT == errno || ESRCH == errno)) {
            *status = ASC_ERR_STALE; /* it was unmapped, or the process has ended */
            return true;
        }
        if (done <= 0) {
            __atomic_store_n(&refused, true, __ATOMIC_RELAXED);
            break;
        }
        remote += (size_t)done;
        local += done;
        len -= (size_t)done;
    }
    return 0 == len;
}

/* Between a device buffer and host memory of the target. */
static bool by_host_piece(pid_t pid, const mca_osc_ascend_copy_t *copy, asc_status_t *status)
{
    const size_t room = (copy->len < PIECE) ? copy->len : PIECE;
    bool pageable, done = true;
    void *piece = mca_osc_ascend_memory_get(room, "MPI_Put", &pageable);

    if (NULL == piece) {
        return false;
    }
    *status = ASC_OK;
    for (size_t at = 0; at < copy->len && done && ASC_OK == *status; at += room) {
        const size_t len = (copy->len - at < room) ? copy->len - at : room;
        char *local = (char *)copy->local + at;

        if (copy->put) {
            *status = asc_link_copy(piece, local, len);
        }
        done =
            ASC_OK != *status || by_kernel(pid, copy->remote + at, piece, len, copy->put, status);
        if (done && ASC_OK == *status && !copy->put) {
            *status = asc_link_copy(local, piece, len);
        }
    }
    mca_osc_ascend_memory_put(piece, room, pageable);
    return done;
}

static bool to_host(pid_t pid, const mca_osc_ascend_copy_t *copy, asc_status_t *status)
{
    if (ASC_LINK_MEM_HOST != asc_link_mem_query(copy->local, 0, NULL)) {
        return by_host_piece(pid, copy, status);
    }
    *status = ASC_OK;
    return by_kernel(pid, copy->remote, copy->local, copy->len, copy->put, status);
}

/* -------------------------------------------------------------- any ----- */

static asc_status_t by_relay(asc_link_peer_t *peer, uint64_t offer,
                             const mca_osc_ascend_copy_t *copy, asc_link_op_t *op)
{
    return copy->put ? asc_link_relay_put(peer, offer, copy->remote, copy->local, copy->len, op)
                     : asc_link_relay_get(peer, offer, copy->remote, copy->local, copy->len, op);
}

static asc_status_t to_device(const mca_osc_ascend_module_t *module,
                              const mca_osc_ascend_route_t *route,
                              const mca_osc_ascend_copy_t *copy, asc_link_op_t *op)
{
    const unsigned char *rkey = route->region.rkey;

    if (NULL == route->import) {
        return asc_link_relay_usable(rkey, ASC_LINK_RKEY_SIZE)
                   ? by_relay(module->peers[copy->target], 0, copy, op)
                   : ASC_ERR_STALE;
    }
    return (ASC_LINK_MEM_HOST == asc_link_mem_query(copy->local, 0, NULL))
               ? by_scratch(route->import, copy)
               : by_import(route->import, copy->remote, copy->local, copy->len, copy->put, op);
}

void mca_osc_ascend_route_close(mca_osc_ascend_route_t *route)
{
    if (route->open && NULL != route->import) {
        asc_link_import_release(route->import);
    }
    route->open = false;
    route->import = NULL;
}

static bool open_route(const mca_osc_ascend_module_t *module, mca_osc_ascend_route_t *route,
                       const mca_osc_ascend_copy_t *copy)
{
    if (route->open && mca_osc_ascend_holds(&route->region, copy->remote, copy->len)) {
        return true;
    }
    mca_osc_ascend_route_close(route);
    route->open =
        mca_osc_ascend_region_find(module, copy->target, copy->remote, copy->len, &route->region);
    if (route->open && copy->target != module->rank &&
        ASC_LINK_MEM_DEVICE == (asc_link_mem_kind_t)route->region.kind &&
        ASC_OK != asc_link_import(route->region.rkey, ASC_LINK_RKEY_SIZE, &route->import)) {
        route->import = NULL;
        opal_output_verbose(10, mca_osc_ascend_component.output,
                            "osc:ascend: memory of rank %d is not imported: %s", copy->target,
                            asc_link_last_reason());
    }
    return route->open;
}

static asc_status_t start(const mca_osc_ascend_module_t *module, mca_osc_ascend_route_t *route,
                          const mca_osc_ascend_copy_t *copy, asc_link_op_t *op)
{
    asc_status_t status;

    if (!open_route(module, route, copy)) {
        return ASC_ERR_STALE;
    }
    if (copy->target == module->rank) {
        void *there = (void *)(uintptr_t)copy->remote;

        return asc_link_copy(copy->put ? there : copy->local, copy->put ? copy->local : there,
                             copy->len);
    }
    if (ASC_LINK_MEM_DEVICE == (asc_link_mem_kind_t)route->region.kind) {
        return to_device(module, route, copy, op);
    }
    if (to_host(module->addrs[copy->target].pid, copy, &status)) {
        return status;
    }
    return (0 != route->region.offer)
               ? by_relay(module->peers[copy->target], route->region.offer, copy, op)
               : ASC_ERR_UNREACHABLE;
}

asc_status_t mca_osc_ascend_copy_start(const mca_osc_ascend_module_t *module,
                                       mca_osc_ascend_route_t *route,
                                       const mca_osc_ascend_copy_t *copy,
                                       mca_common_ascend_copies_t *others, asc_link_op_t *op)
{
    asc_status_t status = start(module, route, copy, op);

    while (ASC_ERR_BUSY == status) {
        if (NULL != others) {
            (void)mca_common_ascend_copies_test(others);
        }
        (void)mca_osc_ascend_poll();
        opal_progress();
        status = start(module, route, copy, op);
    }
    return status;
}

int mca_osc_ascend_error(asc_status_t status)
{
    if (ASC_OK == status) {
        return OMPI_SUCCESS;
    }
    return (ASC_ERR_STALE == status) ? MPI_ERR_RMA_RANGE : MPI_ERR_OTHER;
}
