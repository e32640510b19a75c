/* SPDX-License-Identifier: BSD-3-Clause */
/* Like the library for linking that toolkits ship: everything is there and
 * answers 100039. */
#define T_FAKE_CODE 100039
#include "tests/acl/t_fake.h"

ASC_ACL_REQUIRED(T_FAKE)
T_FAKE(aclrtGetVersion)
