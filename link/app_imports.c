/* SPDX-License-Identifier: BSD-3-Clause */
#include "link/app_imports.h"

#include "acl/asc_acl.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Of the runtime's keys; 64 characters and the end. */
#define KEY_MAX   65

/* No device has more. */
#define SIZE_LAST ((size_t)1 << 40)

typedef struct app_import {
    struct app_import *next;
    uintptr_t base;
    size_t size;
    unsigned times;
    int device;
    char key[KEY_MAX];
} app_import_t;

static pthread_mutex_t imports_lock = PTHREAD_MUTEX_INITIALIZER;
static app_import_t *imports;
static unsigned imports_count; /* atomic */

static bool on_device(const asc_acl_t *acl, const char *ptr)
{
    aclrtPtrAttributes attr;

    return acl->aclrtPointerGetAttributes != NULL &&
           acl->aclrtPointerGetAttributes(ptr, &attr) == ACL_SUCCESS &&
           attr.location.type == ACL_MEM_LOCATION_TYPE_DEVICE;
}

/* Without the runtime's word rather too much than too little: the process's own
 * allocations are found before anybody looks here. */
static size_t size_of(void *base)
{
    const asc_acl_t *acl = asc_acl_get();
    size_t size = 0;
    void *start;

    if (acl == NULL) {
        return 1;
    }
    if (acl->aclrtMemGetAddressRange != NULL &&
        acl->aclrtMemGetAddressRange(base, &start, &size) == ACL_SUCCESS) {
        return (uintptr_t)start + size - (uintptr_t)base;
    }
    for (size = 1; size < SIZE_LAST && on_device(acl, (char *)base + size); size *= 2) {
    }
    return size;
}

static app_import_t **find_key(const char *key)
{
    app_import_t **at = &imports;

    while (*at != NULL && strncmp((*at)->key, key, KEY_MAX - 1) != 0) {
        at = &(*at)->next;
    }
    return at;
}

void link_app_imports_add(void *base, const char *key, int device)
{
    const size_t size = size_of(base);
    app_import_t *import;

    pthread_mutex_lock(&imports_lock);
    import = *find_key(key);
    if (import == NULL && (import = calloc(1, sizeof(*import))) != NULL) {
        strncpy(import->key, key, KEY_MAX - 1);
        import->next = imports;
        imports = import;
        __atomic_add_fetch(&imports_count, 1, __ATOMIC_RELEASE);
    }
    if (import != NULL) {
        import->base = (uintptr_t)base;
        import->size = size;
        import->device = device;
        ++import->times;
    }
    pthread_mutex_unlock(&imports_lock);
}

static void remove_at(app_import_t **at)
{
    app_import_t *gone = *at;

    *at = gone->next;
    free(gone);
    __atomic_sub_fetch(&imports_count, 1, __ATOMIC_RELEASE);
}

void link_app_imports_close(const char *key)
{
    app_import_t **at;

    pthread_mutex_lock(&imports_lock);
    at = find_key(key);
    if (*at != NULL && --(*at)->times == 0) {
        remove_at(at);
    }
    pthread_mutex_unlock(&imports_lock);
}

void link_app_imports_drop(int device)
{
    app_import_t **at = &imports;

    pthread_mutex_lock(&imports_lock);
    while (*at != NULL) {
        if (device < 0 || (*at)->device == device) {
            remove_at(at);
        } else {
            at = &(*at)->next;
        }
    }
    pthread_mutex_unlock(&imports_lock);
}

bool link_app_imports_have(const void *addr)
{
    bool found = false;

    if (__atomic_load_n(&imports_count, __ATOMIC_ACQUIRE) == 0) {
        return false;
    }
    pthread_mutex_lock(&imports_lock);
    for (const app_import_t *import = imports; import != NULL && !found; import = import->next) {
        found = (uintptr_t)addr - import->base < import->size;
    }
    pthread_mutex_unlock(&imports_lock);
    return found;
}
