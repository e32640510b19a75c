/* SPDX-License-Identifier: BSD-3-Clause */
/* Fences, general active targets, and locks. */
#include "osc_ascend.h"

#include <stdlib.h>

#include "opal/runtime/opal_progress.h"

bool mca_osc_ascend_may_access(const mca_osc_ascend_module_t *module, int target)
{
    return module->fenced || MCA_OSC_ASCEND_NONE != module->all ||
           MCA_OSC_ASCEND_NONE != module->epochs[target];
}

int mca_osc_ascend_fence(int assert, struct ompi_win_t *win)
{
    mca_osc_ascend_module_t *module = mca_osc_ascend_of(win);
    int rc = mca_osc_ascend_wait_for(module, MCA_OSC_ASCEND_ALL);
    int barrier;

    /* Also after an error: the others wait. */
    barrier =
        module->comm->c_coll->coll_barrier(module->comm, module->comm->c_coll->coll_barrier_module);
    module->fenced = 0 == (assert &MPI_MODE_NOSUCCEED);
    return (OMPI_SUCCESS != rc) ? rc : barrier;
}

/* ----------------------------------------------------- active target ---- */

/* Ranks of a group in the window. NULL: no memory. */
static int *ranks_of(const mca_osc_ascend_module_t *module, ompi_group_t *group)
{
    const int n = ompi_group_size(group);
    int *ranks = calloc((size_t)n + 1, 2 * sizeof(*ranks));

    if (NULL == ranks) {
        return NULL;
    }
    for (int i = 0; i < n; i++) {
        ranks[n + i] = i;
    }
    (void)ompi_group_translate_ranks(group, n, ranks + n, module->comm->c_local_group, ranks);
    return ranks;
}

static int32_t *post_of(const mca_osc_ascend_module_t *module, int origin, int target)
{
    return &module->posts[(size_t)origin * (size_t)module->size + (size_t)target];
}

int mca_osc_ascend_post(struct ompi_group_t *group, int assert, struct ompi_win_t *win)
{
    mca_osc_ascend_module_t *module = mca_osc_ascend_of(win);
    const int n = ompi_group_size(group);
    int *ranks;

    if (module->posted) {
        return MPI_ERR_RMA_SYNC;
    }
    ranks = ranks_of(module, group);
    if (NULL == ranks) {
        return MPI_ERR_NO_MEM;
    }
    module->posted = true;
    module->nposted = n;
    for (int i = 0; i < n && 0 == (assert &MPI_MODE_NOCHECK); i++) {
        (void)__atomic_add_fetch(post_of(module, ranks[i], module->rank), 1, __ATOMIC_RELEASE);
    }
    free(ranks);
    return OMPI_SUCCESS;
}

int mca_osc_ascend_start(struct ompi_group_t *group, int assert, struct ompi_win_t *win)
{
    mca_osc_ascend_module_t *module = mca_osc_ascend_of(win);
    const int n = ompi_group_size(group);
    int *ranks;

    if (module->started) {
        return MPI_ERR_RMA_SYNC;
    }
    ranks = ranks_of(module, group);
    if (NULL == ranks) {
        return MPI_ERR_NO_MEM;
    }
    for (int i = 0; i < n; i++) {
        int32_t *post = post_of(module, module->rank, ranks[i]);

        if (0 == (assert &MPI_MODE_NOCHECK)) {
            while (0 == __atomic_load_n(post, __ATOMIC_ACQUIRE)) {
                opal_progress();
            }
            (void)__atomic_sub_fetch(post, 1, __ATOMIC_ACQUIRE);
        }
        module->epochs[ranks[i]] = MCA_OSC_ASCEND_STARTED;
    }
    module->started = true;
    module->fenced = false;
    free(ranks);
    return OMPI_SUCCESS;
}

int mca_osc_ascend_complete(struct ompi_win_t *win)
{
    mca_osc_ascend_module_t *module = mca_osc_ascend_of(win);
    int rc;

    if (!module->started) {
        return MPI_ERR_RMA_SYNC;
    }
    rc = mca_osc_ascend_wait_for(module, MCA_OSC_ASCEND_ALL);
    for (int i = 0; i < module->size; i++) {
        if (MCA_OSC_ASCEND_STARTED == module->epochs[i]) {
            module->epochs[i] = MCA_OSC_ASCEND_NONE;
            (void)__atomic_add_fetch(&module->states[i].completes, 1, __ATOMIC_RELEASE);
        }
    }
    module->started = false;
    return rc;
}

int mca_osc_ascend_test(struct ompi_win_t *win, int *flag)
{
    mca_osc_ascend_module_t *module = mca_osc_ascend_of(win);
    int32_t *completes = &module->states[module->rank].completes;

    if (!module->posted) {
        return MPI_ERR_RMA_SYNC;
    }
    *flag = __atomic_load_n(completes, __ATOMIC_ACQUIRE) >= module->nposted;
    if (0 != *flag) {
        (void)__atomic_sub_fetch(completes, module->nposted, __ATOMIC_RELAXED);
        module->posted = false;
    } else {
        opal_progress();
    }
    return OMPI_SUCCESS;
}

int mca_osc_ascend_wait(struct ompi_win_t *win)
{
    int flag = 0, rc;

    do {
        rc = mca_osc_ascend_test(win, &flag);
    } while (OMPI_SUCCESS == rc && 0 == flag);
    return rc;
}

/* ---------------------------------------------------- passive target ---- */

static bool try_lock(const mca_osc_ascend_module_t *module, int target, bool exclusive)
{
    int32_t *lock = &module->states[target].lock;
    int32_t held = exclusive ? 0 : __atomic_load_n(lock, __ATOMIC_RELAXED);

    return held >= 0 && __atomic_compare_exchange_n(lock, &held, exclusive ? -1 : held + 1, false,
                                                    __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static void release(const mca_osc_ascend_module_t *module, int target, bool exclusive)
{
    (void)__atomic_add_fetch(&module->states[target].lock, exclusive ? 1 : -1, __ATOMIC_RELEASE);
}

int mca_osc_ascend_lock(int type, int target, int assert, struct ompi_win_t *win)
{
    mca_osc_ascend_module_t *module = mca_osc_ascend_of(win);
    const bool exclusive = MPI_LOCK_EXCLUSIVE == type;

    if (MCA_OSC_ASCEND_NONE != module->epochs[target] || MCA_OSC_ASCEND_NONE != module->all) {
        return MPI_ERR_RMA_SYNC;
    }
    module->fenced = false;
    if (0 != (assert &MPI_MODE_NOCHECK)) {
        module->epochs[target] = MCA_OSC_ASCEND_LOCKED;
        return OMPI_SUCCESS;
    }
    while (!try_lock(module, target, exclusive)) {
        opal_progress();
    }
    module->epochs[target] = exclusive ? MCA_OSC_ASCEND_EXCLUSIVE : MCA_OSC_ASCEND_SHARED;
    return OMPI_SUCCESS;
}

int mca_osc_ascend_unlock(int target, struct ompi_win_t *win)
{
    mca_osc_ascend_module_t *module = mca_osc_ascend_of(win);
    const mca_osc_ascend_epoch_t held = module->epochs[target];
    int rc;

    if (held < MCA_OSC_ASCEND_LOCKED) {
        return MPI_ERR_RMA_SYNC;
    }
    rc = mca_osc_ascend_wait_for(module, target);
    module->epochs[target] = MCA_OSC_ASCEND_NONE;
    if (MCA_OSC_ASCEND_LOCKED != held) {
        release(module, target, MCA_OSC_ASCEND_EXCLUSIVE == held);
    }
    return rc;
}

/* All or none: whoever keeps some while it waits for another may be waited for. */
static bool try_all(const mca_osc_ascend_module_t *module)
{
    int n = 0;

    while (n < module->size && try_lock(module, n, false)) {
        n++;
    }
    if (n == module->size) {
        return true;
    }
    while (n > 0) {
        release(module, --n, false);
    }
    return false;
}

int mca_osc_ascend_lock_all(int assert, struct ompi_win_t *win)
{
    mca_osc_ascend_module_t *module = mca_osc_ascend_of(win);

    for (int i = 0; i < module->size; i++) {
        if (MCA_OSC_ASCEND_NONE != module->epochs[i] || MCA_OSC_ASCEND_NONE != module->all) {
            return MPI_ERR_RMA_SYNC;
        }
    }
    module->fenced = false;
    if (0 != (assert &MPI_MODE_NOCHECK)) {
        module->all = MCA_OSC_ASCEND_LOCKED;
        return OMPI_SUCCESS;
    }
    while (!try_all(module)) {
        opal_progress();
    }
    module->all = MCA_OSC_ASCEND_SHARED;
    return OMPI_SUCCESS;
}

int mca_osc_ascend_unlock_all(struct ompi_win_t *win)
{
    mca_osc_ascend_module_t *module = mca_osc_ascend_of(win);
    const mca_osc_ascend_epoch_t held = module->all;
    int rc;

    if (MCA_OSC_ASCEND_NONE == held) {
        return MPI_ERR_RMA_SYNC;
    }
    rc = mca_osc_ascend_wait_for(module, MCA_OSC_ASCEND_ALL);
    module->all = MCA_OSC_ASCEND_NONE;
    for (int i = 0; i < module->size && MCA_OSC_ASCEND_SHARED == held; i++) {
        release(module, i, false);
    }
    return rc;
}

int mca_osc_ascend_sync(struct ompi_win_t *win)
{
    (void)win;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    opal_progress();
    return OMPI_SUCCESS;
}

int mca_osc_ascend_flush(int target, struct ompi_win_t *win)
{
    mca_osc_ascend_module_t *module = mca_osc_ascend_of(win);

    if (module->epochs[target] < MCA_OSC_ASCEND_LOCKED && MCA_OSC_ASCEND_NONE == module->all) {
        return MPI_ERR_RMA_SYNC;
    }
    return mca_osc_ascend_wait_for(module, target);
}

int mca_osc_ascend_flush_all(struct ompi_win_t *win)
{
    return mca_osc_ascend_wait_for(mca_osc_ascend_of(win), MCA_OSC_ASCEND_ALL);
}
