/* SPDX-License-Identifier: BSD-3-Clause */
/* Puts threads and processes near a device. */
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

static int bind_cpus(struct asc_topo *topo, int dev, int flags, char *reason, size_t size)
{
    const struct asc_topo_device *device = asc_topo_located(topo, dev);
    int err;

    if ((reason != NULL) && (size > 0)) {
        reason[0] = '\0';
    }
    if (device == NULL) {
        return fail(reason, size, -EINVAL, "there is no device with index %d", dev);
    }
    if (device->cpus == NULL) {
        return fail(reason, size, -ENODATA, "%s", device->reason);
    }
    /* hwloc would report success here and do nothing. */
    if (!asc_topo_machine_is_live()) {
        return fail(reason, size, -ENOTSUP, "%s is not the one we run on, nothing can be bound",
                    asc_topo_machine());
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
