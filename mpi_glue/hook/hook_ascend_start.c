/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Start and MPI_Startall: the pml starts a persistent request with the
 * buffer that it was made with, which may have been freed since. UCX could only
 * end the process then. */
#include "hook_ascend_calls.h"

#include "ompi/errhandler/errhandler.h"
#include "opal/class/opal_hash_table.h"
#include "opal/threads/mutex.h"

typedef struct buffer {
    const void *address;
    size_t len;
    mca_common_ascend_names_t names;
} buffer_t;

/* By request. The pml uses requests again, so an entry stands until another
 * request is made at its address, or for good. */
static struct {
    opal_mutex_t lock;
    opal_hash_table_t table;
    bool made;
    size_t n; /* atomic: entries that have a buffer */
} buffers = {.lock = OPAL_MUTEX_STATIC_INIT};

static buffer_t *find(const ompi_request_t *request)
{
    void *found = NULL;

    if (!buffers.made || OPAL_SUCCESS != opal_hash_table_get_value_uint64(
                                             &buffers.table, (uintptr_t)request, &found)) {
        return NULL;
    }
    return found;
}

static buffer_t *add(const ompi_request_t *request)
{
    buffer_t *buffer = calloc(1, sizeof(*buffer));

    if (!buffers.made && NULL != buffer) {
        OBJ_CONSTRUCT(&buffers.table, opal_hash_table_t);
        buffers.made = OPAL_SUCCESS == opal_hash_table_init(&buffers.table, 256);
    }
    if (NULL == buffer || !buffers.made ||
        OPAL_SUCCESS !=
            opal_hash_table_set_value_uint64(&buffers.table, (uintptr_t)request, buffer)) {
        free(buffer);
        return NULL;
    }
    return buffer;
}

int mca_hook_ascend_note_buffer(const ompi_request_t *request, const void *address, size_t len,
                                const mca_common_ascend_names_t *names)
{
    buffer_t *buffer;

    opal_mutex_lock(&buffers.lock);
    buffer = find(request);
    if (NULL == buffer) {
        buffer = add(request);
    }
    if (NULL != buffer) {
        __atomic_add_fetch(&buffers.n, (0 == buffer->len) ? 1 : 0, __ATOMIC_RELAXED);
        *buffer = (buffer_t){.address = address, .len = len, .names = *names};
    }
    opal_mutex_unlock(&buffers.lock);
    return (NULL != buffer) ? OMPI_SUCCESS : OMPI_ERR_OUT_OF_RESOURCE;
}

void mca_hook_ascend_forget_buffer(const ompi_request_t *request)
{
    buffer_t *buffer;

    if (OPAL_LIKELY(0 == __atomic_load_n(&buffers.n, __ATOMIC_RELAXED))) {
        return;
    }
    opal_mutex_lock(&buffers.lock);
    buffer = find(request);
    if (NULL != buffer && 0 != buffer->len) {
        buffer->len = 0;
        __atomic_sub_fetch(&buffers.n, 1, __ATOMIC_RELAXED);
    }
    opal_mutex_unlock(&buffers.lock);
}

/* What is wrong in other ways is left to the real function. */
static int check(const ompi_request_t *request, const char *call)
{
    buffer_t known = {.len = 0};
    const buffer_t *buffer;

    if (NULL == request) {
        return OMPI_SUCCESS;
    }
    opal_mutex_lock(&buffers.lock);
    buffer = find(request);
    if (NULL != buffer) {
        known = *buffer;
    }
    opal_mutex_unlock(&buffers.lock);
    if (0 == known.len || ASC_LINK_MEM_BAD != asc_link_mem_query(known.address, known.len, NULL)) {
        return OMPI_SUCCESS;
    }
    known.names.call = call;
    return mca_common_ascend_bad_pointer(known.address, &known.names);
}

static inline bool none_known(void)
{
    return OPAL_LIKELY(0 == __atomic_load_n(&buffers.n, __ATOMIC_RELAXED));
}

int mca_hook_ascend_call_Start(MPI_Request *request)
{
    int rc = OMPI_SUCCESS;

    if (!none_known() && NULL != request) {
        rc = check(*request, "MPI_Start");
    }
    if (OMPI_SUCCESS != rc) {
        return OMPI_ERRHANDLER_INVOKE((*request)->req_mpi_object.comm, rc, "MPI_Start");
    }
    return mca_hook_ascend_real.Start(request);
}

/* All are looked at before one is started: after an error none is. */
int mca_hook_ascend_call_Startall(int count, MPI_Request requests[])
{
    for (int i = 0; !none_known() && NULL != requests && i < count; i++) {
        const int rc = check(requests[i], "MPI_Startall");

        if (OMPI_SUCCESS != rc) {
            return OMPI_ERRHANDLER_INVOKE(requests[i]->req_mpi_object.comm, rc, "MPI_Startall");
        }
    }
    return mca_hook_ascend_real.Startall(count, requests);
}
