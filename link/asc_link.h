/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Device memory between the processes of one node: the door of link/.
 *
 * One shared library, libascendlink.so, holds all of it, so that every module
 * in a process (UCX transport, Open MPI components, tools) shares one
 * allocation table, one export and import cache and one notify pool.
 *
 * Thread rules: every function may be called from any thread, with or without
 * a current ACL context; the caller's current device and context are the same
 * after the call as before (only a thread that had none may be left with the
 * home device's, where the runtime has no way to unset it). No lock is held
 * over a driver call. Nothing waits for another process unless its comment
 * gives the bound.
 */
#ifndef ASC_LINK_H
#define ASC_LINK_H

#include "acl/asc_acl.h"
#include "acl/asc_status.h"
#include "link/asc_oob.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ASC_LINK_ABI 2

#pragma GCC visibility push(default)

/* ------------------------------------------------------------- life ------ */

/**
 * Opens the runtime library and makes this process's board. Idempotent; a
 * failed call may be repeated. No device is touched, aclInit is not called.
 * A second copy of the library in the process, or a module built against
 * another ASC_LINK_ABI, is refused (ASC_ERR_UNSUPPORTED, logged once).
 *
 * @param abi pass ASC_LINK_ABI.
 * @return ASC_OK; ASC_ERR_NO_RUNTIME: asc_link_why_not() tells why (silent).
 */
asc_status_t asc_link_init(int abi);

/** True once asc_link_init() succeeded in this process (false in a fork). */
bool asc_link_ready(void);

/** Reason and remedy when asc_link_init() failed, else "". */
const char *asc_link_why_not(void);

/**
 * Cheap upkeep, for progress loops: sweeps parked frees, closes dead imports,
 * drains notifies of posted copies. A few loads when there is nothing to do.
 */
void asc_link_progress(void);

/**
 * Orderly release before the runtime goes away (MPI_Finalize, worker
 * destruction): waits at most @a timeout_ms for the process's own copies and
 * for outstanding notify records, closes imports and exports that nobody
 * uses. Later calls still work and re-create what they need. Errors of a
 * runtime that is already finalised are ignored silently.
 */
void asc_link_quiesce(unsigned timeout_ms);

/* ------------------------------------------- seeing allocations ---------- */

/**
 * Port to a relocation patcher (UCX's ucm_reloc_modify), filled by the
 * modules because link/ does not know UCX: makes every present and future
 * module of the process call @a replacement instead of @a symbol.
 * @return 0 on success.
 */
typedef int (*asc_link_patch_fn)(const char *symbol, void *replacement);

/** Installs the allocation hooks through @a patch, once in a process. Where
 *  libascend_preload.so is loaded they are for modules that do not ask the
 *  program's other libraries first (RTLD_DEEPBIND), and need not succeed. */
asc_status_t asc_link_install_hooks(asc_link_patch_fn patch);

/**
 * Redirects calls of another library's function in the same way, through the
 * patcher that asc_link_install_hooks() got. @a symbol must stay valid.
 * @return ASC_ERR_UNSUPPORTED when no module has given a patcher, or it failed.
 */
asc_status_t asc_link_redirect(const char *symbol, void *replacement);

typedef enum asc_link_mem_event {
    ASC_LINK_MEM_ALLOC, /**< after the real allocation */
    ASC_LINK_MEM_FREE   /**< before the real free; size 1 where it is not known
                             (memory whose allocation was not seen) */
} asc_link_mem_event_t;

/** Called in the thread that allocates or frees, with no lock held. Must not
 *  call ACL and must not wait. */
typedef void (*asc_link_mem_listener_fn)(asc_link_mem_event_t event, void *base, size_t size,
                                         void *arg);

/** Adds a listener for the life of the process (modules are nodelete). */
asc_status_t asc_link_add_mem_listener(asc_link_mem_listener_fn fn, void *arg);

/**
 * Whether device memory can exist in this process. False only under
 * libascend_preload.so, which sees every user of the runtime, and only until the
 * first one comes: then no pointer need be asked about. One load.
 */
bool asc_link_device_possible(void);

/** Called once in the thread that first uses the runtime, before its call goes
 *  on; must not call this library. */
typedef void (*asc_link_first_use_fn)(void *arg);

/** Has @a fn called before asc_link_device_possible() becomes true; at once if
 *  it is, or if 8 others wait already. */
void asc_link_on_first_use(asc_link_first_use_fn fn, void *arg);

/** Takes back what asc_link_on_first_use() was given; when it has returned, @a fn
 *  is not running and is not called any more. */
void asc_link_first_use_forget(asc_link_first_use_fn fn, void *arg);

/** How allocations are seen here: "hooks", "preload", "none", and a sentence
 *  about why. Strings live as long as the process. */
const char *asc_link_hook_mode(const char **why);

/* --------------------------------------------------- pointers ------------ */

typedef enum asc_link_mem_kind {
    ASC_LINK_MEM_HOST,   /**< pageable or pinned host memory */
    ASC_LINK_MEM_DEVICE, /**< live device memory of this process */
    ASC_LINK_MEM_BAD     /**< device address that is freed, foreign or overrun */
} asc_link_mem_kind_t;

typedef struct asc_link_mem {
    asc_link_mem_kind_t kind;
    int device; /**< user device id, -1 for host */
    void *base; /**< allocation, or the queried range if unknown */
    size_t size;
    uint64_t generation; /**< of the allocation; 0: malloc not seen */
} asc_link_mem_t;

/**
 * What is at [@a ptr, @a ptr + @a len)? Warm path: no driver call, no lock,
 * neither for device memory nor for host memory asked about before.
 * @a len may be 0 (the address alone is judged). @a mem may be NULL.
 * Host for everything while no runtime is loaded.
 */
asc_link_mem_kind_t asc_link_mem_query(const void *ptr, size_t len, asc_link_mem_t *mem);

/** Device allocation that the library itself tracks (UCX's mem_alloc). */
asc_status_t asc_link_mem_alloc(size_t size, void **ptr);
asc_status_t asc_link_mem_free(void *ptr);

/** Pinned host memory from a pool near the process's device (staging). Never
 *  NULL on ASC_OK; give it back with the same size. Works without a device
 *  being set in the calling thread. */
asc_status_t asc_link_pinned_get(size_t size, void **ptr);
void asc_link_pinned_put(void *ptr, size_t size);

/* ------------------------------------------- copies in the process ------- */

/** A copy that is under way. Owned by the caller, opaque, no destructor: it
 *  is over once asc_link_op_test() has returned anything but ASC_INPROGRESS. */
typedef struct asc_link_op {
    uint64_t opaque[9];
} asc_link_op_t;

/**
 * Copies between any two of host memory and device memory of this process,
 * and returns when the bytes are there (or with ASC_ERR_ACL, logged).
 * Pageable host memory is allowed. @a len 0 is ASC_OK.
 */
asc_status_t asc_link_copy(void *dst, const void *src, size_t len);

/** Starts the same copy. Host sides should be pinned to overlap at all; for
 *  pageable ones it may already be done on return. Buffers must live until
 *  the op is over. ASC_OK: already complete; ASC_INPROGRESS: test the op. */
asc_status_t asc_link_copy_start(void *dst, const void *src, size_t len, asc_link_op_t *op);

/** ASC_OK, ASC_INPROGRESS or an error; never blocks. After a result other than
 *  ASC_INPROGRESS the op must not be tested again. */
asc_status_t asc_link_op_test(asc_link_op_t *op);

/** A block of a scattered copy: @a height rows of @a width bytes, whose starts
 *  are dpitch and spitch bytes apart (negative ones by wrapping round). */
typedef struct asc_link_rows {
    void *dst;
    const void *src;
    size_t dpitch, spitch;
    size_t width, height; /**< not 0 */
} asc_link_rows_t;

/**
 * Starts a copy of @a n blocks between host memory and device memory, or inside
 * one device (between two: ASC_ERR_UNSUPPORTED). All of dst lie in one memory,
 * all of src in another; the caller has checked them. One call of the runtime
 * for a block where it takes pitched copies, one for up to 1024 other pieces
 * where it takes batches, else one for each piece. No byte between the rows is
 * touched. Results as those of asc_link_copy_start(); @a rows may go at once.
 */
asc_status_t asc_link_copy_rows_start(const asc_link_rows_t *rows, size_t n, asc_link_op_t *op);

/** Whether pitched copies between host and device, or batches, can be had: true
 *  until the runtime has refused one. @a inside: and inside a device; tried out
 *  at the first question. */
bool asc_link_pitched(bool inside);
bool asc_link_batched(void);

/** Device memory from a pool on the home device (packed messages), and back
 *  with the same size. Contents are undefined. */
asc_status_t asc_link_scratch_get(size_t size, void **ptr);
void asc_link_scratch_put(void *ptr, size_t size);

/* ------------------------------------------------------ peers ------------ */

/**
 * Where a process can be found: exchanged through UCX addresses and MPI's
 * modex. Plain data without pointers; a received one is validated before use.
 */
typedef struct asc_link_addr {
    uint16_t version;  /**< ASC_LINK_ABI */
    uint16_t flags;    /**< bit 0: runtime library found, bit 1: disabled */
    int32_t pid;       /**< in the sender's pid namespace */
    int32_t board_fd;  /**< descriptor of its board, for /proc/PID/fd */
    uint32_t reserved; /**< 0 */
    uint64_t host;     /**< hash of boot id and pid namespace */
    uint64_t uid;      /**< random, unique per process; also on the board */
} asc_link_addr_t;

#define ASC_LINK_ADDR_RUNTIME  0x1
#define ASC_LINK_ADDR_DISABLED 0x2

/** This process's address. Valid even when asc_link_init() failed (flags say
 *  so, board_fd is -1), so that peers always learn something. */
void asc_link_self_addr(asc_link_addr_t *addr);

typedef struct asc_link_peer asc_link_peer_t;

/**
 * The peer at @a addr, its board mapped. Cached for the life of the process;
 * never freed by the caller. The process itself is a peer too.
 * @param why room of @a why_len bytes for the reason when it fails, or NULL.
 * @return ASC_OK, ASC_ERR_UNREACHABLE (other host or namespace, no board, no
 *         runtime, other version), ASC_ERR_INVALID (malformed).
 */
asc_status_t asc_link_peer_open(const asc_link_addr_t *addr, asc_link_peer_t **peer, char *why,
                                size_t why_len);

bool asc_link_peer_is_self(const asc_link_peer_t *peer);

/** False once the process behind it is gone. One system call. */
bool asc_link_peer_alive(asc_link_peer_t *peer);

/** Its bare tgid, or -1 while it has used no device. */
int asc_link_peer_tgid(const asc_link_peer_t *peer);

/**
 * The mail area: zeroed shared memory on the own board, aligned to a cache
 * line, that this process alone writes and its peers read; for the module that
 * sees MPI's calls. link/ does not look into it. It lives as long as the
 * process. How readers find whole records is their and the writer's business.
 * @return NULL without a board.
 */
void *asc_link_mail(size_t *len);
const void *asc_link_peer_mail(const asc_link_peer_t *peer, size_t *len);

/** This process's home device: the first one seen in use, or -1. */
int asc_link_home_device(void);

/** Plugs an out-of-band port in (NULL: back to the board's own). */
void asc_link_set_oob(const asc_oob_port_t *port);
const char *asc_link_oob_name(void);

/* --------------------------------------------- exports, imports ---------- */

/** Bytes of a packed remote key. Opaque to everyone but link/. */
#define ASC_LINK_RKEY_SIZE 160

/**
 * Exports the whole allocation that holds [@a ptr, @a ptr + @a len) for all
 * peers known by now and packs a key for them. Cached per (allocation,
 * generation, peer-set epoch); an allocation whose malloc was not seen is
 * exported for this use only.
 * Always writes ASC_LINK_RKEY_SIZE bytes: when the memory cannot be exported
 * the key says so, its importers get ASC_ERR_UNREACHABLE, the case is counted
 * and mentioned once.
 * @return ASC_ERR_UNREACHABLE with such a key (also while no peer that uses a
 *         device is known); ASC_ERR_INVALID: not device memory of this process.
 */
asc_status_t asc_link_export(const void *ptr, size_t len, void *rkey);

/** Ends a use of an export made for one use; nothing for cached ones. */
void asc_link_export_release(const void *rkey);

typedef struct asc_link_import asc_link_import_t;

/**
 * Imports by key (cached) and pins: while pinned, the owner does not give the
 * memory back to the driver. Malformed, stale, refused or foreign keys give
 * ASC_ERR_UNREACHABLE, never anything worse; the reason is logged at debug
 * level, demotions of a pair once at warn level.
 */
asc_status_t asc_link_import(const void *rkey, size_t rkey_len, asc_link_import_t **import);
void asc_link_import_release(asc_link_import_t *import);

/** The peer that owns the imported memory. */
asc_link_peer_t *asc_link_import_owner(const asc_link_import_t *import);

/**
 * Copies from (get) or to (put) the owner's address @a remote, which must lie
 * in the imported allocation, else ASC_ERR_INVALID. @a local is device memory
 * of this process. One D2D copy on the pair's stream, then a record on the
 * owner's notify; a local buffer on another device than the import's goes
 * through a bounce there. The import may be released before the op is over.
 * ASC_OK: complete already; ASC_INPROGRESS: test the op.
 */
asc_status_t asc_link_get(asc_link_import_t *import, uint64_t remote, void *local, size_t len,
                          asc_link_op_t *op);
asc_status_t asc_link_put(asc_link_import_t *import, uint64_t remote, const void *local, size_t len,
                          asc_link_op_t *op);

/**
 * The same for owners that call asc_link_relay_progress() as long as the memory
 * is registered (asc_link_relay_hold()): a copy that fails is made again on
 * another stream, then relayed by both processes. The first such copy of a pair
 * is mentioned, all are counted; a pair that keeps failing is only relayed from
 * then on. ASC_ERR_ACL (logged): there was no way, which the owner gets to know
 * by asc_link_peer_gave_up().
 */
asc_status_t asc_link_get_or_relay(asc_link_import_t *import, uint64_t remote, void *local,
                                   size_t len, asc_link_op_t *op);
asc_status_t asc_link_put_or_relay(asc_link_import_t *import, uint64_t remote, const void *local,
                                   size_t len, asc_link_op_t *op);

/** Transfers out of or into this process's memory that @a peer has given up,
 *  and of all peers together, as seen by the last asc_link_progress(). */
uint64_t asc_link_peer_gave_up(const asc_link_peer_t *peer);
uint64_t asc_link_gave_up(void);

/* ------------------------------------------- relayed copies ------------- */

/**
 * Copies between host memory of one process and device memory of another, for
 * which no engine can reach both. The two processes copy at the same time, by
 * way of shared memory: the one that asks in asc_link_op_test(), the other in
 * asc_link_relay_progress(), which it must keep calling.
 *
 * Offers host memory to peers until it is withdrawn.
 * @return what peers name it by; 0: too much is on offer, try another way.
 */
uint64_t asc_link_relay_offer(const void *ptr, size_t len);

/** Takes the offer back; waits for a piece that is just being copied. */
void asc_link_relay_withdraw(uint64_t ref);

/** Device memory was (@a more), or is no longer, registered for peers: only
 *  while something is on offer does a process look for what peers ask. */
void asc_link_relay_hold(bool more);

/**
 * Can device memory whose key could not be imported be relayed (as offer 0)?
 * False for malformed and stale keys, and where the owner has ended.
 */
bool asc_link_relay_usable(const void *rkey, size_t rkey_len);

/** While something is on offer: a process that sleeps then would leave peers
 *  waiting for its part. */
bool asc_link_relay_expected(void);

/** Serves peers. A load or two while nothing is on offer. */
void asc_link_relay_progress(void);

/**
 * Reads from (get) or writes to (put) @a remote in the peer, which lies in its
 * offer @a ref or, for 0, in its device memory. @a local is any memory of this
 * process.
 * ASC_INPROGRESS: test the op; it fails with ASC_ERR_ACL (logged) when the peer
 * refuses or ends. ASC_ERR_BUSY: too many are under way, ask again later.
 */
asc_status_t asc_link_relay_get(asc_link_peer_t *peer, uint64_t ref, uint64_t remote, void *local,
                                size_t len, asc_link_op_t *op);
asc_status_t asc_link_relay_put(asc_link_peer_t *peer, uint64_t ref, uint64_t remote,
                                const void *local, size_t len, asc_link_op_t *op);

/* ------------------------------------------- questions of tools ---------- */

/** Counters since the start, by name; -1 for an unknown name. Names and what
 *  they count are listed in link/counters.h. */
int64_t asc_link_counter(const char *name);

/** One environment variable of acl/, topo/ or link/. */
typedef struct asc_link_env {
    const char *name, *defval, *help;
} asc_link_env_t;

/** Table of all, ended by a NULL name. A variable with a value that is not
 *  understood makes asc_link_init() fail with a reason that names both. */
const asc_link_env_t *asc_link_env_table(void);

/**
 * Why the last call that gave ASC_ERR_UNREACHABLE in this thread did so (export,
 * import, peer): cause with its values, then the remedy. "" if none did. Valid
 * until the next such call of the thread.
 */
const char *asc_link_last_reason(void);

/**
 * Where the devices sit, made from the runtime's facts at the first call;
 * lives as long as the process. NULL while no runtime is usable. Index of a
 * device = its user id.
 */
struct asc_topo;
struct asc_topo *asc_link_topo(void);

/** PCI bus id of a device ("0000:c1:00.0") into @a buf (>= 16 bytes) by the
 *  routes that exist here; ASC_ERR_NOT_FOUND with "" otherwise. */
asc_status_t asc_link_device_pci(int device, char *buf, size_t len);

#pragma GCC visibility pop

#endif
