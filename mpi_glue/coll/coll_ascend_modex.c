/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_ascend.h"

#include <stdlib.h>
#include <string.h>

#include "opal/mca/pmix/pmix.h"
#include "opal/threads/mutex.h"
#include "opal/util/output.h"

/**
 * What a process tells its peers. The component's version is part of the key,
 * so processes with another plugin version do not see each other's.
 */
typedef struct modex_blob {
    asc_link_addr_t addr;
    uint32_t ompi_version; /**< major << 16 | minor << 8 | release */
    uint32_t reserved;
} modex_blob_t;

/* One entry per process that was asked for, also when it had published nothing. */
typedef struct known {
    struct known *next;
    opal_process_name_t name;
    bool valid;
    asc_link_addr_t addr;
} known_t;

static struct {
    opal_mutex_t lock;
    known_t *first;
} modex = {.lock = OPAL_MUTEX_STATIC_INIT};

int mca_coll_ascend_modex_send(void)
{
    modex_blob_t blob;
    int rc;

    memset(&blob, 0, sizeof(blob));
    asc_link_self_addr(&blob.addr);
    if (!mca_coll_ascend_component.enable) {
        blob.addr.flags |= ASC_LINK_ADDR_DISABLED;
    }
    blob.ompi_version = OMPI_MAJOR_VERSION << 16 | OMPI_MINOR_VERSION << 8 | OMPI_RELEASE_VERSION;
    OPAL_MODEX_SEND(rc, OPAL_PMIX_GLOBAL, &mca_coll_ascend_component.super.collm_version, &blob,
                    sizeof(blob));
    if (OPAL_SUCCESS != rc) {
        opal_output_verbose(1, mca_coll_ascend_component.output,
                            "coll:ascend: address not published, error %d", rc);
    }
    return OMPI_SUCCESS;
}

static known_t *find_known(const opal_process_name_t *name)
{
    known_t *known;

    for (known = modex.first; NULL != known; known = known->next) {
        if (0 == opal_compare_proc(known->name, *name)) {
            return known;
        }
    }
    return NULL;
}

/* The lock is not held during the fetch: two threads may both fetch, then one
 * entry is found before the other and both say the same. */
static known_t *fetch(const opal_process_name_t *name)
{
    known_t *known = calloc(1, sizeof(*known));
    modex_blob_t *blob = NULL;
    size_t len = 0;
    int rc;

    if (NULL == known) {
        return NULL;
    }
    known->name = *name;
    OPAL_MODEX_RECV(rc, &mca_coll_ascend_component.super.collm_version, name, (void **)&blob, &len);
    if (OPAL_SUCCESS == rc && NULL != blob && len >= sizeof(*blob)) {
        known->addr = blob->addr;
        known->valid = true;
    }
    free(blob);
    opal_mutex_lock(&modex.lock);
    known->next = modex.first;
    modex.first = known;
    opal_mutex_unlock(&modex.lock);
    return known;
}

bool mca_coll_ascend_modex_addr(const opal_process_name_t *name, asc_link_addr_t *addr)
{
    known_t *known;

    opal_mutex_lock(&modex.lock);
    known = find_known(name);
    opal_mutex_unlock(&modex.lock);
    if (NULL == known) {
        known = fetch(name);
    }
    if (NULL == known || !known->valid) {
        return false;
    }
    *addr = known->addr;
    return true;
}

static asc_link_peer_t *open_peer(const ompi_proc_t *proc)
{
    asc_link_peer_t *peer;
    asc_link_addr_t addr;
    asc_status_t status;
    char why[256] = "";

    if (!OPAL_PROC_ON_LOCAL_NODE(proc->super.proc_flags) ||
        !mca_coll_ascend_modex_addr(&proc->super.proc_name, &addr)) {
        return NULL;
    }
    status = asc_link_peer_open(&addr, &peer, why, sizeof(why));
    if (ASC_OK != status) {
        opal_output_verbose(1, mca_coll_ascend_component.output,
                            "coll:ascend: peer %s is not used directly: %s",
                            OPAL_NAME_PRINT(proc->super.proc_name), why);
        return NULL;
    }
    return peer;
}

static void open_group(ompi_group_t *group, const void **mails)
{
    size_t len;

    for (int i = 0; i < ompi_group_size(group); i++) {
        const ompi_proc_t *proc = ompi_group_get_proc_ptr(group, i, false);
        /* Not allocated yet: never talked to, hence not on this node. */
        asc_link_peer_t *peer = (NULL != proc) ? open_peer(proc) : NULL;

        if (NULL != mails && NULL != peer && !asc_link_peer_is_self(peer)) {
            mails[i] = asc_link_peer_mail(peer, &len);
        }
    }
}

void mca_coll_ascend_open_peers(struct ompi_communicator_t *comm, const void **mails)
{
    open_group(comm->c_local_group, mails);
    if (OMPI_COMM_IS_INTER(comm)) {
        open_group(comm->c_remote_group, NULL);
    }
}

bool mca_coll_ascend_find_uid(uint64_t uid, opal_process_name_t *name)
{
    size_t count = 0;
    ompi_proc_t **procs = ompi_proc_all(&count);
    asc_link_addr_t addr;
    bool found = false;

    if (NULL == procs) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!found && OPAL_PROC_ON_LOCAL_NODE(procs[i]->super.proc_flags) &&
            mca_coll_ascend_modex_addr(&procs[i]->super.proc_name, &addr) && addr.uid == uid) {
            *name = procs[i]->super.proc_name;
            found = true;
        }
        OBJ_RELEASE(procs[i]);
    }
    free(procs);
    return found;
}

void mca_coll_ascend_modex_close(void)
{
    known_t *known = modex.first;

    modex.first = NULL;
    while (NULL != known) {
        known_t *next = known->next;

        free(known);
        known = next;
    }
}
