/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Start-up inside link/: what asc_link_init() calls in other files.
 */
#ifndef LINK_INIT_H
#define LINK_INIT_H

#include "acl/asc_status.h"

#include <stdbool.h>
#include <stddef.h>

/** Makes this process's board (board.c). On failure the reason is in @a why.
 *  Called once at a time, with the runtime library open. */
asc_status_t link_board_open(char *why, size_t len);

/** True in a child of a process that used the library: the child owns none of
 *  the handles and must leave everything alone. One load. */
bool link_forked(void);

/** True for a copy of the library that met another one in its process. */
bool link_second_copy(void);

#endif
