/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fault.h - the fault plan: which call of which function fails with what.
 * Text form: FUNCTION:NTH=CODE[@RANK], separated by commas; NTH counts from 1
 * or is * for every call; RANK is compared with OMPI_COMM_WORLD_RANK.
 */
#ifndef NPUSIM_FAULT_H
#define NPUSIM_FAULT_H

#include <stdbool.h>

#include "acl/ascend_abi.h"

/* Replaces the plan; NULL: by none. False on a bad text. */
bool fault_load(const char *text);

/* Does the plan hold anything for this process? */
bool fault_any(void);

/* Counts one call of fn; the code it is to fail with, or ACL_SUCCESS. */
aclError fault_check(int fn);

#endif
