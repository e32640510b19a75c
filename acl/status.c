/* SPDX-License-Identifier: BSD-3-Clause */
#include "acl/asc_status.h"

const char *asc_status_text(asc_status_t status)
{
    switch (status) {
    case ASC_OK:
        return "success";
    case ASC_INPROGRESS:
        return "still in progress";
    case ASC_ERR_NO_RUNTIME:
        return "no usable Ascend runtime library";
    case ASC_ERR_INVALID:
        return "invalid argument";
    case ASC_ERR_NO_MEMORY:
        return "out of memory";
    case ASC_ERR_UNREACHABLE:
        return "not reachable this way";
    case ASC_ERR_STALE:
        return "memory was freed";
    case ASC_ERR_ACL:
        return "the Ascend runtime reported an error";
    case ASC_ERR_TIMEOUT:
        return "timed out";
    case ASC_ERR_NOT_FOUND:
        return "not found";
    case ASC_ERR_BUSY:
        return "budget used up";
    case ASC_ERR_UNSUPPORTED:
        return "not supported here";
    }
    return "unknown status";
}
