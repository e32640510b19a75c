/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LINK_SCRATCH_H
#define LINK_SCRATCH_H

#include <stdbool.h>

/** Gives what the pool keeps back to the runtime: before a reset, at the end,
 *  and before out-of-memory is reported. True when there was anything. */
bool link_scratch_drop(void);

#endif
