/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * node.h - what the processes of one node share. Every process owns one file
 * in a private directory, named by its bare tgid, and alone writes it; the
 * exceptions are words that peers may set: a notify's bit, "was imported" of
 * an export, and the doorbell. A process lives as long as it holds the lock
 * on its file, so the state of a killed one is told from a live one's without
 * any clean-up by it. Sums over live files replace shared totals.
 */
#ifndef NPUSIM_NODE_H
#define NPUSIM_NODE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "acl/ascend_abi.h"
#include "knobs.h"

#define NODE_NOTIFIES    8192
#define NODE_NOTIFY_PIDS 15 /* besides the owner */
#define NODE_EXPORTS     4096
#define NODE_EXPORT_PIDS 64
#define NODE_FOREIGN     8192

/* A process allowed to import, if it was running when it was listed. */
struct node_pid {
    int32_t tgid;
    uint32_t pad;
    uint64_t listed_ns; /* since boot */
};

enum node_notify_flags {
    NOTIFY_EXPORTED = 1,
    NOTIFY_OPEN = 2, /* no pid validation */
    NOTIFY_DYING = 4 /* destroyed by its owner, perhaps imported still */
};

struct node_notify {
    _Alignas(64) _Atomic uint32_t bit;
    _Atomic uint32_t gen; /* 0: slot free; else tells reuses apart */
    _Atomic uint32_t flags;
    int32_t device; /* physical */
    _Atomic uint32_t pid_count;
    uint32_t last_gen; /* owner only */
    struct node_pid pids[NODE_NOTIFY_PIDS];
};

struct node_export {
    _Alignas(64) _Atomic uint64_t serial; /* 0: closed */
    _Atomic uint32_t imported;            /* set by the first importer */
    _Atomic uint32_t open;                /* no pid validation */
    _Atomic uint32_t pid_count;
    int32_t device;          /* physical */
    int32_t memfd;           /* of the owner */
    uint64_t offset, length; /* in the memfd */
    uint64_t page;
    struct node_pid pids[NODE_EXPORT_PIDS];
};

/* A notify of another process that this one has imported. */
struct node_foreign {
    _Atomic int32_t tgid; /* 0: free */
    uint32_t slot, gen;
};

/* What the processes of a node share of each device. */
enum node_budget {
    BUDGET_MEMORY, /* bytes */
    BUDGET_NOTIFIES,
    BUDGET_STREAMS,
    BUDGET_EVENTS, /* counted where NPUSIM_MAX_EVENT is set */
    NODE_BUDGETS
};

struct node_dev {
    _Atomic uint64_t taken[NODE_BUDGETS]; /* by this process */
    _Atomic uint64_t peers;               /* bit j: access from here to device j enabled */
};

enum node_state {
    NODE_IDLE, /* not initialised, or finalised */
    NODE_LIVE
};

enum node_worker {
    WORKER_AWAKE,
    WORKER_ARMED, /* sleeps and wants to know of records */
    WORKER_IDLE   /* has nothing to do */
};

struct node_file {
    uint64_t magic;
    uint64_t size;
    int32_t pid;       /* in the namespace of the directory's users */
    int32_t tgid;      /* bare: pid plus NPUSIM_TGID_OFFSET */
    uint64_t start_ns; /* since boot */
    _Atomic uint32_t state;
    _Alignas(64) _Atomic uint32_t doorbell;
    _Atomic uint32_t worker;
    _Atomic uint32_t sleepers; /* host threads that wait for stream progress */
    struct node_dev dev[SIM_MAX_DEVICES];
    struct node_foreign foreign[NODE_FOREIGN];
    struct node_notify notify[NODE_NOTIFIES];
    struct node_export exports[NODE_EXPORTS];
};

/* A process of this node as we know it. Never unmapped, so that tasks may
 * hold pointers into it; reused for nobody else. */
struct node {
    struct node_file *file;
    int fd;
    int32_t tgid;
    _Atomic uint32_t dead;
    _Atomic uint64_t checked_ns;
    struct node *buried; /* the one that died before */
};

extern struct node *node_self; /* NULL before the first aclInit */

/* Makes or revives this process's file and removes those of the dead. On
 * failure returns false with the reason. */
bool node_open(char *why, size_t why_len);

/* Marks this process as finalised; its file stays for a later aclInit. */
void node_close(void);

/* Removes the file: for the end of the process. */
void node_unlink(void);

/* After fork, in the child: forget everything of the parent. */
void node_forget(void);

/* The live process with that bare tgid, or NULL. */
struct node *node_find(int32_t tgid);

/* Does the process live and use its devices? Asks the kernel at most every
 * ten milliseconds. */
bool node_alive(struct node *n);

/* Wakes all threads of that process that wait for streams. */
void node_ring_slow(struct node_file *f);

/* The same after a record, if anybody sleeps. */
static inline void node_ring(struct node_file *f)
{
    if (atomic_load(&f->worker) == WORKER_ARMED || atomic_load(&f->sleepers) != 0) {
        node_ring_slow(f);
    }
}

/* Bytes of a device's memory that live processes use. */
uint64_t node_used(int device);

/* Takes from what a device has, or returns false; the dead are reclaimed
 * before it refuses. */
bool node_take(int device, enum node_budget what, uint64_t amount);
void node_give(int device, enum node_budget what, uint64_t amount);

/* Calls fn for every other live process; stops when it returns true. */
bool node_each(bool (*fn)(struct node *n, const void *arg), const void *arg);

/* May this process, started before it was listed, use such a whitelist? */
bool node_listed(const struct node_pid *pids, uint32_t count);

/* Fills one entry of a whitelist. */
void node_list(struct node_pid *entry, int32_t tgid);

#endif
