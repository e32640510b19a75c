/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffers in host and NPU memory, and the module that knows the latter. */
#include "bench_common.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Beside a program of the build tree, beside the program, or as installed. */
static void bench_module_path(char *path, size_t room)
{
    static const char *const beside[] = {".libs/bench_npu.so", "bench_npu.so"};
    ssize_t len = readlink("/proc/self/exe", path, room);

    while (len > 0 && path[len - 1] != '/') {
        len--;
    }
    for (size_t i = 0; len > 0 && i < sizeof(beside) / sizeof(*beside); i++) {
        if ((size_t)len + strlen(beside[i]) < room) {
            strcpy(path + len, beside[i]);
            if (access(path, R_OK) == 0) {
                return;
            }
        }
    }
    snprintf(path, room, "%s/bench_npu.so", BENCH_MODULE_DIR);
}

static const bench_npu_ops_t *bench_module_open(char *error)
{
    const char *runtime = getenv("ASCEND_ACL_LIBRARY");
    const bench_npu_ops_t *ops = NULL;
    char path[4096];
    void *module;

    /* A runtime named by the user is loaded first: it then is the libascendcl.so
     * that the module asks for. */
    if (runtime != NULL && *runtime != '\0' && dlopen(runtime, RTLD_NOW | RTLD_GLOBAL) == NULL) {
        snprintf(error, BENCH_ERROR_MAX,
                 "ASCEND_ACL_LIBRARY names '%s', which cannot be loaded: %s", runtime, dlerror());
        return NULL;
    }
    bench_module_path(path, sizeof(path));
    module = dlopen(path, RTLD_NOW);
    if (module != NULL) {
        ops = dlsym(module, BENCH_NPU_SYMBOL);
    }
    if (ops == NULL) {
        snprintf(error, BENCH_ERROR_MAX,
                 "buffers in NPU memory need the ACL library: %s; put its directory into "
                 "LD_LIBRARY_PATH, or start with ascendrun (--sim for the software NPU)",
                 dlerror());
    }
    return ops;
}

int bench_open_npu(bench_job_t *job, int needed)
{
    char error[BENCH_ERROR_MAX] = "";
    int failed = 0;

    if (needed) {
        job->npu = bench_module_open(error);
        failed = job->npu == NULL || job->npu->open(job->local_rank, error) != 0;
    }
    return bench_agree(job, failed, error);
}

int bench_buffer_alloc(bench_job_t *job, bench_buffer_t *buf, size_t bytes, char where, char *error)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *ptr = NULL;

    bytes = bytes == 0 ? 1 : bytes;
    if (where == 'D') {
        if (job->npu->alloc(&ptr, bytes, error) != 0) {
            return -1;
        }
    } else {
        if (posix_memalign(&ptr, page, bytes) != 0) {
            snprintf(error, BENCH_ERROR_MAX, "no host memory for a buffer of %zu bytes", bytes);
            return -1;
        }
        memset(ptr, 0x5a, bytes);
    }
    buf->ptr = ptr;
    buf->bytes = bytes;
    buf->where = where;
    return 0;
}

void bench_buffer_free(bench_job_t *job, bench_buffer_t *buf)
{
    char error[BENCH_ERROR_MAX];

    if (buf->ptr == NULL) {
        return;
    }
    if (buf->where == 'H') {
        free(buf->ptr);
    } else if (job->npu->free(buf->ptr, error) != 0) {
        bench_die(job, error);
    }
    memset(buf, 0, sizeof(*buf));
}

void bench_buffer_put(bench_job_t *job, bench_buffer_t *buf, size_t offset, const void *from,
                      size_t bytes)
{
    char error[BENCH_ERROR_MAX];

    if (buf->where == 'H') {
        memcpy(buf->ptr + offset, from, bytes);
    } else if (bytes > 0 && job->npu->to_device(buf->ptr + offset, from, bytes, error) != 0) {
        bench_die(job, error);
    }
}

void bench_buffer_get(bench_job_t *job, const bench_buffer_t *buf, size_t offset, void *to,
                      size_t bytes)
{
    char error[BENCH_ERROR_MAX];

    if (buf->where == 'H') {
        memcpy(to, buf->ptr + offset, bytes);
    } else if (bytes > 0 && job->npu->to_host(to, buf->ptr + offset, bytes, error) != 0) {
        bench_die(job, error);
    }
}
