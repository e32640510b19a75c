/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LINK_PINNED_H
#define LINK_PINNED_H

/** The device (-1: every one) is about to be reset: cached blocks go back to
 *  the runtime while that is still possible. */
void link_pinned_drop(int device);

#endif
