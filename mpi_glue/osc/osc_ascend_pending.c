/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies that outlive the call that started them, and the progress of all windows. */
#include "osc_ascend.h"

#include <stdlib.h>

#include "opal/runtime/opal_progress.h"

static struct {
    opal_mutex_t lock;
    mca_osc_ascend_module_t *first;
    int32_t requests; /* not complete */
} windows = {.lock = OPAL_MUTEX_STATIC_INIT};

/* ---------------------------------------------------------- requests ---- */

static int request_free(ompi_request_t **request)
{
    OMPI_REQUEST_FINI(*request);
    (*request)->req_state = OMPI_REQUEST_INVALID;
    OBJ_RELEASE(*request);
    *request = MPI_REQUEST_NULL;
    return OMPI_SUCCESS;
}

static int request_cancel(ompi_request_t *request, int complete)
{
    (void)request;
    (void)complete;
    return MPI_ERR_REQUEST;
}

static ompi_request_t *request_new(ompi_win_t *win)
{
    ompi_request_t *request = OBJ_NEW(ompi_request_t);

    if (NULL != request) {
        OMPI_REQUEST_INIT(request, false);
        request->req_type = OMPI_REQUEST_WIN;
        request->req_mpi_object.win = win;
        request->req_free = request_free;
        request->req_cancel = request_cancel;
        request->req_state = OMPI_REQUEST_ACTIVE;
        request->req_status = ompi_status_empty;
    }
    return request;
}

/* ----------------------------------------------------------- pending ---- */

void mca_osc_ascend_pending_add(mca_osc_ascend_module_t *module, mca_osc_ascend_pending_t *pending,
                                ompi_request_t **request)
{
    const int target = pending->target;
    bool waits = false;

    if (NULL != request) {
        pending->request = request_new(module->win);
        waits = NULL == pending->request;
    }
    if (NULL != pending->request) {
        *request = pending->request;
        (void)__atomic_add_fetch(&windows.requests, 1, __ATOMIC_RELAXED);
    }
    opal_mutex_lock(&module->lock);
    pending->next = module->pending;
    module->pending = pending;
    opal_mutex_unlock(&module->lock);
    if (waits) {
        (void)mca_osc_ascend_wait_for(module, target); /* no memory for a request */
    }
}

/* Under the lock: moves the target's copies that are over to @a done.
 * @return whether some are left. */
static bool sort_out(mca_osc_ascend_module_t *module, int target, mca_osc_ascend_pending_t **done)
{
    mca_osc_ascend_pending_t **link = &module->pending;
    bool left = false;

    while (NULL != *link) {
        mca_osc_ascend_pending_t *pending = *link;

        if (MCA_OSC_ASCEND_ALL == target || pending->target == target) {
            pending->status = asc_link_op_test(&pending->op);
            if (ASC_INPROGRESS != pending->status) {
                if (ASC_OK != pending->status && ASC_OK == module->failed) {
                    module->failed = pending->status;
                }
                *link = pending->next;
                pending->next = *done;
                *done = pending;
                continue;
            }
            left = true;
        }
        link = &pending->next;
    }
    return left;
}

static int complete(mca_osc_ascend_pending_t *done)
{
    int completed = 0;

    while (NULL != done) {
        mca_osc_ascend_pending_t *next = done->next;

        if (NULL != done->request) {
            done->request->req_status.MPI_ERROR = mca_osc_ascend_error(done->status);
            (void)__atomic_sub_fetch(&windows.requests, 1, __ATOMIC_RELAXED);
            (void)ompi_request_complete(done->request, true);
            completed++;
        }
        free(done);
        done = next;
    }
    return completed;
}

int mca_osc_ascend_wait_for(mca_osc_ascend_module_t *module, int target)
{
    asc_status_t failed;
    bool left;

    do {
        mca_osc_ascend_pending_t *done = NULL;

        opal_mutex_lock(&module->lock);
        left = sort_out(module, target, &done);
        failed = module->failed;
        if (!left) {
            module->failed = ASC_OK;
        }
        opal_mutex_unlock(&module->lock);
        (void)complete(done);
        if (left) {
            opal_progress();
        }
    } while (left);
    return mca_osc_ascend_error(failed);
}

/* ---------------------------------------------------------- progress ---- */

/* Threads and calls inside calls do not wait: somebody else is at it. */
int mca_osc_ascend_poll(void)
{
    mca_osc_ascend_pending_t *done = NULL;

    if (0 != opal_mutex_trylock(&windows.lock)) {
        return 0;
    }
    for (mca_osc_ascend_module_t *module = windows.first; NULL != module; module = module->next) {
        if (0 == opal_mutex_trylock(&module->lock)) {
            (void)sort_out(module, MCA_OSC_ASCEND_ALL, &done);
            opal_mutex_unlock(&module->lock);
        }
    }
    opal_mutex_unlock(&windows.lock);
    return complete(done);
}

static int progress(void)
{
    asc_link_relay_progress();
    asc_link_progress();
    return (0 == __atomic_load_n(&windows.requests, __ATOMIC_RELAXED)) ? 0 : mca_osc_ascend_poll();
}

void mca_osc_ascend_progress_add(mca_osc_ascend_module_t *module)
{
    bool first;

    opal_mutex_lock(&windows.lock);
    first = NULL == windows.first;
    module->next = windows.first;
    windows.first = module;
    opal_mutex_unlock(&windows.lock);
    if (first) {
        opal_progress_register(progress);
    }
}

void mca_osc_ascend_progress_remove(mca_osc_ascend_module_t *module)
{
    mca_osc_ascend_module_t **link = &windows.first;
    bool last;

    opal_mutex_lock(&windows.lock);
    while (NULL != *link && *link != module) {
        link = &(*link)->next;
    }
    if (NULL != *link) {
        *link = module->next;
    }
    last = NULL == windows.first;
    opal_mutex_unlock(&windows.lock);
    if (last) {
        (void)opal_progress_unregister(progress);
    }
}
