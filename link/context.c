/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Home device and primary contexts.
 *
 * Where the hooks see aclrtSetDevice, a device's primary context is taken from
 * the thread that chose it. Only when a thread without a device needs one and
 * nobody was seen choosing it do we call aclrtSetDevice ourselves: that takes
 * a reference on the device which the application's own aclrtResetDevice does
 * not give back.
 */
#include "link/context.h"
#include "acl/asc_log.h"
#include "link/asc_link.h"
#include "link/board.h"
#include "link/init.h"

typedef struct link_device {
    aclrtContext context; /* atomic: primary context, NULL if not known */
    uint32_t epoch;       /* atomic */
    bool reset;           /* atomic: the application has reset it since */
    bool used;            /* atomic: was ever known to be in use */
} link_device_t;

static link_device_t link_devices[LINK_MAX_DEVICES];
static bool link_finalised; /* atomic */
static int link_home = -1;  /* atomic */

#define LINK_LOAD(_field)         __atomic_load_n(&(_field), __ATOMIC_ACQUIRE)
#define LINK_STORE(_field, _what) __atomic_store_n(&(_field), (_what), __ATOMIC_RELEASE)

static bool link_device_valid(int device)
{
    return device >= 0 && device < LINK_MAX_DEVICES;
}

uint32_t link_ctx_epoch(int device)
{
    return link_device_valid(device) ? LINK_LOAD(link_devices[device].epoch) : 0;
}

static void link_home_set(int device)
{
    int none = -1;

    if (__atomic_compare_exchange_n(&link_home, &none, device, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE)) {
        link_board_device_used(device);
    }
}

int asc_link_home_device(void)
{
    const asc_acl_t *acl = asc_acl_peek();
    int home = LINK_LOAD(link_home);
    int32_t device = -1;

    if (home >= 0 || acl == NULL || link_forked()) {
        return home;
    }
    if (acl->aclrtGetDevice(&device) != ACL_SUCCESS) {
        asc_acl_forget_error();
    } else if (link_device_valid(device)) {
        link_home_set(device);
        home = LINK_LOAD(link_home);
    }
    return home;
}

/* The primary context of a device that the calling thread has current now. */
static void link_ctx_learn(int device, aclrtContext context)
{
    link_device_t *dev = &link_devices[device];
    aclrtContext old = __atomic_exchange_n(&dev->context, context, __ATOMIC_ACQ_REL);

    if (old != NULL && old != context) {
        __atomic_fetch_add(&dev->epoch, 1, __ATOMIC_ACQ_REL);
    }
    LINK_STORE(dev->used, true);
    LINK_STORE(dev->reset, false);
    LINK_STORE(link_finalised, false);
}

void link_ctx_device_set(int device)
{
    const asc_acl_t *acl = asc_acl_peek();
    aclrtContext context;

    if (!link_device_valid(device)) {
        return;
    }
    if (acl != NULL && (LINK_LOAD(link_devices[device].context) == NULL ||
                        LINK_LOAD(link_devices[device].reset))) {
        if (acl->aclrtGetCurrentContext(&context) == ACL_SUCCESS && context != NULL) {
            link_ctx_learn(device, context);
        }
    }
    link_home_set(device);
}

void link_ctx_device_reset(int device)
{
    for (int i = 0; i < LINK_MAX_DEVICES; ++i) {
        if (device < 0 || i == device) {
            LINK_STORE(link_devices[i].context, NULL);
            LINK_STORE(link_devices[i].reset, true);
            __atomic_fetch_add(&link_devices[i].epoch, 1, __ATOMIC_ACQ_REL);
        }
    }
    if (device < 0) {
        LINK_STORE(link_finalised, true);
    }
}

/* Resets that nobody saw show only in the runtime's own answer. */
static bool link_ctx_inactive(const asc_acl_t *acl, int device)
{
    uint32_t flags;
    int32_t active;

    return acl->aclrtGetPrimaryCtxState != NULL &&
           acl->aclrtGetPrimaryCtxState(device, &flags, &active) == ACL_SUCCESS && active == 0;
}

bool link_ctx_usable(int device)
{
    const asc_acl_t *acl = asc_acl_peek();

    if (acl == NULL || !link_device_valid(device) || link_forked() || LINK_LOAD(link_finalised)) {
        return false;
    }
    if (LINK_LOAD(link_devices[device].context) != NULL) {
        return true;
    }
    if (LINK_LOAD(link_devices[device].reset)) {
        return acl->aclrtGetPrimaryCtxState != NULL && !link_ctx_inactive(acl, device);
    }
    return !LINK_LOAD(link_devices[device].used) || !link_ctx_inactive(acl, device);
}

static asc_status_t link_ctx_obtain(const asc_acl_t *acl, int device, aclrtContext *context)
{
    char text[ASC_ACL_TEXT_MAX];
    aclError err;

    if (!link_ctx_usable(device)) {
        return ASC_ERR_NO_RUNTIME;
    }
    err = acl->aclrtSetDevice(device);
    if (err == ACL_ERROR_UNINITIALIZE && asc_acl_init() == ASC_OK) {
        err = acl->aclrtSetDevice(device);
    }
    if (err == ACL_SUCCESS) {
        err = acl->aclrtGetCurrentContext(context);
    }
    if (err != ACL_SUCCESS) {
        asc_log_once(ASC_LOG_WARN, "device %d cannot be used: %s", device,
                     asc_acl_error_text(err, text, sizeof(text)));
        return ASC_ERR_ACL;
    }
    link_ctx_learn(device, *context);
    return ASC_OK;
}

asc_status_t link_ctx_enter(int device, link_ctx_t *guard)
{
    const asc_acl_t *acl = asc_acl_get();
    aclrtContext context;
    asc_status_t status;

    if (acl == NULL || link_forked()) {
        return ASC_ERR_NO_RUNTIME;
    }
    if (!link_device_valid(device)) {
        return ASC_ERR_INVALID;
    }
    if (acl->aclrtGetCurrentContext(&guard->saved) != ACL_SUCCESS) {
        asc_acl_forget_error();
        guard->saved = NULL;
    }
    context = LINK_LOAD(link_devices[device].context);
    guard->switched = context == NULL || context != guard->saved;
    if (context != NULL &&
        (!guard->switched || acl->aclrtSetCurrentContext(context) == ACL_SUCCESS)) {
        return ASC_OK;
    }
    if (context != NULL) {
        /* Torn down behind our back. */
        link_ctx_device_reset(device);
        LINK_STORE(link_devices[device].reset, false);
    }
    status = link_ctx_obtain(acl, device, &context);
    if (status != ASC_OK) {
        link_ctx_leave(guard);
    }
    return status;
}

void link_ctx_leave(link_ctx_t *guard)
{
    const asc_acl_t *acl = asc_acl_peek();

    if (guard->switched && acl != NULL &&
        acl->aclrtSetCurrentContext(guard->saved) != ACL_SUCCESS) {
        asc_acl_forget_error();
    }
}
