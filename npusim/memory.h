/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * memory.h - what an address means. Device memory is one sparse memfd per
 * device, mapped twice: at the address the program sees nothing is
 * accessible, so that the CPU faults as it would on hardware; the engines use
 * an alias. Regions describe allocations, imports and pinned host memory.
 */
#ifndef NPUSIM_MEMORY_H
#define NPUSIM_MEMORY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acl/ascend_abi.h"
#include "origin.h"

struct node;
struct node_export;

enum region_kind {
    REGION_DEVICE,
    REGION_IMPORT,
    REGION_PINNED,    /* aclrtMallocHost */
    REGION_REGISTERED /* aclrtHostRegister */
};

struct region {
    uintptr_t base;
    size_t size;     /* bytes that may be used */
    size_t span;     /* bytes of address space taken */
    ptrdiff_t alias; /* engine address minus user address */
    enum region_kind kind;
    int dev; /* physical; of an import: the importer's */
    uint32_t page;
    _Atomic uint32_t refs;
    _Atomic bool live;
    struct origin origin; /* the call that made it */
    /* device memory */
    uint64_t offset;                     /* in the device's memfd */
    bool p2p;                            /* allocated by a P2P policy */
    size_t asked;                        /* bytes that the program asked for */
    size_t front;                        /* bytes of address space before base, for a red zone */
    struct origin hit_before, hit_after; /* who wrote into a zone last */
    /* imports */
    struct node *owner;
    struct node_export *exp;
    uint64_t exp_serial;
    int exp_dev;
    uint32_t imports; /* times imported, under the IPC lock */
    char key[ASCEND_ABI_IPC_KEY_SIZE];
};

static inline bool region_on_device(const struct region *r)
{
    return r != NULL && r->kind <= REGION_IMPORT;
}

static inline char *region_engine(const struct region *r, const void *p)
{
    return (char *)((uintptr_t)p + (uintptr_t)r->alias);
}

/* Does [p, p + len) lie inside the region? */
static inline bool region_holds(const struct region *r, const void *p, size_t len)
{
    size_t at = (uintptr_t)p - r->base;
    return at <= r->size && len <= r->size - at;
}

/* The region that p points into, with a reference, or NULL. */
struct region *region_get(const void *p);
/* The same for two addresses at once. */
void region_get2(const void *a, struct region **ra, const void *b, struct region **rb);
/* The region whose red zone p may be in, with a reference, or NULL. */
struct region *region_zone(const void *p);
void region_put(struct region *r);

/* Enters a region with one reference held by the table; false without memory. */
bool region_add(struct region *r);

/* Removes a live region that starts at p if accept says so, marks it dead and
 * returns it with the table's reference; else NULL. */
struct region *region_take(const void *p, bool (*accept)(const struct region *));

/* Is p inside a device's address window, though perhaps not allocated? */
bool window_hit(const void *p);

/* Descriptor of this process's memory on a device, or -1. */
int window_memfd(int dev);

/* Frees what this process has on a device, imports included. */
void memory_free_device(int dev);

/* Frees pinned and registered host memory; for aclFinalize. */
void memory_free_host(void);

/* Closes the exports of [offset, offset + len) of a device; see ipc_mem.c. */
void export_close_range(int dev, uint64_t offset, uint64_t len);

/* Drops the imports into a device. */
void import_drop_device(int dev);

/* Allocates device memory for the current context. */
aclError memory_malloc(void **p, size_t size, size_t pad, aclrtMemMallocPolicy policy);

#endif
