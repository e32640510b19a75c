/* SPDX-License-Identifier: BSD-3-Clause */
#include "link/stream.h"
#include "acl/asc_log.h"
#include "link/context.h"

#include <pthread.h>
#include <stdlib.h>

#define LINK_EVENTS_KEEP 256

static link_stream_t *link_streams[LINK_MAX_DEVICES][LINK_STREAM_USES]; /* atomic */

static struct {
    pthread_mutex_t lock;
    struct {
        unsigned count;
        uint32_t epoch;
        aclrtEvent event[LINK_EVENTS_KEEP];
    } device[LINK_MAX_DEVICES];
} link_events = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ------------------------------------------------------- streams --------- */

link_stream_t *link_stream_create(int device)
{
    const asc_acl_t *acl = asc_acl_get();
    link_stream_t *stream = malloc(sizeof(*stream));
    char text[ASC_ACL_TEXT_MAX];
    aclError err;

    if (acl == NULL || stream == NULL) {
        free(stream);
        return NULL;
    }
    stream->device = device;
    stream->epoch = link_ctx_epoch(device);
    stream->failed = false;
    stream->older = NULL;
    stream->retired = NULL;
    if (acl->aclrtCreateStreamWithConfig != NULL) {
        err = acl->aclrtCreateStreamWithConfig(&stream->handle, 0, ACL_STREAM_FAST_LAUNCH);
    } else {
        err = acl->aclrtCreateStream(&stream->handle);
    }
    if (err != ACL_SUCCESS) {
        asc_log(ASC_LOG_ERROR, "no stream on device %d: %s", device,
                asc_acl_error_text(err, text, sizeof(text)));
        free(stream);
        return NULL;
    }
    return stream;
}

static void link_stream_end(link_stream_t *stream, bool force)
{
    const asc_acl_t *acl = asc_acl_peek();

    link_stream_fail(stream);
    if (acl == NULL || stream->epoch != link_ctx_epoch(stream->device)) {
        return;
    }
    if (force && acl->aclrtDestroyStreamForce != NULL) {
        (void)acl->aclrtDestroyStreamForce(stream->handle);
    } else {
        (void)acl->aclrtDestroyStream(stream->handle);
    }
}

void link_stream_destroy(link_stream_t *stream, bool force)
{
    static link_stream_t *retired; /* atomic */

    link_stream_end(stream, force);
    stream->retired = __atomic_load_n(&retired, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&retired, &stream->retired, stream, false, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED)) {
    }
}

aclError link_stream_settle(const link_stream_t *stream)
{
    const asc_acl_t *acl = asc_acl_peek();
    aclError err = acl->aclrtSynchronizeStream(stream->handle);

    if (err != ACL_SUCCESS) {
        /* the stream's error would come again, that of the call alone does not */
        err = acl->aclrtSynchronizeStream(stream->handle);
    }
    return err;
}

void link_stream_fail(link_stream_t *stream)
{
    __atomic_store_n(&stream->failed, true, __ATOMIC_RELEASE);
}

static bool link_stream_good(const link_stream_t *stream)
{
    return stream != NULL && !__atomic_load_n(&stream->failed, __ATOMIC_ACQUIRE) &&
           stream->epoch == link_ctx_epoch(stream->device);
}

link_stream_t *link_stream_get(int device, link_stream_use_t use)
{
    link_stream_t **place, *old, *made;

    if (device < 0 || device >= LINK_MAX_DEVICES) {
        return NULL;
    }
    place = &link_streams[device][use];
    old = __atomic_load_n(place, __ATOMIC_ACQUIRE);
    if (link_stream_good(old)) {
        return old;
    }
    made = link_stream_create(device);
    if (made == NULL) {
        return NULL;
    }
    made->older = old;
    if (!__atomic_compare_exchange_n(place, &old, made, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE)) {
        /* Another thread was faster; nobody has seen ours. */
        link_stream_end(made, false);
        free(made);
        return link_stream_good(old) ? old : NULL;
    }
    return made;
}

link_stream_use_t link_stream_use_of(aclrtMemcpyKind kind)
{
    switch (kind) {
    case ACL_MEMCPY_HOST_TO_DEVICE:
        return LINK_STREAM_H2D;
    case ACL_MEMCPY_DEVICE_TO_HOST:
        return LINK_STREAM_D2H;
    default:
        return LINK_STREAM_D2D;
    }
}

aclError link_stream_copy(const link_stream_t *stream, void *dst, const void *src, size_t len,
                          aclrtMemcpyKind kind)
{
    const asc_acl_t *acl = asc_acl_peek();
    aclError err = ACL_SUCCESS;

    for (size_t at = 0, part; err == ACL_SUCCESS && at < len; at += part) {
        char *to = (char *)dst + at;
        const char *from = (const char *)src + at;

        part = len - at < LINK_STREAM_TASK ? len - at : LINK_STREAM_TASK;
        err = stream != NULL ? acl->aclrtMemcpyAsync(to, part, from, part, kind, stream->handle)
                             : acl->aclrtMemcpy(to, part, from, part, kind);
    }
    return err;
}

/* -------------------------------------------------------- events --------- */

static aclrtEvent link_event_pop(int device)
{
    aclrtEvent event = NULL;

    pthread_mutex_lock(&link_events.lock);
    if (link_events.device[device].epoch != link_ctx_epoch(device)) {
        link_events.device[device].epoch = link_ctx_epoch(device);
        link_events.device[device].count = 0;
    }
    if (link_events.device[device].count > 0) {
        event = link_events.device[device].event[--link_events.device[device].count];
    }
    pthread_mutex_unlock(&link_events.lock);
    return event;
}

aclrtEvent link_event_get(int device)
{
    const asc_acl_t *acl = asc_acl_get();
    aclrtEvent event = link_event_pop(device);
    char text[ASC_ACL_TEXT_MAX];
    aclError err;

    if (event != NULL || acl == NULL) {
        return event;
    }
    if (acl->aclrtCreateEventExWithFlag != NULL) {
        err = acl->aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC);
    } else {
        err = acl->aclrtCreateEvent(&event);
    }
    if (err != ACL_SUCCESS) {
        asc_log(ASC_LOG_ERROR, "no event on device %d: %s", device,
                asc_acl_error_text(err, text, sizeof(text)));
        return NULL;
    }
    return event;
}

void link_event_put(int device, aclrtEvent event, uint32_t epoch)
{
    const asc_acl_t *acl = asc_acl_peek();
    bool kept = epoch != link_ctx_epoch(device);
    link_ctx_t guard;

    pthread_mutex_lock(&link_events.lock);
    if (!kept && link_events.device[device].epoch == epoch &&
        link_events.device[device].count < LINK_EVENTS_KEEP) {
        link_events.device[device].event[link_events.device[device].count++] = event;
        kept = true;
    }
    pthread_mutex_unlock(&link_events.lock);
    if (!kept && acl != NULL && link_ctx_enter(device, &guard) == ASC_OK) {
        (void)acl->aclrtDestroyEvent(event);
        link_ctx_leave(&guard);
    }
}
