/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Memory of other processes that the application itself has imported, by
 * aclrtIpcMemImportByKey. The runtime takes it for asynchronous copies inside
 * the device alone and cannot export it again, so no message can use it, and it
 * must be told from the process's own memory before one is half sent.
 */
#ifndef LINK_APP_IMPORTS_H
#define LINK_APP_IMPORTS_H

#include <stdbool.h>
#include <stddef.h>

/** Notes one more import of @a key (copied) to @a base on @a device. Out of host
 *  memory it stays unknown. A context must be current. */
void link_app_imports_add(void *base, const char *key, int device);

/** Undoes one import of @a key; none of ours is nothing. */
void link_app_imports_close(const char *key);

/** Forgets those of @a device, -1: all. They ended with it. */
void link_app_imports_drop(int device);

/** Does @a addr lie in one? One load while there are none. */
bool link_app_imports_have(const void *addr);

#endif
