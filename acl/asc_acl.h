/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The only door to the Ascend runtime (CANN's AscendCL, or npusim).
 *
 * Nothing in this project links to libascendcl.so: the library is opened at
 * first use and its functions are called through one table. A required
 * function that is missing makes the library unusable; an optional one is
 * NULL in the table and its user falls back.
 *
 * Thread rules: every function here may be called from any thread.
 */
#ifndef ASC_ACL_H
#define ASC_ACL_H

#include "acl/asc_status.h"
#include "acl/ascend_abi.h"

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(default)

/* Which functions are required follows facts of the runtime's versions: with
 * these present in every release since 7.0 a transport can work. */
#define ASC_ACL_REQUIRED(X) \
    X(aclInit) \
    X(aclrtGetDeviceCount) \
    X(aclrtSetDevice) \
    X(aclrtGetDevice) \
    X(aclrtGetCurrentContext) \
    X(aclrtSetCurrentContext) \
    X(aclrtMalloc) \
    X(aclrtFree) \
    X(aclrtMallocHost) \
    X(aclrtFreeHost) \
    X(aclrtMemcpy) \
    X(aclrtMemcpyAsync) \
    X(aclrtCreateStream) \
    X(aclrtDestroyStream) \
    X(aclrtSynchronizeStream) \
    X(aclrtCreateEvent) \
    X(aclrtDestroyEvent) \
    X(aclrtRecordEvent) \
    X(aclrtQueryEventStatus)

#define ASC_ACL_OPTIONAL(X) \
    X(aclGetRecentErrMsg) \
    X(aclrtGetVersion) \
    X(aclrtGetSocName) \
    X(aclrtGetPrimaryCtxState) \
    X(aclrtSynchronizeDevice) \
    X(aclrtCreateStreamWithConfig) \
    X(aclrtDestroyStreamForce) \
    X(aclrtStreamQuery) \
    X(aclrtCreateEventExWithFlag) \
    X(aclrtPointerGetAttributes) \
    X(aclrtMemGetAddressRange) \
    X(aclrtMemcpy2d) \
    X(aclrtMemcpy2dAsync) \
    X(aclrtMemcpyBatch) \
    X(aclrtMemcpyBatchAsync) \
    X(aclrtReduceAsync) \
    X(aclrtDeviceCanAccessPeer) \
    X(aclrtDeviceEnablePeerAccess) \
    X(aclrtDeviceGetBareTgid) \
    X(aclrtDeviceGetPCIBusId) \
    X(aclrtGetPhyDevIdByLogicDevId) \
    X(aclrtGetDevicesTopo) \
    X(aclrtIpcMemGetExportKey) \
    X(aclrtIpcMemSetImportPid) \
    X(aclrtIpcMemImportByKey) \
    X(aclrtIpcMemClose) \
    X(aclrtCreateNotify) \
    X(aclrtDestroyNotify) \
    X(aclrtRecordNotify) \
    X(aclrtWaitAndResetNotify) \
    X(aclrtNotifyGetExportKey) \
    X(aclrtNotifySetImportPid) \
    X(aclrtNotifyImportByKey)

/** The runtime's functions under their own names, e.g. acl->aclrtMalloc(). */
typedef struct asc_acl {
#define ASC_ACL_FIELD(_name) __typeof__(_name) *_name;
    ASC_ACL_REQUIRED(ASC_ACL_FIELD)
    ASC_ACL_OPTIONAL(ASC_ACL_FIELD)
#undef ASC_ACL_FIELD
} asc_acl_t;

/**
 * The function table, opening the library at the first call.
 *
 * Order: a libascendcl that the process has already loaded; else
 * ASCEND_ACL_LIBRARY if set; else libascendcl.so, then libacl_rt.so, by the
 * loader's search path. npusim is never chosen unless it is named or already
 * loaded. A library that ASCEND_ACL_LIBRARY names but which differs from the
 * one the process already uses is refused: two runtimes cannot share pointers.
 *
 * @return the table (lives as long as the process), or NULL; then
 *         asc_acl_load_error() tells why. Does not call aclInit.
 */
const asc_acl_t *asc_acl_get(void);

/** The table if asc_acl_get() has succeeded before, else NULL. One load. */
const asc_acl_t *asc_acl_peek(void);

/** Whether a runtime library is in the process, opened by whomever. Opens
 *  none; cheap unless libraries were loaded since the last call. */
bool asc_acl_loaded(void);

/** Address of the runtime's function @a name in the library that the process
 *  uses, also one that is not in the table and also when asc_acl_get()
 *  refused the library; NULL if it is missing. Opens no library. */
void *asc_acl_symbol(const char *name);

/** Why asc_acl_get() gave NULL: names the library, the symbol, what is lost
 *  and the remedy. "" when it did not fail. Lives as long as the process. */
const char *asc_acl_load_error(void);

/** Path of the library in use ("" when none). */
const char *asc_acl_path(void);

/** Calls aclInit(NULL) unless that was done here; the runtime's "already
 *  initialised" counts as success. Never finalises. */
asc_status_t asc_acl_init(void);

/** Room that asc_acl_error_text() needs at most. */
#define ASC_ACL_TEXT_MAX 512

/**
 * Writes "<code> NAME (meaning); the runtime's own recent message" into
 * @a buf and returns @a buf. Reading the recent message clears it.
 */
const char *asc_acl_error_text(aclError error, char *buf, size_t len);

/**
 * Empties the calling thread's recent messages after a call of ours that was
 * allowed to fail, so that the application does not read about it.
 */
void asc_acl_forget_error(void);

/** Status that a runtime code stands for (out of memory, timeout, ...). */
asc_status_t asc_acl_status(aclError error);

#pragma GCC visibility pop

#endif
