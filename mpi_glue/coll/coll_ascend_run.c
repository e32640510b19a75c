/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_ascend.h"
#include "coll_ascend_record.h"

#include <stdio.h>

#include "opal/util/output.h"

enum {
    SEND,
    RECV,
    BUFFERS
};

typedef struct staging {
    mca_common_ascend_use_t uses[BUFFERS];
    asc_link_mem_kind_t kinds[BUFFERS];
    mca_common_ascend_names_t names[BUFFERS];
} staging_t;

/* Saved functions that this thread is in. What they call themselves goes
 * straight to the level below and is not recorded: only some ranks may make
 * such calls, and all their buffers are host memory. Every collective reads it
 * three times: without the model each is a call into the dynamic linker. */
static __thread int depth __attribute__((tls_model("initial-exec")));

static int invoke(const mca_coll_ascend_call_t *call)
{
    int rc;

    depth++;
    rc = call->family->invoke(call);
    depth--;
    return rc;
}

static void name_buffers(const mca_coll_ascend_call_t *call, staging_t *staging)
{
    const char *name = mca_coll_ascend_traits[call->family->kind].names[call->form];

    staging->names[SEND] = (mca_common_ascend_names_t){name, "send"};
    staging->names[RECV] = (mca_common_ascend_names_t){name, "receive"};
}

static int open_stages(const staging_t *staging, mca_common_ascend_stage_t *stages)
{
    int rc = OMPI_SUCCESS;

    for (int i = 0; i < BUFFERS && OMPI_SUCCESS == rc; i++) {
        if (ASC_LINK_MEM_DEVICE == staging->kinds[i]) {
            rc = mca_common_ascend_stage_open(&stages[i], &staging->uses[i], &staging->names[i]);
        }
    }
    return rc;
}

static void close_stages(mca_common_ascend_stage_t *stages)
{
    for (int i = 0; i < BUFFERS; i++) {
        mca_common_ascend_stage_close(&stages[i]);
    }
}

static void replace_buffers(mca_coll_ascend_call_t *call, const mca_common_ascend_stage_t *stages)
{
    call->staged = true;
    if (NULL != stages[SEND].memory) {
        call->sbuf = mca_common_ascend_stage_host(&stages[SEND]);
    }
    if (NULL != stages[RECV].memory) {
        call->rbuf = mca_common_ascend_stage_host(&stages[RECV]);
    }
}

/* Tells the others how this rank's call stands and looks at theirs. */
static int agree(const mca_coll_ascend_call_t *call, mca_coll_ascend_posted_t *posted, int rc)
{
    if (!mca_coll_ascend_recorded(call)) {
        return rc;
    }
    mca_coll_ascend_record_post(call, true, OMPI_SUCCESS != rc, posted);
    depth++;
    rc = mca_coll_ascend_record_check(call, posted, rc);
    depth--;
    return rc;
}

static int run_blocking(mca_coll_ascend_call_t *call, const staging_t *staging)
{
    mca_common_ascend_stage_t stages[BUFFERS] = {{.memory = NULL}, {.memory = NULL}};
    mca_coll_ascend_posted_t posted = {.late = false};
    int rc;

    rc = open_stages(staging, stages);
    if (OMPI_SUCCESS == rc) {
        rc = mca_common_ascend_copy_in(stages, BUFFERS);
    }
    rc = agree(call, &posted, rc);
    if (OMPI_SUCCESS == rc) {
        replace_buffers(call, stages);
        rc = invoke(call);
    }
    if (OMPI_SUCCESS == rc && posted.late) {
        mca_coll_ascend_record_done(call, &posted);
    }
    if (OMPI_SUCCESS == rc) {
        rc = mca_common_ascend_copy_out(stages, BUFFERS, SIZE_MAX);
    }
    close_stages(stages);
    return rc;
}

static int run_request(mca_coll_ascend_call_t *call, const staging_t *staging)
{
    const bool persistent = MCA_COLL_ASCEND_PERSISTENT == call->form;
    ompi_request_t **user = call->request;
    mca_common_ascend_request_t *request = mca_common_ascend_request_new(call->comm, persistent);
    int rc;

    if (NULL == request) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    request->names = staging->names[RECV];
    rc = open_stages(staging, request->stages);
    if (OMPI_SUCCESS == rc && !persistent) {
        rc = mca_common_ascend_copy_in(request->stages, BUFFERS);
    }
    if (OMPI_SUCCESS == rc) {
        replace_buffers(call, request->stages);
        call->request = &request->inner;
        rc = invoke(call);
    }
    return mca_common_ascend_request_give(request, rc, user);
}

static int run_staged(mca_coll_ascend_call_t *call, staging_t *staging)
{
    mca_coll_ascend_module_t *module = (mca_coll_ascend_module_t *)call->module;

    mca_common_ascend_note_device_use();
    opal_output_verbose(20, mca_coll_ascend_component.output,
                        "coll:ascend: %s staged, send %s, receive %s", staging->names[SEND].call,
                        (ASC_LINK_MEM_DEVICE == staging->kinds[SEND]) ? "device" : "host",
                        (ASC_LINK_MEM_DEVICE == staging->kinds[RECV]) ? "device" : "host");
    if (!module->peers_known && NULL != call->comm) {
        module->peers_known = true;
        mca_coll_ascend_open_peers(call->comm, NULL);
    }
    return (MCA_COLL_ASCEND_BLOCKING == call->form) ? run_blocking(call, staging)
                                                    : run_request(call, staging);
}

/* The pointer that was judged: the first byte, not the argument itself. */
static const void *bad_address(const mca_common_ascend_use_t *use)
{
    return (0 != use->out.nblocks) ? use->out.buf : use->in.buf;
}

static int invoke_host(const mca_coll_ascend_call_t *call)
{
    mca_coll_ascend_posted_t posted;

    if (mca_coll_ascend_recorded(call)) {
        mca_coll_ascend_record_post(call, false, false, &posted);
    }
    return invoke(call);
}

int mca_coll_ascend_run(mca_coll_ascend_call_t *call)
{
    mca_coll_ascend_posted_t posted;
    staging_t staging;

    if (OPAL_UNLIKELY(0 != depth)) {
        return call->family->invoke(call);
    }
    if (OPAL_LIKELY(!asc_link_device_possible())) {
        return invoke_host(call);
    }
    staging.uses[SEND].in.nblocks = staging.uses[SEND].out.nblocks = 0;
    staging.uses[RECV].in.nblocks = staging.uses[RECV].out.nblocks = 0;
    staging.uses[SEND].in.buf = staging.uses[SEND].out.buf = call->sbuf;
    staging.uses[RECV].in.buf = staging.uses[RECV].out.buf = call->rbuf;
    call->family->describe(call, &staging.uses[SEND], &staging.uses[RECV]);
    for (int i = 0; i < BUFFERS; i++) {
        staging.kinds[i] = mca_common_ascend_use_kind(&staging.uses[i]);
    }
    if (OPAL_LIKELY(ASC_LINK_MEM_HOST == staging.kinds[SEND] &&
                    ASC_LINK_MEM_HOST == staging.kinds[RECV])) {
        return invoke_host(call);
    }
    name_buffers(call, &staging);
    for (int i = 0; i < BUFFERS; i++) {
        if (ASC_LINK_MEM_BAD == staging.kinds[i]) {
            return agree(
                call, &posted,
                mca_common_ascend_bad_pointer(bad_address(&staging.uses[i]), &staging.names[i]));
        }
    }
    return run_staged(call, &staging);
}
