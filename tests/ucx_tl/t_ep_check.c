/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protects: asc_ipc itself notices that the process behind an endpoint has ended
 * (uct_ep_check), whatever other lanes UCX would have used to find out, and says
 * so from progress to the interface's error handler; a living peer is not
 * reported. P44: the interface says that it can do so.
 */
#include "t_ucx.h"

#include <ucs/async/async_fwd.h>
#include <uct/api/uct.h>

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct t_uct {
    ucs_async_context_t *async;
    uct_worker_h worker;
    uct_md_h md;
    uct_iface_h iface;
    uct_iface_attr_t attr;
    uct_ep_h ep;
    uct_ep_h failed;
    ucs_status_t status;
    unsigned reports;
} t_uct_t;

static ucs_status_t t_ep_failed(void *arg, uct_ep_h ep, ucs_status_t status)
{
    t_uct_t *u = arg;

    u->failed = ep;
    u->status = status;
    u->reports++;
    return UCS_OK;
}

static uct_component_h t_component(void)
{
    /* as UCP does, which asks what resources there are before it opens any */
    uct_component_attr_t attr = {.field_mask = UCT_COMPONENT_ATTR_FIELD_NAME |
                                               UCT_COMPONENT_ATTR_FIELD_MD_RESOURCE_COUNT};
    uct_component_h *components, found = NULL;
    unsigned count;

    T_UCX(uct_query_components(&components, &count));
    for (unsigned i = 0; i < count; ++i) {
        T_UCX(uct_component_query(components[i], &attr));
        if (!strcmp(attr.name, "ascend_ipc")) {
            found = components[i];
        }
    }
    uct_release_component_list(components);
    T_CHECK(found != NULL, "no component ascend_ipc");
    return found;
}

static void t_iface_open(t_uct_t *u)
{
    uct_iface_params_t params = {
        .field_mask = UCT_IFACE_PARAM_FIELD_OPEN_MODE | UCT_IFACE_PARAM_FIELD_DEVICE |
                      UCT_IFACE_PARAM_FIELD_ERR_HANDLER | UCT_IFACE_PARAM_FIELD_ERR_HANDLER_ARG,
        .open_mode = UCT_IFACE_OPEN_MODE_DEVICE,
        .mode.device = {.tl_name = "asc_ipc", .dev_name = "ascend"},
        .err_handler = t_ep_failed,
        .err_handler_arg = u};
    uct_component_h component = t_component();
    uct_iface_config_t *iface_config;
    uct_md_config_t *md_config;

    T_UCX(ucs_async_context_create(UCS_ASYNC_MODE_THREAD_SPINLOCK, &u->async));
    T_UCX(uct_worker_create(u->async, UCS_THREAD_MODE_SINGLE, &u->worker));
    T_UCX(uct_md_config_read(component, NULL, NULL, &md_config));
    T_UCX(uct_md_open(component, "ascend_ipc", md_config, &u->md));
    uct_config_release(md_config);
    T_UCX(uct_md_iface_config_read(u->md, "asc_ipc", NULL, NULL, &iface_config));
    T_UCX(uct_iface_open(u->md, u->worker, &params, iface_config, &u->iface));
    uct_config_release(iface_config);
    uct_iface_progress_enable(u->iface, UCT_PROGRESS_SEND | UCT_PROGRESS_RECV);
    T_UCX(uct_iface_query(u->iface, &u->attr));
    T_CHECK((u->attr.cap.flags & UCT_IFACE_FLAG_ERRHANDLE_PEER_FAILURE) &&
                (u->attr.cap.flags & UCT_IFACE_FLAG_EP_CHECK),
            "the interface does not offer to check peers");
}

static void t_send_bytes(t_ctx_t *t, const void *bytes, size_t len)
{
    T_CHECK(write(t->fd, bytes, len) == (ssize_t)len, "the other rank is gone");
}

static void t_get_bytes(t_ctx_t *t, void *bytes, size_t len)
{
    struct pollfd pfd = {.fd = t->fd, .events = POLLIN};

    for (size_t at = 0; at < len;) {
        ssize_t got = poll(&pfd, 1, 20000) == 1 ? read(t->fd, (char *)bytes + at, len - at) : -1;

        T_CHECK(got > 0, "the other rank is gone");
        at += (size_t)got;
    }
}

static void t_ep_open(t_ctx_t *t, t_uct_t *u)
{
    unsigned char mine[2][256] = {{0}}, theirs[2][256];
    uct_ep_params_t params = {.field_mask = UCT_EP_PARAM_FIELD_IFACE | UCT_EP_PARAM_FIELD_DEV_ADDR |
                                            UCT_EP_PARAM_FIELD_IFACE_ADDR,
                              .iface = u->iface,
                              .dev_addr = (uct_device_addr_t *)theirs[0],
                              .iface_addr = (uct_iface_addr_t *)theirs[1]};

    T_CHECK(u->attr.device_addr_len <= 256 && u->attr.iface_addr_len <= 256, "long addresses");
    T_UCX(uct_iface_get_device_address(u->iface, (uct_device_addr_t *)mine[0]));
    T_UCX(uct_iface_get_address(u->iface, (uct_iface_addr_t *)mine[1]));
    t_send_bytes(t, mine, sizeof(mine));
    t_get_bytes(t, theirs, sizeof(theirs));
    T_CHECK(uct_iface_is_reachable(u->iface, params.dev_addr, params.iface_addr),
            "the peer is not reachable");
    T_UCX(uct_ep_create(&params, &u->ep));
}

static void t_progress_uct(t_uct_t *u, double seconds)
{
    double end = t_now() + seconds;

    while (t_now() < end && u->reports == 0) {
        uct_worker_progress(u->worker);
    }
}

static void t_check_death(t_ctx_t *t, t_uct_t *u)
{
    double end;
    pid_t pid;

    t_get_bytes(t, &pid, sizeof(pid));
    T_UCX(uct_ep_check(u->ep, 0, NULL));
    t_progress_uct(u, 0.2);
    T_CHECK(u->reports == 0, "a living peer was reported");

    T_CHECK(kill(pid, SIGKILL) == 0, "kill");
    end = t_now() + 10;
    do {
        T_UCX(uct_ep_check(u->ep, 0, NULL));
        T_CHECK(u->reports == 0, "reported from the check itself, where UCX holds the endpoint");
        t_progress_uct(u, 0.05);
    } while (u->reports == 0 && t_now() < end);
    T_CHECK(u->reports == 1 && u->failed == u->ep, "%u reports of a peer that was killed",
            u->reports);
    T_CHECK(UCS_STATUS_IS_ERR(u->status), "reported as %s", ucs_status_string(u->status));
}

static void t_run_uct(t_ctx_t *t)
{
    t_uct_t u = {0};
    pid_t self = getpid();

    t_load_module();
    t_acl_open(t);
    t_iface_open(&u);
    t_ep_open(t, &u);
    if (t->rank == 1) {
        t_send_bytes(t, &self, sizeof(self));
        for (;;) {
            pause(); /* is killed here */
        }
    }
    t_check_death(t, &u);
    uct_ep_destroy(u.ep);
    uct_iface_close(u.iface);
    uct_md_close(u.md);
    uct_worker_destroy(u.worker);
    ucs_async_context_destroy(u.async);
    _exit(0);
}

int main(int argc, char **argv)
{
    int status[2];

    if (argc > 1 && !strncmp(argv[1], "--rank", 6)) {
        return t_pair(argc, argv, t_run_uct);
    }
    t_pair_ends(argc, argv, status);
    T_CHECK(WIFSIGNALED(status[1]) && WTERMSIG(status[1]) == SIGKILL, "rank 1 was to be killed");
    return WIFEXITED(status[0]) ? WEXITSTATUS(status[0]) : 1;
}
