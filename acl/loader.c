/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds, opens and judges the runtime library.
 *
 * No lock is held while a library is opened: constructors of the runtime run
 * then. Threads that race open the same library twice and get the same handle.
 */
#include "asc_config.h"

#include "acl/asc_acl.h"
#include "acl/asc_log.h"

#include <dlfcn.h>
#include <link.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ASC_ACL_REMEDY \
    "source the toolkit's set_env.sh, or set ASCEND_ACL_LIBRARY to the path of libascendcl.so"

/* In the order in which they are preferred. */
static const char *const asc_acl_names[] = {"libascendcl.so", "libacl_rt.so"};

#define ASC_ACL_NAMES (sizeof(asc_acl_names) / sizeof(asc_acl_names[0]))

typedef struct asc_acl_text {
    struct asc_acl_text *older; /* texts that were handed out stay valid */
    char text[];
} asc_acl_text_t;

static struct {
    pthread_mutex_t lock; /* guards writing of all below */
    asc_acl_t table;
    const asc_acl_t *ready; /* atomic: &table once it is filled */
    void *handle;           /* atomic: the process's runtime, judged or not */
    char path[PATH_MAX];
    asc_acl_text_t *error;   /* atomic */
    unsigned long long adds; /* atomic: libraries ever loaded at the last miss */
    bool initialised;
} asc_acl_lib = {.lock = PTHREAD_MUTEX_INITIALIZER};

__attribute__((format(printf, 1, 2))) static void asc_acl_set_error(const char *format, ...)
{
    char text[1024];
    asc_acl_text_t *error;
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    pthread_mutex_lock(&asc_acl_lib.lock);
    if (asc_acl_lib.error == NULL || strcmp(asc_acl_lib.error->text, text) != 0) {
        error = malloc(sizeof(*error) + strlen(text) + 1);
        if (error != NULL) {
            error->older = asc_acl_lib.error;
            strcpy(error->text, text);
            __atomic_store_n(&asc_acl_lib.error, error, __ATOMIC_RELEASE);
        }
    }
    pthread_mutex_unlock(&asc_acl_lib.lock);
}

const char *asc_acl_load_error(void)
{
    asc_acl_text_t *error = __atomic_load_n(&asc_acl_lib.error, __ATOMIC_ACQUIRE);

    return asc_acl_peek() != NULL || error == NULL ? "" : error->text;
}

static int asc_acl_count_adds(struct dl_phdr_info *info, size_t size, void *adds)
{
    (void)size;
    *(unsigned long long *)adds = info->dlpi_adds;
    return 1;
}

/* A program may carry the runtime under any file name, or linked into itself. */
static void *asc_acl_find_global(void)
{
    void *entry = dlsym(RTLD_DEFAULT, "aclrtMemcpyAsync");
    void *handle;
    Dl_info info;

    if (entry == NULL || dladdr(entry, &info) == 0) {
        return NULL;
    }
    handle = dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    if (handle != NULL && dlsym(handle, "aclrtMemcpyAsync") != entry) {
        dlclose(handle);
        handle = NULL;
    }
    return handle != NULL ? handle : dlopen(NULL, RTLD_NOW);
}

/* The runtime that somebody has loaded already. Remembered for good: the
 * reference that we take keeps it. */
static void *asc_acl_find_loaded(void)
{
    void *handle = __atomic_load_n(&asc_acl_lib.handle, __ATOMIC_ACQUIRE);
    unsigned long long adds = 0;

    if (handle != NULL) {
        return handle;
    }
    dl_iterate_phdr(asc_acl_count_adds, &adds);
    if (adds == __atomic_load_n(&asc_acl_lib.adds, __ATOMIC_RELAXED)) {
        return NULL;
    }
    for (size_t i = 0; handle == NULL && i < ASC_ACL_NAMES; ++i) {
        handle = dlopen(asc_acl_names[i], RTLD_NOW | RTLD_NOLOAD);
    }
    if (handle == NULL) {
        handle = asc_acl_find_global();
    }
    if (handle == NULL) {
        __atomic_store_n(&asc_acl_lib.adds, adds, __ATOMIC_RELAXED);
        return NULL;
    }
    __atomic_store_n(&asc_acl_lib.handle, handle, __ATOMIC_RELEASE);
    return handle;
}

bool asc_acl_loaded(void)
{
    return asc_acl_find_loaded() != NULL;
}

void *asc_acl_symbol(const char *name)
{
    void *handle = asc_acl_find_loaded();

    return handle != NULL ? dlsym(handle, name) : NULL;
}

static void asc_acl_handle_path(void *handle, char *path, size_t len)
{
    void *entry = dlsym(handle, "aclrtMemcpyAsync");
    Dl_info info;

    if (entry != NULL && dladdr(entry, &info) != 0) {
        snprintf(path, len, "%s", info.dli_fname);
    } else {
        path[0] = '\0';
    }
}

/* Two libraries that give the same function are one runtime: libascendcl.so
 * may be a front of libacl_rt.so. */
static bool asc_acl_same(void *a, void *b)
{
    return a == b || dlsym(a, "aclrtMemcpyAsync") == dlsym(b, "aclrtMemcpyAsync");
}

static void *asc_acl_open_named(const char *wanted)
{
    void *loaded = asc_acl_find_loaded();
    void *handle = dlopen(wanted, RTLD_NOW | RTLD_LOCAL | (loaded != NULL ? RTLD_NOLOAD : 0));
    char path[PATH_MAX];

    if (handle != NULL && (loaded == NULL || asc_acl_same(handle, loaded))) {
        return handle;
    }
    if (loaded == NULL) {
        asc_acl_set_error("ASCEND_ACL_LIBRARY %s cannot be loaded: %s; set it to the path of "
                          "libascendcl.so, or unset it",
                          wanted, dlerror());
        return NULL;
    }
    if (handle != NULL) {
        dlclose(handle);
    }
    asc_acl_handle_path(loaded, path, sizeof(path));
    asc_acl_set_error("ASCEND_ACL_LIBRARY names %s, but the process already uses %s: two runtimes "
                      "cannot share pointers; unset ASCEND_ACL_LIBRARY or name that one",
                      wanted, path);
    return NULL;
}

static void *asc_acl_open_default(void)
{
    void *handle = asc_acl_find_loaded();
    char first[512] = "";

    for (size_t i = 0; handle == NULL && i < ASC_ACL_NAMES; ++i) {
        handle = dlopen(asc_acl_names[i], RTLD_NOW | RTLD_LOCAL);
        if (handle == NULL && i == 0) {
            snprintf(first, sizeof(first), "%s", dlerror());
        }
    }
    if (handle == NULL) {
        asc_acl_set_error(
            "no Ascend runtime: neither libascendcl.so nor libacl_rt.so can be loaded "
            "(%s); " ASC_ACL_REMEDY,
            first);
    }
    return handle;
}

/* What a process loses with a required function, by the function's name. */
static const char *asc_acl_lost(const char *symbol)
{
    static const struct {
        const char *part, *lost;
    } lost[] = {
        {"Event", "the end of asynchronous copies cannot be seen"},
        {"Stream", "nothing can run asynchronously"},
        {"Context", "threads cannot be given a device"},
        {"MallocHost", "there is no pinned memory to stage through"},
        {"FreeHost", "pinned memory cannot be given back"},
        {"Memcpy", "device memory cannot be copied"},
        {"Malloc", "device memory cannot be allocated"},
        {"Free", "device memory cannot be given back"},
        {"Device", "devices cannot be chosen"},
    };

    for (size_t i = 0; i < sizeof(lost) / sizeof(lost[0]); ++i) {
        if (strstr(symbol, lost[i].part) != NULL) {
            return lost[i].lost;
        }
    }
    return "the runtime cannot be started";
}

/* One statement for each function of a list. NOLINTNEXTLINE(readability-function-size) */
static bool asc_acl_fill(void *handle, const char *path, asc_acl_t *table)
{
    const char *missing = NULL;
    unsigned found = 0;

#define ASC_ACL_LOAD(_name) \
    table->_name = (__typeof__(_name) *)dlsym(handle, #_name); \
    if (table->_name != NULL) { \
        ++found; \
    } else if (missing == NULL) { \
        missing = #_name; \
    }
    ASC_ACL_REQUIRED(ASC_ACL_LOAD)
#undef ASC_ACL_LOAD
    if (found == 0) {
        asc_acl_set_error(
            "%s is not an Ascend runtime: it has none of its functions; " ASC_ACL_REMEDY, path);
        return false;
    }
    if (missing != NULL) {
        asc_acl_set_error("%s lacks the function %s: %s, so device memory is not supported in this "
                          "process; use a runtime of CANN 7.0 or later",
                          path, missing, asc_acl_lost(missing));
        return false;
    }
#define ASC_ACL_LOAD(_name) \
    table->_name = (__typeof__(_name) *)dlsym(handle, #_name); \
    if (table->_name == NULL) { \
        asc_log(ASC_LOG_DEBUG, "%s lacks the optional function %s", path, #_name); \
    }
    ASC_ACL_OPTIONAL(ASC_ACL_LOAD)
#undef ASC_ACL_LOAD
    return true;
}

/* CANN's toolkit has a libascendcl.so that is for linking alone. */
#define ASC_ACL_STUB_TEXT \
    "%s is the toolkit's stub for linking (it answers 100039), not a runtime; take the stub " \
    "directory out of LD_LIBRARY_PATH, or set ASCEND_ACL_LIBRARY to the real libascendcl.so"

/* It answers every call with one code; this call starts nothing. Without this
 * function aclInit tells it. */
static bool asc_acl_is_stub(const asc_acl_t *table)
{
    int32_t version[3];

    return table->aclrtGetVersion != NULL &&
           table->aclrtGetVersion(&version[0], &version[1], &version[2]) ==
               ACL_ERROR_COMPILING_STUB_MODE;
}

/* What we alone have opened leaves the process again. */
static void asc_acl_drop(void *handle)
{
    if (handle != __atomic_load_n(&asc_acl_lib.handle, __ATOMIC_ACQUIRE)) {
        dlclose(handle);
    }
}

const asc_acl_t *asc_acl_peek(void)
{
    return __atomic_load_n(&asc_acl_lib.ready, __ATOMIC_ACQUIRE);
}

const asc_acl_t *asc_acl_get(void)
{
    const asc_acl_t *ready = asc_acl_peek();
    const char *wanted;
    asc_acl_t table = {0};
    char path[PATH_MAX];
    void *handle;

    /* First of all: this is on the way of every message. */
    if (ready != NULL) {
        return ready;
    }
    wanted = getenv("ASCEND_ACL_LIBRARY");
    if (wanted != NULL && wanted[0] != '\0') {
        handle = asc_acl_open_named(wanted);
    } else {
        wanted = asc_acl_names[0];
        handle = asc_acl_open_default();
    }
    if (handle == NULL) {
        return NULL;
    }
    asc_acl_handle_path(handle, path, sizeof(path));
    if (!asc_acl_fill(handle, path[0] != '\0' ? path : wanted, &table)) {
        asc_acl_drop(handle);
        return NULL;
    }
    if (asc_acl_is_stub(&table)) {
        asc_acl_set_error(ASC_ACL_STUB_TEXT, path);
        asc_acl_drop(handle);
        return NULL;
    }
    pthread_mutex_lock(&asc_acl_lib.lock);
    if (asc_acl_lib.ready == NULL) {
        asc_acl_lib.table = table;
        strcpy(asc_acl_lib.path, path);
        __atomic_store_n(&asc_acl_lib.handle, handle, __ATOMIC_RELEASE);
        __atomic_store_n(&asc_acl_lib.ready, &asc_acl_lib.table, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&asc_acl_lib.lock);
    return asc_acl_peek();
}

const char *asc_acl_path(void)
{
    return asc_acl_peek() != NULL ? asc_acl_lib.path : "";
}

asc_status_t asc_acl_init(void)
{
    const asc_acl_t *acl = asc_acl_get();
    char text[ASC_ACL_TEXT_MAX];
    aclError err;

    if (acl == NULL) {
        return ASC_ERR_NO_RUNTIME;
    }
    if (__atomic_load_n(&asc_acl_lib.initialised, __ATOMIC_ACQUIRE)) {
        return ASC_OK;
    }
    err = acl->aclInit(NULL);
    if (err == ACL_SUCCESS || err == ACL_ERROR_REPEAT_INITIALIZE) {
        __atomic_store_n(&asc_acl_lib.initialised, true, __ATOMIC_RELEASE);
        return ASC_OK;
    }
    if (err == ACL_ERROR_COMPILING_STUB_MODE) {
        asc_log_once(ASC_LOG_ERROR, ASC_ACL_STUB_TEXT, asc_acl_path());
        return ASC_ERR_NO_RUNTIME;
    }
    asc_log(ASC_LOG_ERROR, "aclInit of %s failed: %s", asc_acl_path(),
            asc_acl_error_text(err, text, sizeof(text)));
    return ASC_ERR_ACL;
}
