/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * acl/acl_rt.h - the name newer programs include. With npusim's include
 * directory on the search path they build without a CANN installation.
 */
#ifndef NPUSIM_ACL_ACL_RT_H
#define NPUSIM_ACL_ACL_RT_H

#include <acl/ascend_abi.h>

#endif
