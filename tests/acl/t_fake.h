/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For libraries with the names of the runtime's functions, which all answer
 * T_FAKE_CODE (define it before).
 */
#include "acl/asc_acl.h"

#define T_FAKE_EXPORT __attribute__((visibility("default")))

/* The loader looks names up only; types do not matter to it. */
#define T_FAKE(_name) \
    T_FAKE_EXPORT aclError t_fake_##_name(void) __asm__(#_name); \
    aclError t_fake_##_name(void) \
    { \
        return T_FAKE_CODE; \
    }
