/* SPDX-License-Identifier: BSD-3-Clause */
/* What a program or module does that calls the runtime directly. */
#ifndef T_DIRECT_USE_H
#define T_DIRECT_USE_H

#include "acl/ascend_abi.h"

typedef struct t_direct {
    aclError (*alloc)(void **ptr, size_t size);
    aclError (*release)(void *ptr);
} t_direct_t;

#endif
