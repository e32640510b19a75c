/* SPDX-License-Identifier: BSD-3-Clause */
/* Redirects the calls of hook_ascend_calls.h. */
#include "hook_ascend_calls.h"

#include <dlfcn.h>

#include "mpi_glue/common/common_ascend_tell.h"
#include "opal/util/output.h"

mca_hook_ascend_real_t mca_hook_ascend_real;

typedef struct call {
    const char *name;
    const char *profiling_name;
    void **real;
    void *replacement;
} call_t;

#define CALL(_name) \
    {"MPI_" #_name, "PMPI_" #_name, (void **)&mca_hook_ascend_real._name, \
     (void *)mca_hook_ascend_call_##_name},
static const call_t calls[] = {MCA_HOOK_ASCEND_CALLS(CALL)};
#undef CALL

#define NCALLS (sizeof(calls) / sizeof(calls[0]))

static bool find_real(void)
{
    for (size_t i = 0; i < NCALLS; i++) {
        *calls[i].real = dlsym(RTLD_DEFAULT, calls[i].profiling_name);
        if (NULL == *calls[i].real) {
            (void)dlerror();
            return false;
        }
    }
    return true;
}

static bool redirect(const char *name, void *replacement)
{
    return ASC_OK == asc_link_redirect(name, replacement) ||
           mca_hook_ascend_patch(name, replacement);
}

/* A profiling library has its own function under the first name, which must
 * not be cut off: it calls the second one. */
static bool redirect_call(const call_t *call)
{
    void *public = dlsym(RTLD_DEFAULT, call->name);

    return redirect(call->profiling_name, call->replacement) &&
           (public != *call->real || redirect(call->name, call->replacement));
}

void mca_hook_ascend_redirect_calls(void)
{
    static bool done;

    if (done) {
        return;
    }
    done = true;
    mca_hook_ascend_component.calls_redirected = find_real();
    for (size_t i = 0; i < NCALLS && mca_hook_ascend_component.calls_redirected; i++) {
        mca_hook_ascend_component.calls_redirected = redirect_call(&calls[i]);
    }
    if (!mca_hook_ascend_component.calls_redirected) {
        opal_output_verbose(1, mca_hook_ascend_component.output,
                            "hook:ascend: MPI_Put, MPI_Pack and others cannot be redirected, they "
                            "take host buffers only");
    }
}
