/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LINK_TRANSFER_H
#define LINK_TRANSFER_H

/** Waits until the pair streams are idle, at most until @a deadline_ms of
 *  link_now_ms(), and ends those that are. */
void link_transfer_close(unsigned long long deadline_ms);

#endif
