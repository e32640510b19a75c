/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Preloaded into ascend_info by t_ascend_info_reasons.sh: what no setting can
 * bring about. FAKE says which: "versions" (other releases of UCX and Open MPI run
 * than were built for), "copy" (copies fail), "data" (they copy nothing), "lost"
 * (the second process ends in its first import).
 */
#define _GNU_SOURCE 1

#include "link/asc_link.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

EXPORTED void ucp_get_version(unsigned *major, unsigned *minor, unsigned *release);
EXPORTED int MPI_Get_library_version(char *text, int *len);
EXPORTED asc_status_t asc_link_get(asc_link_import_t *import, uint64_t remote, void *local,
                                   size_t len, asc_link_op_t *op);
EXPORTED asc_status_t asc_link_import(const void *rkey, size_t rkey_len,
                                      asc_link_import_t **import);

static int is(const char *what)
{
    const char *fake = getenv("FAKE");

    return fake != NULL && strcmp(fake, what) == 0;
}

/* The process that ascend_info starts to have a pair. */
static int is_second(void)
{
    FILE *file = fopen("/proc/self/cmdline", "r");
    char line[4096] = "";
    size_t len = file != NULL ? fread(line, 1, sizeof(line) - 1, file) : 0;

    if (file != NULL) {
        fclose(file);
    }
    return memmem(line, len, "--pair-fd", 9) != NULL;
}

/* The function that this library stands before. */
static void *next(const char *name)
{
    void *symbol = dlsym(RTLD_NEXT, name);

    if (symbol == NULL) {
        fprintf(stderr, "no %s behind the preloaded one\n", name);
        exit(3);
    }
    return symbol;
}

void ucp_get_version(unsigned *major, unsigned *minor, unsigned *release)
{
    ((__typeof__(ucp_get_version) *)next("ucp_get_version"))(major, minor, release);
    *release += is("versions") ? 7 : 0;
}

int MPI_Get_library_version(char *text, int *len)
{
    int rc = ((__typeof__(MPI_Get_library_version) *)next("MPI_Get_library_version"))(text, len);

    if (is("versions")) {
        *len = sprintf(text, "Open MPI v9.8.7, package: none");
    }
    return rc;
}

asc_status_t asc_link_get(asc_link_import_t *import, uint64_t remote, void *local, size_t len,
                          asc_link_op_t *op)
{
    if (is("copy")) {
        return ASC_ERR_ACL;
    }
    return is("data")
               ? ASC_OK
               : ((__typeof__(asc_link_get) *)next("asc_link_get"))(import, remote, local, len, op);
}

asc_status_t asc_link_import(const void *rkey, size_t rkey_len, asc_link_import_t **import)
{
    if (is("lost") && is_second()) {
        _exit(0);
    }
    return ((__typeof__(asc_link_import) *)next("asc_link_import"))(rkey, rkey_len, import);
}
