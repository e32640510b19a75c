/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LINK_FIRST_USE_H
#define LINK_FIRST_USE_H

/** libascend_preload.so is there from the start: whoever uses the runtime is
 *  seen. Without it device memory may exist at any time. */
void link_first_use_watched(void);

/** The application is about to call the runtime. */
void link_first_use_note(void);

#endif
