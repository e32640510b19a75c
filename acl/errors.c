/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the runtime's codes are called, mean, and stand for among our statuses.
 */
#include "acl/asc_acl.h"

#include <stdio.h>
#include <string.h>

typedef struct asc_acl_code {
    aclError code;
    const char *name;
    asc_status_t status;
    const char *meaning;
} asc_acl_code_t;

/* Sorted by code. */
static const asc_acl_code_t asc_acl_codes[] = {
    {100000, "INVALID_PARAM", ASC_ERR_INVALID, "an argument was refused"},
    {100001, "UNINITIALIZE", ASC_ERR_ACL, "aclInit was not called"},
    {100002, "REPEAT_INITIALIZE", ASC_OK, "aclInit was called before"},
    {100003, "INVALID_FILE", ASC_ERR_INVALID, "the configuration file cannot be used"},
    {100004, "WRITE_FILE", ASC_ERR_ACL, "a file cannot be written"},
    {100005, "INVALID_FILE_SIZE", ASC_ERR_INVALID, "the configuration file has a wrong size"},
    {100006, "PARSE_FILE", ASC_ERR_INVALID, "the configuration file cannot be parsed"},
    {100007, "FILE_MISSING_ATTR", ASC_ERR_INVALID, "the configuration file lacks an entry"},
    {100008, "FILE_ATTR_INVALID", ASC_ERR_INVALID, "the configuration file has a wrong entry"},
    {100026, "UNSUPPORTED_DATA_TYPE", ASC_ERR_UNSUPPORTED, "the data type is not supported"},
    {100037, "REPEAT_FINALIZE", ASC_ERR_ACL, "aclFinalize was called before"},
    {100039, "COMPILING_STUB_MODE", ASC_ERR_NO_RUNTIME,
     "the library is the toolkit's link-time stub, not the runtime"},
    {107000, "PARAM_INVALID", ASC_ERR_INVALID, "an argument was refused"},
    {107001, "INVALID_DEVICEID", ASC_ERR_INVALID, "no such device"},
    {107002, "CONTEXT_NULL", ASC_ERR_ACL, "the thread has no current context"},
    {107003, "STREAM_CONTEXT", ASC_ERR_ACL, "the stream is not of the current context"},
    {107006, "EVENT_TIMESTAMP_INVALID", ASC_ERR_ACL, "the event was not recorded"},
    {107007, "EVENT_TIMESTAMP_REVERSAL", ASC_ERR_ACL, "the events are in the wrong order"},
    {107008, "ADDR_UNALIGNED", ASC_ERR_INVALID, "the address is not aligned"},
    {107011, "STREAM_SUBSCRIBE", ASC_ERR_ACL, "the stream is subscribed elsewhere"},
    {107012, "THREAD_SUBSCRIBE", ASC_ERR_ACL, "the thread is subscribed elsewhere"},
    {107015, "STREAM_NO_CB_REG", ASC_ERR_ACL, "no thread is subscribed for callbacks"},
    {107016, "INVALID_MEMORY_TYPE", ASC_ERR_INVALID, "wrong memory type"},
    {107017, "INVALID_HANDLE", ASC_ERR_INVALID, "the handle is not valid"},
    {107018, "INVALID_MALLOC_TYPE", ASC_ERR_INVALID, "wrong allocation type"},
    {107019, "WAIT_TIMEOUT", ASC_ERR_TIMEOUT, "a wait timed out"},
    {107020, "TASK_TIMEOUT", ASC_ERR_TIMEOUT, "a task timed out"},
    {107022, "DEVICE_TASK_ABORT", ASC_ERR_ACL, "the device's tasks were aborted"},
    {107023, "STREAM_ABORT", ASC_ERR_ACL, "the stream was aborted"},
    {107027, "STREAM_CAPTURED", ASC_ERR_ACL, "the stream is being captured"},
    {107030, "CAPTURE_MODE_NOT_SUPPORT", ASC_ERR_ACL, "not allowed while capturing"},
    {200000, "BAD_ALLOC", ASC_ERR_NO_MEMORY, "the runtime is out of host memory"},
    {200001, "API_NOT_SUPPORT", ASC_ERR_UNSUPPORTED, "the function is not supported"},
    {200002, "INVALID_DEVICE", ASC_ERR_INVALID, "no such device"},
    {200003, "MEMORY_ADDRESS_UNALIGNED", ASC_ERR_INVALID, "the address is not aligned"},
    {200006, "FEATURE_UNSUPPORTED", ASC_ERR_UNSUPPORTED, "the feature is not supported"},
    {207000, "FEATURE_NOT_SUPPORT", ASC_ERR_UNSUPPORTED, "the part or driver lacks the feature"},
    {207001, "MEMORY_ALLOCATION", ASC_ERR_NO_MEMORY, "out of device memory"},
    {207002, "MEMORY_FREE", ASC_ERR_ACL, "memory could not be freed"},
    {207004, "NO_DEVICE", ASC_ERR_ACL, "there is no device"},
    {207005, "RESOURCE_ALLOC_FAIL", ASC_ERR_BUSY, "a resource is used up"},
    {207006, "NO_PERMISSION", ASC_ERR_ACL, "not permitted"},
    {207007, "NO_EVENT_RESOURCE", ASC_ERR_BUSY, "no event is left"},
    {207008, "NO_STREAM_RESOURCE", ASC_ERR_BUSY, "no stream is left"},
    {207009, "NO_NOTIFY_RESOURCE", ASC_ERR_BUSY, "no notify is left"},
    {207012, "OVER_LIMIT", ASC_ERR_BUSY, "a limit is exceeded"},
    {207018, "DEVICE_OOM", ASC_ERR_NO_MEMORY, "out of device memory"},
    {207020, "TIMEOUT", ASC_ERR_TIMEOUT, "timed out"},
    {207021, "LINK_TYPE_NOT_SUPPORTED", ASC_ERR_UNSUPPORTED, "the link type is not supported"},
    {300000, "STORAGE_OVER_LIMIT", ASC_ERR_BUSY, "a limit is exceeded"},
    {500000, "INTERNAL_ERROR", ASC_ERR_ACL, "internal error"},
    {500001, "FAILURE", ASC_ERR_ACL, "general failure"},
    {500002, "GE_FAILURE", ASC_ERR_ACL, "the graph engine failed"},
    {500003, "RT_FAILURE", ASC_ERR_ACL, "the runtime layer failed"},
    {500004, "DRV_FAILURE", ASC_ERR_ACL, "the driver failed"},
    {500005, "PROFILING_FAILURE", ASC_ERR_ACL, "profiling failed"},
    {507000, "INTERNAL_ERROR", ASC_ERR_ACL, "internal error of the runtime"},
    {507001, "TS_ERROR", ASC_ERR_ACL, "the task scheduler failed"},
    {507004, "STREAM_NOT_COMPLETE", ASC_ERR_BUSY, "the stream has not finished"},
    {507006, "EVENT_NOT_COMPLETE", ASC_ERR_BUSY, "the event has not happened"},
    {507010, "LOST_HEARTBEAT", ASC_ERR_ACL, "the device is gone"},
    {507012, "REPORT_TIMEOUT", ASC_ERR_TIMEOUT, "nothing was reported in time"},
    {507013, "SYS_DMA", ASC_ERR_ACL, "the copy engine failed"},
    {507022, "IPC_ERROR", ASC_ERR_ACL, "sharing between processes failed"},
    {507046, "STREAM_SYNC_TIMEOUT", ASC_ERR_TIMEOUT, "waiting for the stream timed out"},
    {507047, "EVENT_SYNC_TIMEOUT", ASC_ERR_TIMEOUT, "waiting for the event timed out"},
    {507053, "DEVICE_MEM_ERROR", ASC_ERR_ACL, "device memory failed or was not mapped"},
    {507054, "HBM_MULTI_BIT_ECC_ERROR", ASC_ERR_ACL, "device memory has an uncorrectable error"},
    {507055, "SUSPECT_DEVICE_MEM_ERROR", ASC_ERR_ACL, "device memory is suspected to fail"},
    {507056, "LINK_ERROR", ASC_ERR_ACL, "a link between devices failed"},
    {507057, "SUSPECT_REMOTE_ERROR", ASC_ERR_ACL, "a remote device or its memory is gone"},
    {507899, "DRV_INTERNAL_ERROR", ASC_ERR_ACL, "the driver refused"},
    {507910, "HOST_MEMORY_ALREADY_REGISTERED", ASC_ERR_INVALID, "the memory is registered already"},
    {507911, "HOST_MEMORY_NOT_REGISTERED", ASC_ERR_INVALID, "the memory is not registered"},
};

static const asc_acl_code_t *asc_acl_code_find(aclError error)
{
    for (size_t i = 0; i < sizeof(asc_acl_codes) / sizeof(asc_acl_codes[0]); ++i) {
        if (asc_acl_codes[i].code == error) {
            return &asc_acl_codes[i];
        }
    }
    return NULL;
}

asc_status_t asc_acl_status(aclError error)
{
    const asc_acl_code_t *known = asc_acl_code_find(error);

    if (error == ACL_SUCCESS) {
        return ASC_OK;
    }
    return known != NULL ? known->status : ASC_ERR_ACL;
}

/* The runtime keeps the texts of all failures since the last read, newest
 * first: only the first line is about the error at hand, the others belong to
 * probes that were allowed to fail. */
static void asc_acl_append_recent(char *buf, size_t len, size_t used)
{
    const asc_acl_t *acl = asc_acl_peek();
    const char *text = NULL;
    size_t line;

    if (acl != NULL && acl->aclGetRecentErrMsg != NULL) {
        text = acl->aclGetRecentErrMsg();
    }
    if (text == NULL || used + 3 >= len) {
        return;
    }
    text += strspn(text, " \t\r\n");
    line = strcspn(text, "\r\n");
    if (line > 0) {
        snprintf(buf + used, len - used, "; %.*s", (int)line, text);
    }
}

void asc_acl_forget_error(void)
{
    const asc_acl_t *acl = asc_acl_peek();

    if (acl != NULL && acl->aclGetRecentErrMsg != NULL) {
        (void)acl->aclGetRecentErrMsg();
    }
}

const char *asc_acl_error_text(aclError error, char *buf, size_t len)
{
    const asc_acl_code_t *known = asc_acl_code_find(error);
    int used;

    if (len == 0) {
        return buf;
    }
    if (error == ACL_SUCCESS) {
        snprintf(buf, len, "0 SUCCESS");
        return buf;
    }
    if (known != NULL) {
        used = snprintf(buf, len, "%d %s (%s)", error, known->name, known->meaning);
    } else {
        used = snprintf(buf, len, "%d (a code this version does not know)", error);
    }
    if (used > 0 && (size_t)used < len) {
        asc_acl_append_recent(buf, len, (size_t)used);
    }
    return buf;
}
