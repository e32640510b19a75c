/* SPDX-License-Identifier: BSD-3-Clause */
/* The same of a toolkit without aclrtGetVersion: only aclInit tells. */
#define T_FAKE_CODE 100039
#include "tests/acl/t_fake.h"

ASC_ACL_REQUIRED(T_FAKE)
