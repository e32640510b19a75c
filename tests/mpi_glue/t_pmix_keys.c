/* SPDX-License-Identifier: BSD-3-Clause */
/* Keys of device memory travel as single PMIx keys: what link/ puts in one
 * process (its notify for the other) is got in the other under exactly its
 * name, one key a name; a name that nobody has put, and the name of another
 * process's key, are answered "not found" by the node's server, not by a wait;
 * link/ itself finds the key, so copies are followed by records. */
#include "coll_harness.h"

#include "tests/helpers/t_helpers.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "link/asc_link.h"

#include "opal/mca/pmix/pmix.h"
#include "opal/util/proc.h"

#define SIZE     (1 << 20)
#define KEY_ROOM 80

static void name_of(char *key, uint64_t owner, uint64_t importer, unsigned seq)
{
    snprintf(key, KEY_ROOM, "ascend.asc.n.%llx.%llx.%x", (unsigned long long)owner,
             (unsigned long long)importer, seq);
}

/* As link's port asks: the node's server, at once. */
static int get(int rank, const char *key, void *blob, size_t room, size_t *len)
{
    opal_process_name_t peer = OPAL_PROC_MY_NAME;
    opal_list_t info;
    opal_value_t *now = OBJ_NEW(opal_value_t), *value = NULL;
    int rc;

    peer.vpid = (opal_vpid_t)rank;
    OBJ_CONSTRUCT(&info, opal_list_t);
    now->key = strdup(OPAL_PMIX_IMMEDIATE);
    now->type = OPAL_BOOL;
    now->data.flag = true;
    opal_list_append(&info, &now->super);
    rc = opal_pmix.get(&peer, key, &info, &value);
    OPAL_LIST_DESTRUCT(&info);
    if (rc != OPAL_SUCCESS || value == NULL) {
        return rc != OPAL_SUCCESS ? rc : OPAL_ERR_NOT_FOUND;
    }
    t_check(value->type == OPAL_BYTE_OBJECT && (size_t)value->data.bo.size <= room,
            "%s is of type %d", key, value->type);
    *len = (size_t)value->data.bo.size;
    memcpy(blob, value->data.bo.bytes, *len);
    OBJ_RELEASE(value);
    return OPAL_SUCCESS;
}

static void exchange(int me)
{
    void *mine, *theirs;

    t_acl_ok(aclrtMalloc(&mine, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
    t_acl_ok(aclrtMalloc(&theirs, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
    MPI_Sendrecv(mine, SIZE, MPI_BYTE, 1 - me, 0, theirs, SIZE, MPI_BYTE, 1 - me, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    t_acl_ok(aclrtFree(mine));
    t_acl_ok(aclrtFree(theirs));
}

int main(int argc, char **argv)
{
    unsigned char blob[ASC_OOB_BLOB_MAX], other[ASC_OOB_BLOB_MAX];
    char key[KEY_ROOM];
    asc_link_addr_t addr;
    uint64_t uid[2];
    size_t len = 0, other_len = 0;
    int me;

    t_mpi_start(argc, argv, MPI_THREAD_SINGLE);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    /* A process that has not used its device yet is not exported for. */
    for (int i = 0; i < 3; i++) {
        exchange(me);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    asc_link_self_addr(&addr);
    uid[me] = addr.uid;
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, uid, 1, MPI_UINT64_T, MPI_COMM_WORLD);
    t_check(asc_link_counter("notify_record") > 0, "the key was of no use to link/");

    name_of(key, uid[1 - me], uid[me], 1);
    t_check(get(1 - me, key, blob, sizeof(blob), &len) == OPAL_SUCCESS, "%s is not there", key);
    t_check(len > 65 && memcmp(blob, "ASCN", 4) == 0, "%s has %zu bytes of something else", key,
            len);
    name_of(key, uid[me], uid[1 - me], 1);
    t_check(get(me, key, other, sizeof(other), &other_len) == OPAL_SUCCESS, "own %s", key);
    t_check(other_len == len && memcmp(blob, other, len) != 0, "both keys hold the same");

    t_check(get(1 - me, key, other, sizeof(other), &other_len) == OPAL_ERR_NOT_FOUND,
            "%s was put by one process and is found with the other", key);
    name_of(key, uid[1 - me], uid[me], 77);
    t_check(get(1 - me, key, other, sizeof(other), &other_len) == OPAL_ERR_NOT_FOUND,
            "%s is there, but nobody has put it", key);
    MPI_Finalize();
    return T_PASS;
}
