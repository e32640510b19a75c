/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frees without peers: nobody but this process uses its memory.
 */
#include "link/free.h"
#include "link/init.h"

void link_free_on_alloc(const link_alloc_t *alloc)
{
    (void)alloc;
}

void link_free_on_gone(const link_alloc_t *alloc)
{
    (void)alloc;
}

bool link_free_park(const link_alloc_t *alloc)
{
    (void)alloc;
    return false;
}

bool link_free_sweep(bool urgent)
{
    (void)urgent;
    return false;
}

void link_board_device_used(int device)
{
    (void)device;
}

asc_status_t link_board_open(char *why, size_t len)
{
    (void)why;
    (void)len;
    return ASC_OK;
}
