/* SPDX-License-Identifier: BSD-3-Clause */
#include "node.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "sysmem.h"

#define NODE_MAGIC 0x316d6973757075ull
#define NODE_MAX   1024
#define CHECK_NS   10000000u

struct node *node_self;

static pthread_mutex_t node_lock = PTHREAD_MUTEX_INITIALIZER;
static struct node *nodes[NODE_MAX];
static int node_count;
static struct node *buried;
static char node_dir[PATH_MAX];
static char node_path[PATH_MAX + 32];
static _Atomic uint32_t *roster; /* counts arrivals; shared by all */
static uint32_t roster_seen;

static bool dir_choose(char *why, size_t why_len)
{
    const char *given = getenv("NPUSIM_DIR");
    const char *run = getenv("XDG_RUNTIME_DIR");
    struct stat st;
    if (given != NULL) {
        snprintf(node_dir, sizeof(node_dir), "%s", given);
    } else if (run != NULL && stat(run, &st) == 0 && S_ISDIR(st.st_mode) &&
               access(run, W_OK) == 0 && strlen(run) < PATH_MAX - 16) {
        snprintf(node_dir, sizeof(node_dir), "%.*s/npusim", PATH_MAX - 16, run);
    } else {
        snprintf(node_dir, sizeof(node_dir), "/tmp/npusim-%u", (unsigned)getuid());
    }
    if (mkdir(node_dir, 0700) != 0 && errno != EEXIST) {
        snprintf(why, why_len, "cannot make directory %.200s: %s; set NPUSIM_DIR", node_dir,
                 strerror(errno));
        return false;
    }
    if (lstat(node_dir, &st) != 0 || !S_ISDIR(st.st_mode) || st.st_uid != getuid() ||
        (st.st_mode & 0077) != 0) {
        snprintf(why, why_len,
                 "directory %.200s must be yours alone (chmod 700): set NPUSIM_DIR to one that is",
                 node_dir);
        return false;
    }
    return true;
}

static uint64_t boot_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_BOOTTIME, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Start of this process since boot, rounded down to a clock tick. */
static uint64_t start_ns(void)
{
    char buf[1024];
    int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, buf, sizeof(buf) - 1) : -1;
    if (fd >= 0) {
        close(fd);
    }
    if (n <= 0) {
        return 0;
    }
    buf[n] = '\0';
    char *p = strrchr(buf, ')'); /* the name may hold anything */
    for (int field = 2; p != NULL && field < 22; field++) {
        p = strchr(p + 1, ' ');
    }
    uint64_t ticks = p != NULL ? strtoull(p, NULL, 10) : 0;
    return ticks * (1000000000u / (uint64_t)sysconf(_SC_CLK_TCK));
}

static bool lock_held(int fd)
{
    struct flock fl = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(fd, F_GETLK, &fl) == 0 && fl.l_type != F_UNLCK;
}

static bool lock_take(int fd)
{
    struct flock fl = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(fd, F_SETLK, &fl) == 0;
}

static bool roster_open(void)
{
    char path[PATH_MAX + 32];
    snprintf(path, sizeof(path), "%s/roster", node_dir);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) {
        return false;
    }
    void *at = ftruncate(fd, 4096) == 0 ? sysmem_map_file(NULL, 4096, fd, 0, false) : NULL;
    close(fd);
    roster = at;
    return at != NULL;
}

static bool node_map(struct node *n, int fd)
{
    n->file = sysmem_map_file(NULL, sizeof(struct node_file), fd, 0, false);
    n->fd = fd;
    if (n->file == NULL) {
        return false;
    }
    sysmem_private(n->file, sizeof(struct node_file));
    n->tgid = n->file->tgid;
    return true;
}

/* The file appears under its name locked and filled, never half made. */
static struct node *self_create(char *why, size_t why_len)
{
    char tmp[PATH_MAX + 32];
    int32_t tgid = (int32_t)getpid() + knobs.tgid_offset;
    snprintf(tmp, sizeof(tmp), "%s/.new.%d", node_dir, (int)getpid());
    snprintf(node_path, sizeof(node_path), "%s/p.%d", node_dir, (int)tgid);
    unlink(tmp);
    int fd = open(tmp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    static struct node self;
    struct node *n = NULL;
    if (fd >= 0 && lock_take(fd) && ftruncate(fd, sizeof(struct node_file)) == 0 &&
        node_map(&self, fd)) {
        n = &self;
    }
    if (n != NULL) {
        n->tgid = tgid;
        n->file->magic = NODE_MAGIC;
        n->file->size = sizeof(struct node_file);
        n->file->pid = (int32_t)getpid();
        n->file->tgid = tgid;
        n->file->start_ns = start_ns();
        atomic_store(&n->file->worker, WORKER_IDLE);
    }
    if (n == NULL || rename(tmp, node_path) != 0) {
        snprintf(why, why_len, "cannot make %.200s: %s", node_path, strerror(errno));
        unlink(tmp);
        if (fd >= 0) {
            close(fd);
        }
        return NULL;
    }
    return n;
}

static bool known(int32_t tgid)
{
    for (int i = 0; i < node_count; i++) {
        if (nodes[i]->tgid == tgid && !atomic_load(&nodes[i]->dead)) {
            return true;
        }
    }
    return false;
}

static void adopt(const char *path, int32_t tgid)
{
    struct stat st;
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) {
        return;
    }
    if (!lock_held(fd)) {
        unlink(path); /* its owner died */
        close(fd);
        return;
    }
    struct node *n = node_count < NODE_MAX ? calloc(1, sizeof(*n)) : NULL;
    if (n == NULL || fstat(fd, &st) != 0 || (uint64_t)st.st_size != sizeof(struct node_file) ||
        !node_map(n, fd)) {
        free(n);
        close(fd);
        return;
    }
    if (n->file->magic == NODE_MAGIC && n->file->tgid == tgid) {
        nodes[node_count++] = n;
    } else {
        sysmem_unmap(n->file, sizeof(struct node_file));
        free(n);
        close(fd);
    }
}

/* A program that outlives many others must not keep what they had. The structure
 * and the mapping stay, tasks may hold pointers to them, but without memory behind
 * the mapping. */
static void bury(struct node *n)
{
    n->buried = buried;
    buried = n;
    atomic_store(&n->dead, 1);
    fallocate(n->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, sizeof(struct node_file));
    close(n->fd);
}

/* Under the lock: learns of new processes and of deaths. */
static void rescan(void)
{
    for (int i = node_count - 1; i >= 0; i--) {
        if (atomic_load(&nodes[i]->dead) || !lock_held(nodes[i]->fd)) {
            bury(nodes[i]);
            nodes[i] = nodes[--node_count];
        }
    }
    roster_seen = atomic_load(roster);
    DIR *d = opendir(node_dir);
    struct dirent *e;
    while (d != NULL && (e = readdir(d)) != NULL) {
        char path[PATH_MAX + 300];
        int32_t tgid = strncmp(e->d_name, "p.", 2) == 0 ? (int32_t)atoi(e->d_name + 2) : 0;
        if (tgid <= 0 || tgid == node_self->tgid || known(tgid)) {
            continue;
        }
        snprintf(path, sizeof(path), "%s/%s", node_dir, e->d_name);
        adopt(path, tgid);
    }
    if (d != NULL) {
        closedir(d);
    }
}

static void rescan_if_new(void)
{
    if (roster_seen != atomic_load(roster)) {
        rescan();
    }
}

bool node_open(char *why, size_t why_len)
{
    bool ok = true;
    pthread_mutex_lock(&node_lock);
    if (node_self == NULL) {
        ok = dir_choose(why, why_len);
        if (ok && !roster_open()) {
            snprintf(why, why_len, "cannot use %.200s/roster: %s", node_dir, strerror(errno));
            ok = false;
        }
        node_self = ok ? self_create(why, why_len) : NULL;
        ok = node_self != NULL;
    }
    if (ok) {
        atomic_store(&node_self->file->state, NODE_LIVE);
        atomic_fetch_add(roster, 1);
        rescan();
    }
    pthread_mutex_unlock(&node_lock);
    return ok;
}

void node_close(void)
{
    struct node_file *f = node_self->file;
    atomic_store(&f->state, NODE_IDLE);
    for (int i = 0; i < SIM_MAX_DEVICES; i++) {
        atomic_store(&f->dev[i].peers, 0);
        for (int what = 0; what < NODE_BUDGETS; what++) {
            atomic_store(&f->dev[i].taken[what], 0);
        }
    }
    for (int i = 0; i < NODE_FOREIGN; i++) {
        atomic_store(&f->foreign[i].tgid, 0);
    }
    for (int i = 0; i < NODE_NOTIFIES; i++) {
        atomic_store(&f->notify[i].gen, 0);
    }
}

void node_unlink(void)
{
    if (node_self != NULL && node_self->file->pid == (int32_t)getpid()) {
        atomic_store(&node_self->file->state, NODE_IDLE);
        unlink(node_path);
    }
}

void node_forget(void)
{
    node_self = NULL;
    node_count = 0;
}

static struct node *find_known(int32_t tgid)
{
    for (int i = 0; i < node_count; i++) {
        if (nodes[i]->tgid == tgid && !atomic_load(&nodes[i]->dead)) {
            return nodes[i];
        }
    }
    return NULL;
}

struct node *node_find(int32_t tgid)
{
    if (tgid == node_self->tgid) {
        return node_self;
    }
    pthread_mutex_lock(&node_lock);
    struct node *n = find_known(tgid);
    if (n == NULL || !lock_held(n->fd)) {
        rescan(); /* a new process, or a reused pid */
        n = find_known(tgid);
    }
    pthread_mutex_unlock(&node_lock);
    if (n != NULL && atomic_load(&n->file->state) != NODE_LIVE) {
        return NULL;
    }
    return n;
}

bool node_alive(struct node *n)
{
    if (n == node_self) {
        return true;
    }
    if (atomic_load_explicit(&n->dead, memory_order_relaxed) ||
        atomic_load_explicit(&n->file->state, memory_order_relaxed) != NODE_LIVE) {
        return false;
    }
    uint64_t now = sysmem_now_coarse();
    if (now - atomic_load_explicit(&n->checked_ns, memory_order_relaxed) >= CHECK_NS) {
        atomic_store_explicit(&n->checked_ns, now, memory_order_relaxed);
        if (!lock_held(n->fd)) {
            atomic_store(&n->dead, 1);
            return false;
        }
    }
    return true;
}

void node_ring_slow(struct node_file *f)
{
    atomic_fetch_add(&f->doorbell, 1);
    sysmem_wake(&f->doorbell);
}

static bool counts(struct node *n)
{
    return !atomic_load_explicit(&n->dead, memory_order_relaxed) &&
           atomic_load_explicit(&n->file->state, memory_order_relaxed) == NODE_LIVE;
}

static uint64_t sum_taken(int device, enum node_budget what)
{
    uint64_t sum = atomic_load(&node_self->file->dev[device].taken[what]);
    for (int i = 0; i < node_count; i++) {
        sum += counts(nodes[i]) ? atomic_load(&nodes[i]->file->dev[device].taken[what]) : 0;
    }
    return sum;
}

uint64_t node_used(int device)
{
    pthread_mutex_lock(&node_lock);
    rescan();
    uint64_t sum = sum_taken(device, BUDGET_MEMORY);
    pthread_mutex_unlock(&node_lock);
    return sum;
}

/* Taken before the sum is read: two processes that race for the last ones may
 * both be refused, but can never both get them. */
bool node_take(int device, enum node_budget what, uint64_t amount)
{
    const uint64_t limits[NODE_BUDGETS] = {
        [BUDGET_MEMORY] = knobs.hbm,
        [BUDGET_NOTIFIES] = knobs.max_notify,
        [BUDGET_STREAMS] = knobs.max_stream,
        [BUDGET_EVENTS] = knobs.max_event,
    };
    _Atomic uint64_t *taken = &node_self->file->dev[device].taken[what];
    pthread_mutex_lock(&node_lock);
    rescan_if_new();
    atomic_fetch_add(taken, amount);
    bool ok = sum_taken(device, what) <= limits[what];
    if (!ok) {
        rescan();
        ok = sum_taken(device, what) <= limits[what];
    }
    if (!ok) {
        atomic_fetch_sub(taken, amount);
    }
    pthread_mutex_unlock(&node_lock);
    return ok;
}

void node_give(int device, enum node_budget what, uint64_t amount)
{
    atomic_fetch_sub(&node_self->file->dev[device].taken[what], amount);
}

bool node_each(bool (*fn)(struct node *n, const void *arg), const void *arg)
{
    bool hit = false;
    pthread_mutex_lock(&node_lock);
    rescan();
    for (int i = 0; i < node_count && !hit; i++) {
        hit = counts(nodes[i]) && fn(nodes[i], arg);
    }
    pthread_mutex_unlock(&node_lock);
    return hit;
}

bool node_listed(const struct node_pid *pids, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (pids[i].tgid == node_self->tgid) {
            return node_self->file->start_ns <= pids[i].listed_ns;
        }
    }
    return false;
}

void node_list(struct node_pid *entry, int32_t tgid)
{
    entry->tgid = tgid;
    entry->listed_ns = boot_ns();
}
