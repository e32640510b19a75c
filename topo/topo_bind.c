/* SPDX-License-Identifier: BSD-3-Clause */
/* Puts memory, threads and processes near a device. */
#include "topo/topo_internal.h"
#include "topo/topo_machine.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int fail(char *reason, size_t size, int status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static int fail(char *reason, size_t size, int status, const char *format, ...)
{
    va_list args;

    if ((reason != NULL) && (size > 0)) {
        va_start(args, format);
        vsnprintf(reason, size, format, args);
        va_end(args);
    }
    return status;
}

/* Checks that hold for all binding. device_p is set on success. */
static int prepare(struct asc_topo *topo, int dev, int need_node,
                   const struct asc_topo_device **device_p, char *reason, size_t size)
{
    const struct asc_topo_device *device = asc_topo_located(topo, dev);

    if ((reason != NULL) && (size > 0)) {
        reason[0] = '\0';
    }
    if (device == NULL) {
        return fail(reason, size, -EINVAL, "there is no device with index %d", dev);
    }
    if (need_node ? (device->nodes == NULL) : (device->cpus == NULL)) {
        return fail(reason, size, -ENODATA, "%s", device->reason);
    }
    /* hwloc would report success here and do nothing. */
    if (!asc_topo_machine_is_live()) {
        return fail(reason, size, -ENOTSUP, "%s is not the one we run on, nothing can be bound",
                    asc_topo_machine());
    }

    *device_p = device;
    return 0;
}

static int bind_cpus(struct asc_topo *topo, int dev, int flags, char *reason, size_t size)
{
    const struct asc_topo_device *device;
    int status = prepare(topo, dev, 0, &device, reason, size);
    int err;

    if (status != 0) {
        return status;
    }
    if (hwloc_set_cpubind(asc_topo_machine_get()->hwloc, device->cpus, flags) < 0) {
        err = errno == ENOSYS ? ENOTSUP : errno;
        return fail(reason, size, -err, "binding to CPUs %s near NPU %d failed: %s", device->cpuset,
                    device->facts.device_id, strerror(err));
    }
    return 0;
}

int asc_topo_bind_thread(struct asc_topo *topo, int dev, char *reason, size_t reason_size)
{
    return bind_cpus(topo, dev, HWLOC_CPUBIND_THREAD, reason, reason_size);
}

int asc_topo_bind_process(struct asc_topo *topo, int dev, char *reason, size_t reason_size)
{
    return bind_cpus(topo, dev, HWLOC_CPUBIND_PROCESS, reason, reason_size);
}

int asc_topo_bind_memory(struct asc_topo *topo, int dev, void *addr, size_t len, char *reason,
                         size_t reason_size)
{
    const struct asc_topo_device *device;
    int status = prepare(topo, dev, 1, &device, reason, reason_size);
    int err;

    if (status != 0) {
        return status;
    }
    if ((addr == NULL) || (len == 0)) {
        return fail(reason, reason_size, -EINVAL, "the memory range is empty");
    }
    if (hwloc_set_area_membind(asc_topo_machine_get()->hwloc, addr, len, device->nodes,
                               HWLOC_MEMBIND_BIND,
                               HWLOC_MEMBIND_BYNODESET | HWLOC_MEMBIND_MIGRATE) < 0) {
        err = errno == ENOSYS ? ENOTSUP : errno;
        return fail(reason, reason_size, -err,
                    "placing %zu bytes on NUMA node %d near NPU %d failed: %s", len,
                    device->where.numa_node, device->facts.device_id, strerror(err));
    }
    return 0;
}
