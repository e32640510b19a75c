/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * acl/acl.h - what programs written for CANN include. With npusim's include
 * directory on the search path they build without a CANN installation.
 */
#ifndef NPUSIM_ACL_ACL_H
#define NPUSIM_ACL_ACL_H

#include <acl/ascend_abi.h>

#endif
