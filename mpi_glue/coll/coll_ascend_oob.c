/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PMIx behind link/asc_oob.h: put and commit under the caller's fresh names,
 * gets that never wait. The board of link/ says when a name is there.
 */
#include "coll_ascend.h"

#include <stdio.h>
#include <string.h>

#include "opal/mca/pmix/pmix.h"
#include "opal/util/output.h"

/* Room for "ascend." and a name. */
#define KEY_MAX (ASC_OOB_NAME_MAX + 8)

static void make_key(char *key, const char *name)
{
    (void)snprintf(key, KEY_MAX, "ascend.%s", name);
}

static asc_status_t oob_put(void *ctx, const char *name, const void *blob, size_t len)
{
    char key[KEY_MAX];
    int rc;

    (void)ctx;
    make_key(key, name);
    OPAL_MODEX_SEND_STRING(rc, OPAL_PMIX_LOCAL, key, blob, len);
    if (OPAL_SUCCESS == rc) {
        rc = opal_pmix.commit();
    }
    opal_output_verbose(5, mca_coll_ascend_component.output, "coll:ascend: put %s, %zu bytes, %d",
                        key, len, rc);
    return (OPAL_SUCCESS == rc) ? ASC_OK : ASC_ERR_UNSUPPORTED;
}

static int get_now(const opal_process_name_t *name, const char *key, char *how,
                   opal_value_t **value)
{
    opal_list_t info;
    opal_value_t *flag;
    int rc;

    OBJ_CONSTRUCT(&info, opal_list_t);
    flag = OBJ_NEW(opal_value_t);
    flag->key = strdup(how);
    flag->type = OPAL_BOOL;
    flag->data.flag = true;
    opal_list_append(&info, &flag->super);
    *value = NULL;
    rc = opal_pmix.get(name, key, &info, value);
    OPAL_LIST_DESTRUCT(&info);
    return (OPAL_SUCCESS == rc && NULL == *value) ? OPAL_ERR_NOT_FOUND : rc;
}

static asc_status_t oob_get(void *ctx, uint64_t peer_uid, const char *name, void *blob, size_t *len)
{
    opal_process_name_t peer;
    opal_value_t *value;
    char key[KEY_MAX];
    asc_status_t status = ASC_ERR_NOT_FOUND;
    int rc;

    (void)ctx;
    if (!mca_coll_ascend_find_uid(peer_uid, &peer)) {
        return ASC_ERR_NOT_FOUND;
    }
    make_key(key, name);
    /* What was committed after the fence is with the node's server, not in
     * this process's store: "optional" misses it, "immediate" asks the server. */
    rc = get_now(&peer, key, OPAL_PMIX_IMMEDIATE, &value);
    opal_output_verbose(5, mca_coll_ascend_component.output, "coll:ascend: get %s of %s, %d", key,
                        OPAL_NAME_PRINT(peer), rc);
    if (OPAL_SUCCESS != rc) {
        return ASC_ERR_NOT_FOUND;
    }
    if (OPAL_BYTE_OBJECT == value->type && value->data.bo.size >= 0 &&
        (size_t)value->data.bo.size <= *len) {
        memcpy(blob, value->data.bo.bytes, (size_t)value->data.bo.size);
        *len = (size_t)value->data.bo.size;
        status = ASC_OK;
    }
    OBJ_RELEASE(value);
    return status;
}

static const asc_oob_port_t port = {.name = "pmix", .put = oob_put, .get = oob_get};

void mca_coll_ascend_oob_plug(void)
{
    asc_link_set_oob(&port);
}

void mca_coll_ascend_oob_unplug(void)
{
    asc_link_set_oob(NULL);
}
