/* SPDX-License-Identifier: BSD-3-Clause */
#include "common_ascend.h"
#include "common_ascend_packed.h"

#include "opal/threads/mutex.h"
#include "opal/runtime/opal_progress.h"

/* Open MPI's wrapper around the req_free of a persistent collective still
 * reads the request after our req_free has returned. So such requests are
 * kept, emptied, until this many more have been freed. */
#define FREED_KEPT 64

static struct {
    opal_mutex_t lock;
    mca_common_ascend_request_t *active;
    mca_common_ascend_request_t *freed_first, *freed_last;
    int freed;
    bool progressing;
} requests = {.lock = OPAL_MUTEX_STATIC_INIT};

/* -------------------------------------------------------------- life ---- */

static void request_construct(mca_common_ascend_request_t *request)
{
    request->next = NULL;
    request->inner = NULL;
    request->dtype = NULL;
    request->comm = NULL;
    for (int i = 0; i < MCA_COMMON_ASCEND_STAGES; i++) {
        request->stages[i].memory = NULL;
    }
    request->packed.map = NULL;
    mca_common_ascend_copies_init(&request->copies);
    request->p2p = false;
    request->copying = false;
}

static void request_empty(mca_common_ascend_request_t *request)
{
    if (NULL != request->inner) {
        (void)ompi_request_free(&request->inner);
        request->inner = NULL;
    }
    for (int i = 0; i < MCA_COMMON_ASCEND_STAGES; i++) {
        mca_common_ascend_stage_close(&request->stages[i]);
    }
    mca_common_ascend_packed_close(&request->packed);
    if (NULL != request->dtype) {
        OBJ_RELEASE(request->dtype);
        request->dtype = NULL;
    }
    if (NULL != request->comm) {
        OBJ_RELEASE(request->comm);
        request->comm = NULL;
    }
}

OBJ_CLASS_INSTANCE(mca_common_ascend_request_t, ompi_coll_base_nbc_request_t, request_construct,
                   request_empty);

/* Takes the user's reference. */
static void request_keep_freed(mca_common_ascend_request_t *request)
{
    mca_common_ascend_request_t *oldest = NULL;

    request->next = NULL;
    opal_mutex_lock(&requests.lock);
    if (NULL == requests.freed_last) {
        requests.freed_first = request;
    } else {
        requests.freed_last->next = request;
    }
    requests.freed_last = request;
    if (++requests.freed > FREED_KEPT) {
        oldest = requests.freed_first;
        requests.freed_first = oldest->next;
        requests.freed--;
    }
    opal_mutex_unlock(&requests.lock);
    if (NULL != oldest) {
        OBJ_RELEASE(oldest);
    }
}

static int request_free(ompi_request_t **user)
{
    mca_common_ascend_request_t *request = (mca_common_ascend_request_t *)*user;
    const bool active = REQUEST_PENDING == (*user)->req_complete;

    OMPI_REQUEST_FINI(*user);
    *user = MPI_REQUEST_NULL;
    if (!request->super.super.req_persistent || active) {
        /* An active one is held by the list until it is over. */
        OBJ_RELEASE(request);
        return OMPI_SUCCESS;
    }
    request_empty(request);
    request_keep_freed(request);
    return OMPI_SUCCESS;
}

static int request_cancel(ompi_request_t *user, int complete)
{
    mca_common_ascend_request_t *request = (mca_common_ascend_request_t *)user;

    (void)complete;
    if (!request->p2p || NULL == request->inner) {
        return MPI_ERR_REQUEST;
    }
    return request->copying ? OMPI_SUCCESS : ompi_request_cancel(request->inner);
}

mca_common_ascend_request_t *mca_common_ascend_request_new(struct ompi_communicator_t *comm,
                                                           bool persistent)
{
    mca_common_ascend_request_t *request = OBJ_NEW(mca_common_ascend_request_t);
    ompi_request_t *super;

    if (NULL == request) {
        return NULL;
    }
    super = &request->super.super;
    OMPI_REQUEST_INIT(super, persistent);
    super->req_type = OMPI_REQUEST_COLL;
    super->req_free = request_free;
    super->req_cancel = request_cancel;
    super->req_start = persistent ? mca_common_ascend_request_start : NULL;
    super->req_mpi_object.comm = comm;
    super->req_status = ompi_status_empty;
    super->req_status.MPI_ERROR = MPI_SUCCESS;
    super->req_state = persistent ? OMPI_REQUEST_INACTIVE : OMPI_REQUEST_ACTIVE;
    request->comm = comm;
    if (NULL != comm) {
        OBJ_RETAIN(comm);
    }
    return request;
}

/* ---------------------------------------------------------- progress ---- */

static void inner_over(mca_common_ascend_request_t *request)
{
    ompi_request_t *inner = request->inner;
    ompi_status_public_t *status = &request->super.super.req_status;
    const size_t limit = request->p2p ? inner->req_status._ucount : SIZE_MAX;

    if (request->p2p) {
        *status = inner->req_status;
    } else {
        status->MPI_ERROR = inner->req_status.MPI_ERROR;
    }
    if (inner->req_persistent) {
        inner->req_state = OMPI_REQUEST_INACTIVE;
    } else {
        (void)ompi_request_free(&request->inner);
        request->inner = NULL;
    }
    if (MPI_SUCCESS == status->MPI_ERROR && 0 == status->_cancelled) {
        for (int i = 0; i < MCA_COMMON_ASCEND_STAGES; i++) {
            mca_common_ascend_stage_out(&request->stages[i], limit, &request->copies);
        }
        mca_common_ascend_packed_unpack(&request->packed, limit, &request->copies);
    }
    request->copying = true;
}

/* True once nothing is left to do but to complete it. */
static bool request_advance(mca_common_ascend_request_t *request)
{
    asc_status_t status;

    if (!request->copying) {
        if (!REQUEST_COMPLETE(request->inner)) {
            return false;
        }
        opal_atomic_rmb();
        inner_over(request);
    }
    status = mca_common_ascend_copies_test(&request->copies);
    if (ASC_INPROGRESS == status) {
        return false;
    }
    if (ASC_OK != status) {
        request->super.super.req_status.MPI_ERROR =
            mca_common_ascend_copy_failed(status, &request->names);
    }
    return true;
}

static void request_finish(mca_common_ascend_request_t *request)
{
    if (!request->super.super.req_persistent) {
        for (int i = 0; i < MCA_COMMON_ASCEND_STAGES; i++) {
            mca_common_ascend_stage_close(&request->stages[i]);
        }
        mca_common_ascend_packed_close(&request->packed);
    }
    (void)ompi_request_complete(&request->super.super, true);
    OBJ_RELEASE(request);
}

/* Works on a list taken out under the lock, so that nothing foreign runs with
 * the lock held and a call from within finds an empty list. */
static int requests_progress(void)
{
    mca_common_ascend_request_t *list, *request, *kept = NULL, **kept_end = &kept;
    int completed = 0;

    if (NULL == __atomic_load_n(&requests.active, __ATOMIC_RELAXED) ||
        0 != opal_mutex_trylock(&requests.lock)) {
        return 0;
    }
    list = requests.active;
    requests.active = NULL;
    opal_mutex_unlock(&requests.lock);

    while (NULL != (request = list)) {
        list = request->next;
        request->next = NULL;
        if (request_advance(request)) {
            request_finish(request);
            completed++;
        } else {
            *kept_end = request;
            kept_end = &request->next;
        }
    }
    if (NULL != kept) {
        opal_mutex_lock(&requests.lock);
        *kept_end = requests.active;
        requests.active = kept;
        opal_mutex_unlock(&requests.lock);
    }
    return completed;
}

static void request_activate(mca_common_ascend_request_t *request)
{
    mca_common_ascend_request_t **end;
    bool start;

    OBJ_RETAIN(request);
    request->next = NULL;
    opal_mutex_lock(&requests.lock);
    for (end = &requests.active; NULL != *end; end = &(*end)->next) {
    }
    *end = request;
    start = !requests.progressing;
    requests.progressing = true;
    opal_mutex_unlock(&requests.lock);
    if (start) {
        (void)opal_progress_register(requests_progress);
    }
}

int mca_common_ascend_request_give(mca_common_ascend_request_t *request, int rc,
                                   ompi_request_t **user)
{
    if (OMPI_SUCCESS != rc) {
        request->inner = NULL;
        OMPI_REQUEST_FINI(&request->super.super);
        OBJ_RELEASE(request);
        return rc;
    }
    if (!request->super.super.req_persistent) {
        request_activate(request);
    }
    *user = &request->super.super;
    return OMPI_SUCCESS;
}

void mca_common_ascend_requests_close(void)
{
    mca_common_ascend_request_t *freed = requests.freed_first;

    if (requests.progressing) {
        (void)opal_progress_unregister(requests_progress);
        requests.progressing = false;
    }
    requests.freed_first = requests.freed_last = NULL;
    requests.freed = 0;
    while (NULL != freed) {
        mca_common_ascend_request_t *next = freed->next;

        OBJ_RELEASE(freed);
        freed = next;
    }
}

/* ------------------------------------------------------------- start ---- */

static int start_one(mca_common_ascend_request_t *request)
{
    int rc;

    mca_common_ascend_copies_init(&request->copies);
    request->copying = false;
    for (int i = 0; i < MCA_COMMON_ASCEND_STAGES; i++) {
        rc = mca_common_ascend_stage_check(&request->stages[i]);

        if (OMPI_SUCCESS != rc) {
            return rc;
        }
    }
    rc = mca_common_ascend_packed_check(&request->packed);
    if (OMPI_SUCCESS == rc) {
        rc = mca_common_ascend_packed_pack(&request->packed);
    }
    if (OMPI_SUCCESS == rc) {
        rc = mca_common_ascend_copy_in(request->stages, MCA_COMMON_ASCEND_STAGES);
    }
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    if (OMPI_REQUEST_NOOP == request->inner->req_type) {
        /* Nothing to do below us, as on a communicator of one; it is always
         * complete and has no start function. */
        request->inner->req_state = OMPI_REQUEST_ACTIVE;
        return OMPI_SUCCESS;
    }
    return request->inner->req_start(1, &request->inner);
}

int mca_common_ascend_request_start(size_t count, ompi_request_t **users)
{
    for (size_t i = 0; i < count; i++) {
        mca_common_ascend_request_t *request = (mca_common_ascend_request_t *)users[i];
        int rc;

        users[i]->req_status = ompi_status_empty;
        users[i]->req_status.MPI_ERROR = MPI_SUCCESS;
        users[i]->req_state = OMPI_REQUEST_ACTIVE;
        users[i]->req_complete = REQUEST_PENDING;
        rc = start_one(request);
        if (OMPI_SUCCESS == rc) {
            request_activate(request);
            continue;
        }
        /* MPI_Start and MPI_Startall do not look at errors of this function
         * everywhere; the wait does. */
        users[i]->req_status.MPI_ERROR = rc;
        (void)ompi_request_complete(users[i], true);
    }
    return OMPI_SUCCESS;
}
