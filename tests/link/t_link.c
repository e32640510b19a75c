/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE 1

#include "tests/link/t_link.h"

#include "link/board.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define T_LIMIT_S 20

typedef struct t_start {
    t_world_t *world;
    t_role_fn role;
    int me;
} t_start_t;

static double t_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double t_limit(void)
{
    const char *sanitize = getenv("ASC_SANITIZE");

    return t_now() + (sanitize != NULL && *sanitize != '\0' ? 4 : 1) * T_LIMIT_S;
}

static void t_nap(void)
{
    const struct timespec nap = {.tv_nsec = 20000};

    nanosleep(&nap, NULL);
}

static int t_enter(void *arg)
{
    t_start_t *start = arg;

    t_deadline(50);
    return start->role(start->world, start->me);
}

t_world_t *t_world_start(int procs, t_role_fn role)
{
    t_world_t *world = t_shared(sizeof(*world));

    world->procs = procs;
    for (int me = 0; me < procs; me++) {
        t_start_t start = {world, role, me};

        world->pid[me] = t_child(t_enter, &start);
    }
    return world;
}

void t_world_run(int procs, t_role_fn role)
{
    t_world_t *world = t_world_start(procs, role);
    int status;
    pid_t pid;

    /* whoever ends badly first is the one to hear of */
    for (int left = procs; left > 0; left--) {
        pid = waitpid(-1, &status, 0);
        for (int me = 0; me < procs; me++) {
            t_check(pid != world->pid[me] || status == 0, "process %d ended with wait status 0x%x",
                    me, status);
        }
    }
}

void t_barrier(t_world_t *world)
{
    int round = atomic_load(&world->round);
    double limit = t_limit();

    if (atomic_fetch_add(&world->arrived, 1) + 1 == world->procs) {
        atomic_store(&world->arrived, 0);
        atomic_fetch_add(&world->round, 1);
        return;
    }
    while (atomic_load(&world->round) == round) {
        t_check(t_now() < limit, "waited %d s at a barrier", T_LIMIT_S);
        asc_link_progress();
        t_nap();
    }
}

void t_flag_await(atomic_int *flag, int value)
{
    double limit = t_limit();

    while (atomic_load(flag) < value) {
        t_check(t_now() < limit, "waited %d s for flag %d, it is %d", T_LIMIT_S, value,
                atomic_load(flag));
        asc_link_progress();
        t_nap();
    }
}

void t_join_alone(t_world_t *world, int me, int device)
{
    t_check(asc_link_init(ASC_LINK_ABI) == ASC_OK, "%s", asc_link_why_not());
    if (device >= 0) {
        void *first = NULL;

        t_device(device);
        /* the first allocation makes the device this process's home */
        t_check(asc_link_mem_alloc(4096, &first) == ASC_OK, "no device memory");
        t_check(asc_link_home_device() == device, "home device is %d", asc_link_home_device());
    }
    asc_link_self_addr(&world->addr[me]);
}

void t_join(t_world_t *world, int me, int device)
{
    t_join_alone(world, me, device);
    t_barrier(world);
    for (int i = 0; i < world->procs; i++) {
        if (i != me) {
            (void)t_peer(world, i);
        }
    }
    t_barrier(world);
}

asc_link_peer_t *t_peer(t_world_t *world, int which)
{
    asc_link_peer_t *peer = NULL;
    char why[256] = "";

    t_check(asc_link_peer_open(&world->addr[which], &peer, why, sizeof(why)) == ASC_OK,
            "peer %d: %s", which, why);
    return peer;
}

void *t_alloc_filled(size_t size, uint64_t seed)
{
    void *device = NULL;

    t_check(asc_link_mem_alloc(size, &device) == ASC_OK, "no %zu bytes of device memory", size);
    t_refill(device, size, seed);
    return device;
}

void t_refill(void *device, size_t size, uint64_t seed)
{
    void *host = malloc(size);

    t_check(host != NULL, "no memory");
    t_fill(host, size, seed);
    t_check(asc_link_copy(device, host, size) == ASC_OK, "copy to %p", device);
    free(host);
}

void t_expect(const void *device, size_t size, uint64_t seed, size_t offset)
{
    void *host = malloc(size);

    t_check(host != NULL, "no memory");
    t_check(asc_link_copy(host, device, size) == ASC_OK, "copy from %p", device);
    t_verify(host, size, seed, offset);
    free(host);
}

asc_status_t t_op_end(asc_status_t status, asc_link_op_t *op)
{
    double limit = t_limit();

    while (status == ASC_INPROGRESS) {
        t_check(t_now() < limit, "a copy has not ended within %d s", T_LIMIT_S);
        status = asc_link_op_test(op);
        asc_link_progress();
    }
    return status;
}

void t_get(asc_link_import_t *import, uint64_t remote, void *local, size_t len)
{
    asc_link_op_t op;
    asc_status_t status = t_op_end(asc_link_get(import, remote, local, len, &op), &op);

    t_check(status == ASC_OK, "get of %zu bytes: %s", len, asc_status_text(status));
}

void t_put(asc_link_import_t *import, uint64_t remote, const void *local, size_t len)
{
    asc_link_op_t op;
    asc_status_t status = t_op_end(asc_link_put(import, remote, local, len, &op), &op);

    t_check(status == ASC_OK, "put of %zu bytes: %s", len, asc_status_text(status));
}

asc_link_import_t *t_import(const void *rkey)
{
    asc_link_import_t *import = NULL;

    t_check(asc_link_import(rkey, ASC_LINK_RKEY_SIZE, &import) == ASC_OK, "import: %s",
            asc_link_last_reason());
    return import;
}

void t_counter_await(const char *name, int64_t value)
{
    double limit = t_limit();

    while (asc_link_counter(name) < value) {
        t_check(t_now() < limit, "counter %s stays at %lld instead of %lld", name,
                (long long)asc_link_counter(name), (long long)value);
        asc_link_progress();
        t_nap();
    }
}

size_t t_free_memory(void)
{
    size_t free_bytes = 0, total = 0;

    t_acl_ok(T_ACL(aclrtGetMemInfo)(ACL_HBM_MEM, &free_bytes, &total));
    return free_bytes;
}

static struct {
    int saved, file;
    char text[16384];
} t_log = {.saved = -1};

void t_messages_begin(void)
{
    t_log.file = memfd_create("messages", MFD_CLOEXEC);
    t_log.saved = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 10);
    t_check(t_log.file >= 0 && t_log.saved >= 0, "descriptors");
    t_check(dup2(t_log.file, STDERR_FILENO) == STDERR_FILENO, "dup2");
}

const char *t_messages(void)
{
    ssize_t got = pread(t_log.file, t_log.text, sizeof(t_log.text) - 1, 0);

    t_log.text[got > 0 ? got : 0] = '\0';
    return t_log.text;
}

void t_messages_end(void)
{
    (void)t_messages();
    t_check(dup2(t_log.saved, STDERR_FILENO) == STDERR_FILENO, "dup2");
    close(t_log.saved);
    close(t_log.file);
    t_log.saved = -1;
}

static int t_silent(void *arg)
{
    t_start_t *start = arg;

    t_world_run(start->me, start->role);
    return 0;
}

void t_world_run_silent(int procs, t_role_fn role)
{
    t_start_t start = {.role = role, .me = procs};
    const char *text;
    pid_t pid;
    int status;

    t_messages_begin();
    pid = t_child(t_silent, &start);
    (void)dup2(t_log.saved, STDERR_FILENO);
    status = t_wait(pid);
    text = t_messages();
    t_messages_end();
    t_check(status == 0 && text[0] == '\0', "status %d, messages: %s", status, text);
}

int t_occurs(const char *text, const char *part)
{
    int count = 0;

    for (text = strstr(text, part); text != NULL; text = strstr(text + 1, part)) {
        count++;
    }
    return count;
}

struct link_board *t_own_board(void)
{
    asc_link_addr_t self;
    void *board;

    asc_link_self_addr(&self);
    board = mmap(NULL, sizeof(link_board_t), PROT_READ | PROT_WRITE, MAP_SHARED, self.board_fd, 0);
    t_check(board != MAP_FAILED, "map the own board");
    return board;
}
