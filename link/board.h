/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The board: one small shared segment per process, which that process alone
 * writes and its peers map read-only. What hosts need to know of each other
 * lives here: which exported allocations still live, which imports are in
 * use, how far notifies have been consumed, keys of the default OOB port.
 *
 * It is a memfd found through /proc/PID/fd, so that nothing is left behind
 * whatever way its owner ends. Its owner holds a POSIX record lock on it: the
 * lock is not inherited by fork and ends with the process, which makes it the
 * liveness test. (A POSIX lock is dropped when the process closes *any*
 * descriptor of the file, hence nobody here opens the own board again.)
 *
 * Memory order: the hand-over between an importer and an owner is the classic
 * store-then-look on both sides, so these accesses are sequentially
 * consistent: importer stores its hazard and looks at live[]; owner clears
 * live[] and looks at the hazards. All other fields are released by their
 * writer and acquired by readers.
 */
#ifndef LINK_BOARD_H
#define LINK_BOARD_H

#include "link/asc_link.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define LINK_BOARD_MAGIC   UINT64_C(0x3144524f42435341) /* "ASCBORD1" */
#define LINK_BOARD_VERSION 4

/** Allocations that may be exported at a time. */
#define LINK_BOARD_LIVE    4096
/** Imports that may be open at a time, one hazard slot each. */
#define LINK_BOARD_HAZARDS 4096
/** Processes that one process may know. */
#define LINK_BOARD_PEERS   1024
/** Names of the default OOB port. */
#define LINK_BOARD_NAMES   2048
/** Bytes of the mail area, which link/ hands out without looking into it. */
#define LINK_BOARD_MAIL    32768
/** Relayed transfers that one process asks for, and serves, at a time. */
#define LINK_BOARD_RELAYS  16

typedef enum link_hazard_state {
    LINK_HAZARD_FREE,
    LINK_HAZARD_CACHED, /**< imported, but nothing uses it */
    LINK_HAZARD_HELD,   /**< pinned, or copies under way that no record covers */
    LINK_HAZARD_POSTED  /**< in use only until record number seq is consumed */
} link_hazard_state_t;

/** state and seq share a word, so that a reader never sees a mixture. */
#define LINK_HAZARD_WORD(_state, _seq) ((uint64_t)(_state) | ((uint64_t)(_seq) << 2))
#define LINK_HAZARD_STATE(_word)       ((link_hazard_state_t)((_word)&3))
#define LINK_HAZARD_SEQ(_word)         ((_word) >> 2)

typedef struct link_board_hazard {
    _Atomic uint64_t owner;      /**< uid of the process whose memory it is */
    _Atomic uint64_t generation; /**< what live[] of the owner must hold */
    _Atomic uint64_t word;       /**< LINK_HAZARD_WORD */
    uint64_t reserved;
} link_board_hazard_t;

/** What the writer tells one other process; row index is the writer's own. */
typedef struct link_board_row {
    _Atomic uint64_t uid;      /**< of the other process; 0: row unused */
    _Atomic uint64_t ready;    /**< number of the notify made for it, 0: none */
    _Atomic uint64_t consumed; /**< records of it that were waited for */
    _Atomic uint64_t recorded; /**< own records on its notify << 1, bit 0: one
                                    is being enqueued right now */
    _Atomic uint64_t since;    /**< first export epoch that lets it import, 0: none */
    _Atomic uint64_t spoiled;  /**< number of its notify on which a record was lost
                                    with a copy that failed, 0: none */
    _Atomic uint64_t gave_up;  /**< transfers with it that could not be made in any way */
    uint64_t reserved;
} link_board_row_t;

/** One process's half of a relayed transfer: as asked for, or as served. */
typedef struct link_board_relay {
    _Atomic uint64_t id;      /**< the asking process's number of it, written last; 0: none */
    _Atomic uint64_t peer;    /**< uid of the other process */
    _Atomic uint64_t address; /**< asked: in the other process */
    _Atomic uint64_t len;     /**< asked */
    _Atomic uint64_t ref;     /**< asked: offer it lies in, 0: device memory */
    _Atomic uint32_t put;     /**< asked: 1 to write there, 0 to read */
    _Atomic uint32_t channel; /**< of the half that fills slots */
    _Atomic uint64_t count;   /**< pieces this half has copied */
    _Atomic uint32_t status;  /**< asc_status_t of this half */
    uint32_t reserved;
} link_board_relay_t;

typedef struct link_board_name {
    char name[ASC_OOB_NAME_MAX];
    uint32_t len;
    uint32_t reserved;
    uint8_t blob[ASC_OOB_BLOB_MAX];
} link_board_name_t;

typedef struct link_board {
    uint64_t magic;
    uint32_t version;
    uint32_t bytes;
    uint64_t uid;
    uint64_t start_time; /**< of the process, field 22 of /proc/PID/stat */
    int32_t pid;
    _Atomic int32_t tgid;          /**< as the driver knows it; 0: no device used yet */
    _Atomic int32_t device;        /**< home device + 1; 0: none */
    _Atomic uint32_t closing;      /**< 1: do not record on this process's notifies */
    _Atomic uint64_t drops;        /**< how often an entry of live[] was cleared */
    _Atomic uint32_t hazard_top;   /**< hazard slots ever used */
    _Atomic uint32_t peer_top;     /**< rows ever used */
    _Atomic uint32_t name_top;     /**< names published */
    _Atomic int32_t relay_fd;      /**< descriptor of the relay window + 1, 0: none yet */
    _Atomic uint64_t relay_posted; /**< relayed transfers asked for so far */
    uint32_t reserved[12];

    _Atomic uint64_t live[LINK_BOARD_LIVE]; /**< generation, or 0 */
    link_board_hazard_t hazards[LINK_BOARD_HAZARDS];
    link_board_row_t rows[LINK_BOARD_PEERS];
    link_board_name_t names[LINK_BOARD_NAMES];

    _Alignas(64) link_board_relay_t asked[LINK_BOARD_RELAYS];
    link_board_relay_t served[LINK_BOARD_RELAYS];

    _Alignas(64) unsigned char mail[LINK_BOARD_MAIL];
} link_board_t;

_Static_assert(sizeof(link_board_hazard_t) == 32, "hazard slot layout");
_Static_assert(sizeof(link_board_row_t) == 64, "peer row layout");
_Static_assert(sizeof(link_board_relay_t) == 64, "relay record layout");
_Static_assert(offsetof(link_board_t, live) == 128, "board header layout");

/** Makes the board of this process (once; a fork gets none). */
asc_status_t link_board_make(void);

/** The own board, or NULL before link_board_make() and in a fork. */
link_board_t *link_board(void);

/** Descriptor and identity for asc_link_addr_t. uid is valid without a board. */
int link_board_fd(void);
uint64_t link_board_uid(void);
uint64_t link_board_host(void);

/**
 * Called whenever this process is seen to use @a device: at the first device
 * allocation, pointer query, export, import. The first call publishes bare
 * tgid and home device, later ones are one load.
 */
void link_board_device_used(int device);

/** Publishes the tgid alone when the runtime is initialised already, so that
 *  peers' first exports can list this process. */
void link_board_early_tgid(void);

/**
 * Maps the board of another process read-only after checking that it is one
 * and belongs to @a addr. *fd stays open for the liveness test.
 */
asc_status_t link_board_map(const asc_link_addr_t *addr, const link_board_t **board, int *fd);

/**
 * Opens shared memory of a peer for reading: descriptor @a number there, which
 * must be a sealed memfd of that @a name and size.
 */
asc_status_t link_board_open_file(const asc_link_addr_t *addr, int number, const char *name,
                                  size_t bytes, int *fd_p);

/** True while the process that made the board behind @a fd runs. */
bool link_board_alive(int fd);

/** Start time of a process (clock ticks after boot), 0 when it is gone. */
uint64_t link_process_start(int pid);

/** Remembers the reason for asc_link_last_reason() and logs it at debug level. */
void link_set_reason(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** The default OOB port: names on the board. */
extern const asc_oob_port_t link_oob_board;

/** The plugged-in port, and a get that asks the board's own port second. */
asc_status_t link_oob_put(const char *name, const void *blob, size_t len);
asc_status_t link_oob_get(uint64_t uid, const char *name, void *blob, size_t *len);

#endif
