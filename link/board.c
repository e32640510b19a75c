/* SPDX-License-Identifier: BSD-3-Clause */
/* Making the own board, finding and checking those of others. */
#include "asc_config.h"

#include "link/board.h"

#include "acl/asc_log.h"
#include "link/init.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define BOARD_NAME  "ascend-board"
#define BOARD_SEALS (F_SEAL_SHRINK | F_SEAL_GROW)
#define PID_LIMIT   (1 << 22) /* the kernel's own upper bound */

static struct {
    pthread_mutex_t lock;
    _Atomic(link_board_t *) board;
    int fd;
    uint64_t host; /* of identity, without its lock */
} own = {.lock = PTHREAD_MUTEX_INITIALIZER, .fd = -1};

static struct {
    pthread_mutex_t lock;
    uint64_t uid, host;
    pid_t pid;
} identity = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local char reason[1024];

void link_set_reason(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(reason, sizeof(reason), format, args);
    va_end(args);
    if (asc_log_enabled(ASC_LOG_DEBUG)) {
        asc_log(ASC_LOG_DEBUG, "%s", reason);
    }
}

const char *asc_link_last_reason(void)
{
    return reason;
}

/* ------------------------------------------------------ identity -------- */

static uint64_t hash_bytes(uint64_t hash, const void *data, size_t len)
{
    const unsigned char *byte = data;

    for (size_t i = 0; i < len; i++) {
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static size_t read_small_file(const char *path, char *buf, size_t len)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got;

    if (fd < 0) {
        return 0;
    }
    got = read(fd, buf, len - 1);
    close(fd);
    if (got < 0) {
        got = 0;
    }
    buf[got] = '\0';
    return (size_t)got;
}

/* Processes see each other's /proc/PID only inside one pid namespace of one
 * running kernel: both go into the host identity. */
static uint64_t compute_host(void)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    char boot[64];
    struct stat ns;
    size_t len = read_small_file("/proc/sys/kernel/random/boot_id", boot, sizeof(boot));

    hash = hash_bytes(hash, boot, len);
    if (stat("/proc/self/ns/pid", &ns) == 0) {
        uint64_t inode = ns.st_ino;

        hash = hash_bytes(hash, &inode, sizeof(inode));
    }
    return hash == 0 ? 1 : hash;
}

static uint64_t random_uid(void)
{
    uint64_t uid = 0;
    struct timespec now;

    if (getrandom(&uid, sizeof(uid), GRND_NONBLOCK) != (ssize_t)sizeof(uid)) {
        pid_t pid = getpid();

        clock_gettime(CLOCK_MONOTONIC, &now);
        uid = hash_bytes(UINT64_C(0xcbf29ce484222325), &now, sizeof(now));
        uid = hash_bytes(uid, &pid, sizeof(pid));
    }
    return uid == 0 ? 1 : uid;
}

static void identity_fill(void)
{
    pid_t pid = getpid();

    pthread_mutex_lock(&identity.lock);
    if (identity.pid != pid) {
        identity.uid = random_uid();
        identity.host = compute_host();
        identity.pid = pid;
    }
    pthread_mutex_unlock(&identity.lock);
}

uint64_t link_board_uid(void)
{
    const link_board_t *board = link_board();

    if (board != NULL) {
        return board->uid;
    }
    identity_fill();
    return identity.uid;
}

uint64_t link_board_host(void)
{
    if (link_board() != NULL) {
        return own.host;
    }
    identity_fill();
    return identity.host;
}

uint64_t link_process_start(int pid)
{
    char path[64], text[1024], *field;
    uint64_t start;
    int skip;

    snprintf(path, sizeof(path), "/proc/%d/stat", pid);
    if (read_small_file(path, text, sizeof(text)) == 0) {
        return 0;
    }
    /* the command name may hold spaces and brackets: count from its end */
    field = strrchr(text, ')');
    if (field == NULL) {
        return 0;
    }
    for (skip = 0; skip < 20 && field != NULL; skip++) {
        field = strchr(field + 1, ' ');
    }
    if (field == NULL) {
        return 0;
    }
    start = strtoull(field, NULL, 10);
    return start == 0 ? 1 : start;
}

/* ------------------------------------------------------ own board ------- */

static asc_status_t lock_board(int fd)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    return fcntl(fd, F_SETLK, &lock) == 0 ? ASC_OK : ASC_ERR_UNSUPPORTED;
}

static link_board_t *make_board(int *fd_p)
{
    size_t bytes = sizeof(link_board_t);
    link_board_t *board;
    int fd = memfd_create(BOARD_NAME, MFD_CLOEXEC | MFD_ALLOW_SEALING);

    if (fd < 0) {
        return NULL;
    }
    if (fchmod(fd, 0600) != 0 || ftruncate(fd, (off_t)bytes) != 0 ||
        fcntl(fd, F_ADD_SEALS, BOARD_SEALS) != 0 || lock_board(fd) != ASC_OK) {
        goto err_close;
    }
    board = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (board == MAP_FAILED) {
        goto err_close;
    }
    /* a fork must not be able to write what its parent alone may write */
    (void)madvise(board, bytes, MADV_DONTFORK);
    board->version = LINK_BOARD_VERSION;
    board->bytes = (uint32_t)bytes;
    board->uid = link_board_uid();
    board->pid = getpid();
    board->start_time = link_process_start(getpid());
    atomic_thread_fence(memory_order_release);
    board->magic = LINK_BOARD_MAGIC;
    *fd_p = fd;
    return board;

err_close:
    close(fd);
    return NULL;
}

asc_status_t link_board_make(void)
{
    asc_status_t status = ASC_OK;
    uint64_t host = link_board_host();
    link_board_t *board;
    int fd;

    pthread_mutex_lock(&own.lock);
    if (own.board == NULL) {
        board = make_board(&fd);
        if (board == NULL) {
            status = ASC_ERR_UNSUPPORTED;
            link_set_reason("cannot make the shared board of this process (%s): device "
                            "memory is not shared with other processes",
                            strerror(errno));
        } else {
            own.fd = fd;
            own.host = host;
            own.board = board;
        }
    } else if (link_forked()) {
        status = ASC_ERR_UNSUPPORTED;
    }
    pthread_mutex_unlock(&own.lock);
    return status;
}

link_board_t *link_board(void)
{
    link_board_t *board = atomic_load_explicit(&own.board, memory_order_acquire);

    /* on every path of a progress loop: no system call to tell a fork */
    return board != NULL && !link_forked() ? board : NULL;
}

void *asc_link_mail(size_t *len)
{
    link_board_t *board = link_board();

    *len = board != NULL ? sizeof(board->mail) : 0;
    return board != NULL ? board->mail : NULL;
}

int link_board_fd(void)
{
    return link_board() != NULL ? own.fd : -1;
}

static int bare_tgid(void)
{
    const asc_acl_t *acl = asc_acl_get();
    int32_t pid = 0;

    if (acl != NULL && acl->aclrtDeviceGetBareTgid != NULL) {
        if (acl->aclrtDeviceGetBareTgid(&pid) == ACL_SUCCESS && pid > 0) {
            return pid;
        }
        return 0;
    }
    return getpid();
}

void link_board_early_tgid(void)
{
    link_board_t *board = link_board();
    const asc_acl_t *acl = asc_acl_get();
    int32_t device, tgid;

    if (board == NULL || acl == NULL || atomic_load(&board->tgid) != 0) {
        return;
    }
    /* a current device is the proof that the application has started the
     * runtime; asking anything else could start it for the application */
    if (acl->aclrtGetDevice(&device) != ACL_SUCCESS) {
        asc_acl_forget_error();
        return;
    }
    tgid = bare_tgid();
    if (tgid > 0) {
        atomic_store(&board->tgid, tgid);
    }
}

void link_board_device_used(int device)
{
    link_board_t *board = link_board();
    int32_t none = 0, tgid;

    if (board == NULL || device < 0 ||
        atomic_load_explicit(&board->device, memory_order_relaxed) != 0) {
        return;
    }
    if (atomic_load(&board->tgid) == 0) {
        tgid = bare_tgid();
        if (tgid <= 0) {
            tgid = getpid();
        }
        atomic_store(&board->tgid, tgid);
    }
    atomic_compare_exchange_strong(&board->device, &none, device + 1);
}

/* ------------------------------------------------------ others' boards -- */

bool link_board_alive(int fd)
{
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};

    return fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

/* The number in an address may point at anything its sender has open, or at
 * another process by now: opening a tty, a fifo or a device could do harm. */
static bool names_file(const char *path, const char *name)
{
    char target[64], wanted[64];
    ssize_t len = readlink(path, target, sizeof(target) - 1);

    if (len <= 0) {
        return false;
    }
    target[len] = '\0';
    snprintf(wanted, sizeof(wanted), "/memfd:%s", name);
    return strncmp(target, wanted, strlen(wanted)) == 0;
}

asc_status_t link_board_open_file(const asc_link_addr_t *addr, int number, const char *name,
                                  size_t bytes, int *fd_p)
{
    struct stat st;
    char path[64];
    int fd, seals;

    snprintf(path, sizeof(path), "/proc/%d/fd/%d", addr->pid, number);
    if (!names_file(path, name)) {
        link_set_reason("process %d has no %s at descriptor %d (%s): it has ended, "
                        "belongs to another user or lives in another user namespace",
                        addr->pid, name, number, errno != 0 ? strerror(errno) : "not one");
        return ASC_ERR_UNREACHABLE;
    }
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        link_set_reason("cannot open the %s of process %d: %s", name, addr->pid, strerror(errno));
        return ASC_ERR_UNREACHABLE;
    }
    seals = fcntl(fd, F_GET_SEALS);
    if (fstat(fd, &st) != 0 || seals < 0 || (seals & BOARD_SEALS) != BOARD_SEALS ||
        (size_t)st.st_size != bytes) {
        link_set_reason("the %s of process %d has another layout: the processes use "
                        "different versions of this library",
                        name, addr->pid);
        close(fd);
        return ASC_ERR_UNREACHABLE;
    }
    *fd_p = fd;
    return ASC_OK;
}

static bool board_is_of(const link_board_t *board, const asc_link_addr_t *addr, int fd)
{
    if (board->magic != LINK_BOARD_MAGIC || board->version != LINK_BOARD_VERSION ||
        board->bytes != sizeof(link_board_t)) {
        link_set_reason("the board of process %d is of another version", addr->pid);
        return false;
    }
    if (board->uid != addr->uid || board->pid != addr->pid ||
        board->start_time != link_process_start(addr->pid) || !link_board_alive(fd)) {
        link_set_reason("process %d is not the one that sent its address: that one has "
                        "ended",
                        addr->pid);
        return false;
    }
    return true;
}

asc_status_t link_board_map(const asc_link_addr_t *addr, const link_board_t **board_p, int *fd_p)
{
    const link_board_t *board;
    asc_status_t status;
    int fd;

    if (addr->pid <= 0 || addr->pid > PID_LIMIT || addr->board_fd < 0) {
        link_set_reason("address with pid %d and descriptor %d is malformed", addr->pid,
                        addr->board_fd);
        return ASC_ERR_INVALID;
    }
    /* opening it here and closing it again would drop the own lock */
    if (addr->pid == getpid()) {
        link_set_reason("address of process %d is an old one of this process", addr->pid);
        return ASC_ERR_UNREACHABLE;
    }
    status = link_board_open_file(addr, addr->board_fd, BOARD_NAME, sizeof(link_board_t), &fd);
    if (status != ASC_OK) {
        return status;
    }
    board = mmap(NULL, sizeof(*board), PROT_READ, MAP_SHARED, fd, 0);
    if (board == MAP_FAILED) {
        link_set_reason("cannot map the board of process %d: %s", addr->pid, strerror(errno));
        close(fd);
        return ASC_ERR_UNREACHABLE;
    }
    if (!board_is_of(board, addr, fd)) {
        munmap((void *)board, sizeof(*board));
        close(fd);
        return ASC_ERR_UNREACHABLE;
    }
    *board_p = board;
    *fd_p = fd;
    return ASC_OK;
}
