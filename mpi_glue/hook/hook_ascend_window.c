/* SPDX-License-Identifier: BSD-3-Clause */
#include "hook_ascend_window.h"

#include <stdlib.h>
#include <string.h>

#include "ompi/errhandler/errhandler.h"
#include "ompi/mca/osc/base/base.h"
#include "opal/threads/mutex.h"

#include "mpi_glue/osc/osc_ascend.h"

#define ALL (-1)

/* The copies of one call. */
struct mca_hook_ascend_staged {
    mca_hook_ascend_staged_t *next;
    int target;
    mca_common_ascend_stage_t stages[MCA_HOOK_ASCEND_BUFFERS];
    ompi_datatype_t *dtypes[MCA_HOOK_ASCEND_BUFFERS]; /* retained */
};

/* A window that has had such a call. Its component's functions that
 * synchronise are replaced in the module, which every window has for itself. */
typedef struct window {
    struct window *next;
    const ompi_win_t *win;
    ompi_osc_base_module_t real;
    mca_hook_ascend_staged_t *staged;
} window_t;

static struct {
    opal_mutex_t lock;
    window_t *first;
} windows = {.lock = OPAL_MUTEX_STATIC_INIT};

/* --------------------------------------------------------- component ---- */

/* NULL where the user has excluded it. */
static const mca_osc_ascend_component_t *component(void)
{
    opal_list_t *list = &ompi_osc_base_framework.framework_components;
    mca_base_component_list_item_t *item;

    OPAL_LIST_FOREACH (item, list, mca_base_component_list_item_t) {
        if (0 == strcmp("ascend", item->cli_component->mca_component_name)) {
            return (const mca_osc_ascend_component_t *)item->cli_component;
        }
    }
    return NULL;
}

bool mca_hook_ascend_windows(void)
{
    return NULL != component();
}

bool mca_hook_ascend_owns(const ompi_win_t *win)
{
    const mca_osc_ascend_component_t *osc = component();

    return NULL != osc && win->w_osc_module->osc_put == osc->functions->osc_put;
}

/* ------------------------------------------------------------ copies ---- */

static void drop(mca_hook_ascend_staged_t *staged)
{
    for (int i = 0; i < MCA_HOOK_ASCEND_BUFFERS; i++) {
        mca_common_ascend_stage_close(&staged->stages[i]);
        if (NULL != staged->dtypes[i]) {
            OBJ_RELEASE(staged->dtypes[i]);
        }
    }
    free(staged);
}

static int bring_back(mca_hook_ascend_staged_t *staged)
{
    int rc = OMPI_SUCCESS;

    for (int i = 0; i < MCA_HOOK_ASCEND_BUFFERS && OMPI_SUCCESS == rc; i++) {
        if (0 != staged->stages[i].use.out.nblocks) {
            rc = mca_common_ascend_copy_out(&staged->stages[i], 1, SIZE_MAX);
        }
    }
    return rc;
}

/* ------------------------------------------------------------ window ---- */

/* Under the lock. */
static window_t *find(const ompi_win_t *win)
{
    window_t *window = windows.first;

    while (NULL != window && window->win != win) {
        window = window->next;
    }
    return window;
}

/* The component's own functions, as long as the window is known. */
static const ompi_osc_base_module_t *real_of(const ompi_win_t *win)
{
    const window_t *window;

    opal_mutex_lock(&windows.lock);
    window = find(win);
    opal_mutex_unlock(&windows.lock);
    return &window->real;
}

static mca_hook_ascend_staged_t *take(const ompi_win_t *win, int target)
{
    mca_hook_ascend_staged_t *taken = NULL, **link;
    window_t *window;

    opal_mutex_lock(&windows.lock);
    window = find(win);
    link = &window->staged;
    while (NULL != *link) {
        mca_hook_ascend_staged_t *staged = *link;

        if (ALL == target || staged->target == target) {
            *link = staged->next;
            staged->next = taken;
            taken = staged;
        } else {
            link = &staged->next;
        }
    }
    opal_mutex_unlock(&windows.lock);
    return taken;
}

/* The window is synchronised with the target, or with all: @a rc. */
static int settle(const ompi_win_t *win, int target, int rc)
{
    mca_hook_ascend_staged_t *staged = take(win, target);

    while (NULL != staged) {
        mca_hook_ascend_staged_t *next = staged->next;
        const int back = (OMPI_SUCCESS == rc) ? bring_back(staged) : OMPI_SUCCESS;

        rc = (OMPI_SUCCESS == rc) ? back : rc;
        drop(staged);
        staged = next;
    }
    return rc;
}

static int sync_fence(int assert, struct ompi_win_t *win)
{
    return settle(win, ALL, real_of(win)->osc_fence(assert, win));
}

static int sync_complete(struct ompi_win_t *win)
{
    return settle(win, ALL, real_of(win)->osc_complete(win));
}

static int sync_unlock(int target, struct ompi_win_t *win)
{
    return settle(win, target, real_of(win)->osc_unlock(target, win));
}

static int sync_unlock_all(struct ompi_win_t *win)
{
    return settle(win, ALL, real_of(win)->osc_unlock_all(win));
}

static int sync_flush(int target, struct ompi_win_t *win)
{
    return settle(win, target, real_of(win)->osc_flush(target, win));
}

static int sync_flush_all(struct ompi_win_t *win)
{
    return settle(win, ALL, real_of(win)->osc_flush_all(win));
}

static int sync_flush_local(int target, struct ompi_win_t *win)
{
    return settle(win, target, real_of(win)->osc_flush_local(target, win));
}

static int sync_flush_local_all(struct ompi_win_t *win)
{
    return settle(win, ALL, real_of(win)->osc_flush_local_all(win));
}

static int sync_free(struct ompi_win_t *win)
{
    window_t **link = &windows.first, *window;
    int rc;

    opal_mutex_lock(&windows.lock);
    while ((*link)->win != win) {
        link = &(*link)->next;
    }
    window = *link;
    *link = window->next;
    opal_mutex_unlock(&windows.lock);
    rc = window->real.osc_free(win);
    while (NULL != window->staged) {
        mca_hook_ascend_staged_t *staged = window->staged;

        window->staged = staged->next;
        drop(staged);
    }
    free(window);
    return rc;
}

/* Under the lock. */
static window_t *add_window(ompi_win_t *win)
{
    ompi_osc_base_module_t *module = win->w_osc_module;
    window_t *window = calloc(1, sizeof(*window));

    if (NULL == window) {
        return NULL;
    }
    window->win = win;
    window->real = *module;
    window->next = windows.first;
    windows.first = window;
    module->osc_fence = sync_fence;
    module->osc_complete = sync_complete;
    module->osc_unlock = sync_unlock;
    module->osc_unlock_all = sync_unlock_all;
    module->osc_flush = sync_flush;
    module->osc_flush_all = sync_flush_all;
    module->osc_flush_local = sync_flush_local;
    module->osc_flush_local_all = sync_flush_local_all;
    module->osc_free = sync_free;
    return window;
}

/* Before the call: a thread that synchronises after it must find the window. */
static bool know_window(ompi_win_t *win)
{
    window_t *window;

    opal_mutex_lock(&windows.lock);
    window = find(win);
    if (NULL == window) {
        window = add_window(win);
    }
    opal_mutex_unlock(&windows.lock);
    return NULL != window;
}

/* -------------------------------------------------------------- call ---- */

static bool is_host(const mca_hook_ascend_buffer_t *buffer)
{
    mca_common_ascend_layout_t layout;

    if (buffer->count <= 0 || NULL == buffer->dtype || MPI_DATATYPE_NULL == buffer->dtype) {
        return true;
    }
    mca_common_ascend_layout_simple(&layout, buffer->buf, (size_t)buffer->count, buffer->dtype);
    return ASC_LINK_MEM_HOST == mca_common_ascend_layout_kind(&layout);
}

static int stage(mca_hook_ascend_rma_t *rma, int i)
{
    mca_hook_ascend_buffer_t *buffer = &rma->buffers[i];
    const mca_common_ascend_names_t names = {rma->call, buffer->argument};
    mca_common_ascend_stage_t *opened = &rma->staged->stages[i];
    mca_common_ascend_use_t use;
    int rc;

    if (is_host(buffer)) {
        return OMPI_SUCCESS;
    }
    memset(&use, 0, sizeof(use));
    mca_common_ascend_layout_simple(buffer->receives ? &use.out : &use.in, buffer->buf,
                                    (size_t)buffer->count, buffer->dtype);
    if (ASC_LINK_MEM_BAD == mca_common_ascend_use_kind(&use)) {
        return mca_common_ascend_bad_pointer(buffer->buf, &names);
    }
    rc = mca_common_ascend_stage_open(opened, &use, &names);
    if (OMPI_SUCCESS == rc) {
        rc = mca_common_ascend_copy_in(opened, 1);
    }
    if (OMPI_SUCCESS == rc) {
        buffer->buf = mca_common_ascend_stage_host(opened);
        rma->staged->dtypes[i] = buffer->dtype;
        OBJ_RETAIN(buffer->dtype);
    }
    return rc;
}

static int stage_all(mca_hook_ascend_rma_t *rma)
{
    int rc = OMPI_SUCCESS;

    rma->staged = know_window(rma->win) ? calloc(1, sizeof(*rma->staged)) : NULL;
    if (NULL == rma->staged) {
        return MPI_ERR_NO_MEM;
    }
    rma->staged->target = rma->target;
    for (int i = 0; i < MCA_HOOK_ASCEND_BUFFERS && OMPI_SUCCESS == rc; i++) {
        rc = stage(rma, i);
    }
    if (OMPI_SUCCESS != rc) {
        drop(rma->staged);
        rma->staged = NULL;
    }
    return rc;
}

int mca_hook_ascend_rma_open(mca_hook_ascend_rma_t *rma)
{
    bool host = true;
    int rc;

    for (int i = 0; i < MCA_HOOK_ASCEND_BUFFERS; i++) {
        host = host && is_host(&rma->buffers[i]);
    }
    if (OPAL_LIKELY(host) || ompi_win_invalid(rma->win) || rma->target < 0 ||
        mca_hook_ascend_owns(rma->win)) {
        return OMPI_SUCCESS;
    }
    rc = stage_all(rma);
    return (OMPI_SUCCESS == rc) ? OMPI_SUCCESS : OMPI_ERRHANDLER_INVOKE(rma->win, rc, rma->call);
}

int mca_hook_ascend_rma_keep(mca_hook_ascend_rma_t *rma, int rc)
{
    window_t *window;

    if (OPAL_LIKELY(NULL == rma->staged)) {
        return rc;
    }
    if (MPI_SUCCESS != rc) {
        drop(rma->staged);
        return rc;
    }
    opal_mutex_lock(&windows.lock);
    window = find(rma->win);
    rma->staged->next = window->staged;
    window->staged = rma->staged;
    opal_mutex_unlock(&windows.lock);
    return rc;
}

/* The window itself need not be synchronised for such a call to end. */
int mca_hook_ascend_rma_give(mca_hook_ascend_rma_t *rma, int rc, MPI_Request *user)
{
    mca_common_ascend_request_t *request;
    int n = 0;

    if (OPAL_LIKELY(NULL == rma->staged)) {
        return rc;
    }
    request = (MPI_SUCCESS == rc) ? mca_common_ascend_request_new(NULL, false) : NULL;
    if (NULL == request) {
        /* The copies may be in use: kept until the window is synchronised. */
        return mca_hook_ascend_rma_keep(rma, rc);
    }
    request->super.super.req_type = OMPI_REQUEST_WIN;
    request->super.super.req_mpi_object.win = rma->win;
    for (int i = 0; i < MCA_HOOK_ASCEND_BUFFERS; i++) {
        mca_common_ascend_stage_t *stage = &rma->staged->stages[i];

        if (NULL != stage->memory && n < MCA_COMMON_ASCEND_STAGES) {
            request->names = stage->names;
            request->stages[n++] = *stage;
            stage->memory = NULL;
        }
        if (NULL == request->dtype && rma->buffers[i].receives) {
            request->dtype = rma->staged->dtypes[i];
            rma->staged->dtypes[i] = NULL;
        }
    }
    drop(rma->staged);
    request->inner = *user;
    return mca_common_ascend_request_give(request, rc, user);
}
