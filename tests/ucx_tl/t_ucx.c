/* SPDX-License-Identifier: BSD-3-Clause */
#include "t_ucx.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define T_POISON 0xa5
#define T_CHUNK  ((size_t)4 << 20)

static int t_rank_for_messages;

void t_fail(const char *file, int line, const char *format, ...)
{
    const char *name = strrchr(file, '/');
    va_list ap;

    fprintf(stderr, "FAIL rank %d %s:%d: ", t_rank_for_messages, name ? name + 1 : file, line);
    va_start(ap, format);
    vfprintf(stderr, format, ap);
    va_end(ap);
    fputc('\n', stderr);
    _exit(1);
}

void t_skip(const char *reason)
{
    printf("SKIP: %s\n", reason);
    fflush(stdout);
    _exit(77);
}

double t_now(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return ts.tv_sec + ts.tv_nsec * 1e-9;
}

/* ---- processes ---------------------------------------------------------- */

static int t_run(int rank, int fd, int argc, char **argv, void (*fn)(t_ctx_t *))
{
    t_ctx_t t = {.rank = rank, .fd = fd, .argc = argc, .argv = argv};

    t_rank_for_messages = rank;
    alarm(T_PROGRAM_SECONDS);
    setvbuf(stdout, NULL, _IOLBF, 0);
    fn(&t);
    return 0;
}

static pid_t t_spawn(int argc, char **argv, int rank, int fd)
{
    char number[16];
    char **args = calloc(argc + 4, sizeof(*args));
    pid_t parent = getpid(), pid;

    T_CHECK(args != NULL, "out of memory");
    snprintf(number, sizeof(number), "%d", fd);
    args[0] = argv[0];
    args[1] = rank ? "--rank1" : "--rank0";
    args[2] = number;
    memcpy(&args[3], &argv[1], (argc - 1) * sizeof(*args));

    pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() == parent) {
            execv("/proc/self/exe", args);
        }
        _exit(127);
    }
    T_CHECK(pid > 0, "fork: %s", strerror(errno));
    free(args);
    return pid;
}

int t_pair(int argc, char **argv, void (*fn)(t_ctx_t *))
{
    int fds[2], status, code;
    pid_t pid;

    if (argc > 2 && (!strcmp(argv[1], "--rank0") || !strcmp(argv[1], "--rank1"))) {
        return t_run(argv[1][6] - '0', atoi(argv[2]), argc - 3, argv + 3, fn);
    }

    T_CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0, "socketpair: %s", strerror(errno));
    pid = t_spawn(argc, argv, 1, fds[1]);
    close(fds[1]);
    code = t_run(0, fds[0], argc - 1, argv + 1, fn);

    T_CHECK(waitpid(pid, &status, 0) == pid, "waitpid: %s", strerror(errno));
    T_CHECK(WIFEXITED(status), "rank 1 ended by signal %d", WTERMSIG(status));
    T_CHECK(WEXITSTATUS(status) == 0, "rank 1 ended with %d", WEXITSTATUS(status));
    return code;
}

void t_pair_ends(int argc, char **argv, int status[2])
{
    int fds[2];
    pid_t pid[2];

    T_CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) == 0, "socketpair: %s",
            strerror(errno));
    for (int rank = 0; rank < 2; ++rank) {
        T_CHECK(fcntl(fds[rank], F_SETFD, 0) == 0, "fcntl: %s", strerror(errno));
        pid[rank] = t_spawn(argc, argv, rank, fds[rank]);
        close(fds[rank]);
    }
    for (int rank = 0; rank < 2; ++rank) {
        T_CHECK(waitpid(pid[rank], &status[rank], 0) == pid[rank], "waitpid: %s", strerror(errno));
    }
}

int t_single(int argc, char **argv, void (*fn)(t_ctx_t *))
{
    return t_run(0, -1, argc - 1, argv + 1, fn);
}

/* ---- turns -------------------------------------------------------------- */

static void t_progress(t_ctx_t *t)
{
    if (t->worker != NULL) {
        while (ucp_worker_progress(t->worker)) {
        }
    }
}

void t_tell(t_ctx_t *t, int64_t value)
{
    T_CHECK(write(t->fd, &value, sizeof(value)) == sizeof(value), "the other rank is gone");
}

static void t_read(t_ctx_t *t, void *buf, size_t len)
{
    double end = t_now() + T_WAIT_SECONDS;
    struct pollfd pfd = {.fd = t->fd, .events = POLLIN};
    ssize_t ret;

    while (len > 0) {
        t_progress(t);
        if (poll(&pfd, 1, 0) == 1) {
            ret = read(t->fd, buf, len);
            T_CHECK(ret > 0, "the other rank is gone");
            buf = (char *)buf + ret;
            len -= ret;
        } else if (t->worker == NULL) {
            poll(&pfd, 1, 10);
        }
        T_CHECK(t_now() < end, "no word from the other rank for %d s", T_WAIT_SECONDS);
    }
}

int64_t t_ask(t_ctx_t *t)
{
    int64_t value;

    t_read(t, &value, sizeof(value));
    return value;
}

void t_sync(t_ctx_t *t)
{
    t_tell(t, 0);
    (void)t_ask(t);
}

void t_linger(t_ctx_t *t, unsigned ms)
{
    double end = t_now() + ms * 1e-3;

    while (t_now() < end) {
        t_progress(t);
    }
}

/* ---- UCX ---------------------------------------------------------------- */

int t_new_protocols(void)
{
    unsigned major, minor, patch;

    ucp_get_version(&major, &minor, &patch);
    return (major > 1) || (minor >= 16);
}

void t_load_module(void)
{
    const char *path = getenv("ASC_UCX_MODULE");

    T_CHECK(path != NULL, "ASC_UCX_MODULE is not set: run this through tests/run-test");
    T_CHECK(dlopen(path, RTLD_NOW | RTLD_LOCAL) != NULL, "%s", dlerror());
}

void t_acl_open(const t_ctx_t *t)
{
    aclError error = aclInit(NULL);
    uint32_t count = 0;

    T_CHECK(error == ACL_SUCCESS || error == ACL_ERROR_REPEAT_INITIALIZE, "aclInit: %d", error);
    T_ACL(aclrtGetDeviceCount(&count));
    T_CHECK(count > 0, "no device");
    T_ACL(aclrtSetDevice(t->rank % (int)count));
}

void t_open_context(t_ctx_t *t)
{
    ucp_params_t params = {.field_mask = UCP_PARAM_FIELD_FEATURES,
                           .features = UCP_FEATURE_TAG | UCP_FEATURE_RMA};

    T_UCX(ucp_init(&params, NULL, &t->context));
}

void t_open_worker(t_ctx_t *t)
{
    ucp_worker_params_t params = {.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
                                  .thread_mode = UCS_THREAD_MODE_SINGLE};

    T_UCX(ucp_worker_create(t->context, &params, &t->worker));
}

static void t_ep_error(void *arg, ucp_ep_h ep, ucs_status_t status)
{
    (void)ep;
    ((t_ctx_t *)arg)->ep_status = status;
}

static ucp_ep_h t_ep_create(t_ctx_t *t, const void *address, int peer_errors)
{
    ucp_ep_params_t params = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS, .address = address};
    ucp_ep_h ep;

    if (peer_errors) {
        params.field_mask |= UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE | UCP_EP_PARAM_FIELD_ERR_HANDLER;
        params.err_mode = UCP_ERR_HANDLING_MODE_PEER;
        params.err_handler.cb = t_ep_error;
        params.err_handler.arg = t;
    }
    T_UCX(ucp_ep_create(t->worker, &params, &ep));
    return ep;
}

void t_connect(t_ctx_t *t, int peer_errors)
{
    ucp_address_t *mine;
    size_t mine_len, peer_len;
    void *peer;

    T_UCX(ucp_worker_get_address(t->worker, &mine, &mine_len));
    t->self_ep = t_ep_create(t, mine, 0);
    if (t->fd >= 0) {
        t_tell(t, (int64_t)mine_len);
        T_CHECK(write(t->fd, mine, mine_len) == (ssize_t)mine_len, "the other rank is gone");
        peer_len = (size_t)t_ask(t);
        T_CHECK(peer_len < 65536, "address of %zu bytes", peer_len);
        peer = malloc(peer_len);
        T_CHECK(peer != NULL, "out of memory");
        t_read(t, peer, peer_len);
        t->ep = t_ep_create(t, peer, peer_errors);
        free(peer);
    }
    ucp_worker_release_address(t->worker, mine);
}

void t_open(t_ctx_t *t, int peer_errors)
{
    t_open_context(t);
    t_open_worker(t);
    t_connect(t, peer_errors);
}

void t_close_ep(t_ctx_t *t, ucp_ep_h *ep, int force)
{
    ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS,
                                 .flags = force ? UCP_EP_CLOSE_FLAG_FORCE : 0};

    if (*ep != NULL) {
        (void)t_wait_status(t, ucp_ep_close_nbx(*ep, &param));
        *ep = NULL;
    }
}

void t_close(t_ctx_t *t)
{
    if (t->fd >= 0) {
        t_sync(t);
    }
    t_close_ep(t, &t->ep, 0);
    t_close_ep(t, &t->self_ep, 0);
    if (t->fd >= 0) {
        t_sync(t);
    }
    ucp_worker_destroy(t->worker);
    t->worker = NULL;
    ucp_cleanup(t->context);
    t->context = NULL;
}

void *t_send(t_ctx_t *t, ucp_ep_h ep, const void *buf, size_t len, uint64_t tag)
{
    ucp_request_param_t param = {0};
    void *request = ucp_tag_send_nbx(ep, buf, len, tag, &param);

    (void)t;
    T_CHECK(!UCS_PTR_IS_ERR(request), "send of %zu bytes: %s", len,
            ucs_status_string(UCS_PTR_STATUS(request)));
    return request;
}

void *t_recv(t_ctx_t *t, void *buf, size_t len, uint64_t tag)
{
    ucp_request_param_t param = {0};
    void *request = ucp_tag_recv_nbx(t->worker, buf, len, tag, UINT64_MAX, &param);

    T_CHECK(!UCS_PTR_IS_ERR(request), "receive of %zu bytes: %s", len,
            ucs_status_string(UCS_PTR_STATUS(request)));
    return request;
}

ucs_status_t t_wait_status(t_ctx_t *t, void *request)
{
    double end = t_now() + T_WAIT_SECONDS;
    ucs_status_t status;

    if (!UCS_PTR_IS_PTR(request)) {
        return UCS_PTR_STATUS(request);
    }

    while ((status = ucp_request_check_status(request)) == UCS_INPROGRESS) {
        ucp_worker_progress(t->worker);
        T_CHECK(t_now() < end, "a request is not done after %d s", T_WAIT_SECONDS);
    }
    ucp_request_free(request);
    return status;
}

void t_wait(t_ctx_t *t, void *request)
{
    T_UCX(t_wait_status(t, request));
}

/* ---- buffers ------------------------------------------------------------ */

void *t_alloc(t_kind_t kind, size_t len)
{
    void *buf = NULL;

    if (kind == T_HOST) {
        T_CHECK((buf = malloc(len ? len : 1)) != NULL, "out of memory");
    } else {
        T_ACL(aclrtMalloc(&buf, len ? len : 1, ACL_MEM_MALLOC_NORMAL_ONLY));
    }
    return buf;
}

void t_free(t_kind_t kind, void *buf)
{
    if (kind == T_HOST) {
        free(buf);
    } else {
        T_ACL(aclrtFree(buf));
    }
}

static uint64_t t_word(size_t index, uint64_t seed)
{
    uint64_t word = (index + 1) * 0x9e3779b97f4a7c15ull + seed * 0xd1342543de82ef95ull;

    return word ^ (word >> 29);
}

/* @a first is a multiple of 8. */
static void t_pattern(unsigned char *out, size_t first, size_t len, uint64_t seed)
{
    uint64_t word;
    size_t i;

    for (i = 0; i + 8 <= len; i += 8) {
        word = t_word((first + i) / 8, seed);
        memcpy(out + i, &word, 8);
    }
    word = t_word((first + i) / 8, seed);
    memcpy(out + i, &word, len - i);
}

static unsigned char *t_chunk(void)
{
    static unsigned char *chunk;

    if (chunk == NULL) {
        T_CHECK((chunk = malloc(2 * T_CHUNK)) != NULL, "out of memory");
    }
    return chunk;
}

static void t_put(t_kind_t kind, void *dst, const void *src, size_t len)
{
    if (kind == T_HOST) {
        memcpy(dst, src, len);
    } else if (len > 0) {
        T_ACL(aclrtMemcpy(dst, len, src, len, ACL_MEMCPY_HOST_TO_DEVICE));
    }
}

static const unsigned char *t_get(t_kind_t kind, const void *src, size_t len)
{
    if (kind == T_HOST) {
        return src;
    }
    T_ACL(aclrtMemcpy(t_chunk(), T_CHUNK, src, len, ACL_MEMCPY_DEVICE_TO_HOST));
    return t_chunk();
}

void t_fill(t_kind_t kind, void *buf, size_t len, uint64_t seed)
{
    for (size_t at = 0; at < len; at += T_CHUNK) {
        size_t part = (len - at < T_CHUNK) ? len - at : T_CHUNK;

        t_pattern(t_chunk(), at, part, seed);
        t_put(kind, (char *)buf + at, t_chunk(), part);
    }
}

void t_poison(t_kind_t kind, void *buf, size_t len)
{
    if (kind == T_HOST) {
        memset(buf, T_POISON, len);
    } else if (len > 0) {
        T_ACL(aclrtMemset(buf, len, T_POISON, len));
    }
}

void t_verify(t_kind_t kind, const void *buf, size_t len, uint64_t seed, const char *what)
{
    unsigned char *want = t_chunk() + T_CHUNK;

    for (size_t at = 0; at < len; at += T_CHUNK) {
        size_t part = (len - at < T_CHUNK) ? len - at : T_CHUNK;
        const unsigned char *got = t_get(kind, (const char *)buf + at, part);

        t_pattern(want, at, part, seed);
        if (memcmp(got, want, part) != 0) {
            size_t i = 0;

            while (got[i] == want[i]) {
                ++i;
            }
            T_CHECK(0, "%s: byte %zu of %zu is 0x%02x, not 0x%02x", what, at + i, len, got[i],
                    want[i]);
        }
    }
}

void t_verify_poison(t_kind_t kind, const void *buf, size_t len, const char *what)
{
    for (size_t at = 0; at < len; at += T_CHUNK) {
        size_t part = (len - at < T_CHUNK) ? len - at : T_CHUNK;
        const unsigned char *got = t_get(kind, (const char *)buf + at, part);

        for (size_t i = 0; i < part; ++i) {
            T_CHECK(got[i] == T_POISON, "%s: byte %zu behind the message was written", what,
                    at + i);
        }
    }
}

/* ---- counters ----------------------------------------------------------- */

typedef uint64_t (*t_sim_counter_fn)(const char *);
typedef int64_t (*t_link_counter_fn)(const char *);

static t_sim_counter_fn t_sim_fn(void)
{
    return (t_sim_counter_fn)dlsym(RTLD_DEFAULT, "npusim_counter");
}

int t_no_sim(void)
{
    return t_sim_fn() == NULL;
}

uint64_t t_sim(const char *name)
{
    uint64_t value;

    T_CHECK(t_sim_fn() != NULL, "no simulator in this process");
    value = t_sim_fn()(name);
    T_CHECK(value != UINT64_MAX, "the simulator has no counter %s", name);
    return value;
}

void t_sim_reset(void)
{
    void (*fn)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, "npusim_counter_reset");

    T_CHECK(fn != NULL, "no simulator in this process");
    fn();
}

int64_t t_link(const char *name)
{
    void *lib = dlopen("libascendlink.so", RTLD_NOW | RTLD_NOLOAD);
    t_link_counter_fn fn = lib ? (t_link_counter_fn)dlsym(lib, "asc_link_counter") : NULL;
    int64_t value;

    T_CHECK(fn != NULL, "libascendlink.so is not loaded");
    value = fn(name);
    T_CHECK(value >= 0, "libascendlink.so has no counter %s", name);
    return value;
}
