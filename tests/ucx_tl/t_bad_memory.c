/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protects: a freed or overrun device pointer given to plain UCX, which has no
 * way to refuse it, ends the program with one message that names it: no wrong
 * data, no segmentation fault, no hang. Messages of 0 bytes touch nothing and
 * pass.
 *
 * usage: t_bad_memory            all cases, each in a child process
 *        t_bad_memory CASE       one of them
 */
#include "t_ucx.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIZE ((size_t)1 << 20)

static const char *t_case;

static void t_misuse(t_ctx_t *t)
{
    char *buf = NULL;

    t_load_module();
    t_acl_open(t);
    t_open(t, 0);
    buf = t_alloc(T_DEVICE, SIZE);

    if (!strcmp(t_case, "zero")) {
        t_free(T_DEVICE, buf);
        t_wait(t, t_send(t, t->self_ep, buf, 0, 1));
        t_wait(t, t_recv(t, buf, 0, 1));
        return;
    }

    if (!strcmp(t_case, "overrun")) {
        printf("%p\n", (void *)(buf + SIZE - 4));
        fflush(stdout);
        (void)t_send(t, t->self_ep, buf + SIZE - 4, 4096, 1);
    } else if (!strcmp(t_case, "under-way")) {
        /* posted while it was alive, freed before the message came */
        void *request = t_recv(t, buf, 4096, 1);
        void *src = t_alloc(T_HOST, 4096);

        printf("%p\n", (void *)buf);
        fflush(stdout);
        t_free(T_DEVICE, buf);
        t_wait(t, t_send(t, t->self_ep, src, 4096, 1));
        t_wait(t, request);
    } else {
        size_t size = !strcmp(t_case, "freed-eager") ? 64 : SIZE;

        t_free(T_DEVICE, buf);
        printf("%p\n", (void *)buf);
        fflush(stdout);
        if (!strcmp(t_case, "freed-recv")) {
            (void)t_recv(t, buf, size, 1);
        } else {
            (void)t_send(t, t->self_ep, buf, size, 1);
        }
    }
    t_linger(t, 100);
    fprintf(stderr, "went on with a bad pointer\n");
}

typedef struct t_output {
    char text[65536];
    size_t len;
} t_output_t;

static int t_run_case(const char *name, t_output_t *out)
{
    int pipes[2], status;
    ssize_t ret;
    pid_t pid;

    T_CHECK(pipe(pipes) == 0, "no pipe");
    pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        alarm(30);
        dup2(pipes[1], 1);
        dup2(pipes[1], 2);
        close(pipes[0]);
        setenv("UCX_HANDLE_ERRORS", "none", 1);
        execl("/proc/self/exe", "t_bad_memory", name, (char *)NULL);
        _exit(127);
    }
    close(pipes[1]);
    out->len = 0;
    while (out->len < sizeof(out->text) - 1 &&
           (ret = read(pipes[0], out->text + out->len, sizeof(out->text) - 1 - out->len)) > 0) {
        out->len += ret;
    }
    out->text[out->len] = '\0';
    close(pipes[0]);
    T_CHECK(waitpid(pid, &status, 0) == pid, "no child");
    return status;
}

static unsigned t_count(const char *text, const char *word)
{
    unsigned count = 0;

    for (; (text = strstr(text, word)) != NULL; text += strlen(word)) {
        ++count;
    }
    return count;
}

static void t_check_case(const char *name)
{
    static t_output_t out;
    char pointer[64];
    int status = t_run_case(name, &out);

    if (!strcmp(name, "zero")) {
        T_CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s: status 0x%x, said: %s", name,
                status, out.text);
        return;
    }

    T_CHECK(sscanf(out.text, "%63s", pointer) == 1, "%s: said nothing", name);
    T_CHECK(!(WIFEXITED(status) && WEXITSTATUS(status) == 0), "%s: ended with 0, said: %s", name,
            out.text);
    T_CHECK(!WIFSIGNALED(status) || WTERMSIG(status) == SIGABRT, "%s: signal %d, said: %s", name,
            WTERMSIG(status), out.text);
    T_CHECK(!strstr(out.text, "went on"), "%s: went on, said: %s", name, out.text);
    /* once from the test itself, once in the message */
    T_CHECK(t_count(out.text, pointer) == 2, "%s: pointer named %u times, said: %s", name,
            t_count(out.text, pointer) - 1, out.text);
    T_CHECK(t_count(out.text, "device") >= 1, "%s: no cause, said: %s", name, out.text);
}

static void t_bad_memory(t_ctx_t *t)
{
    static const char *cases[] = {"freed-eager", "freed-rndv", "freed-recv",
                                  "overrun",     "under-way",  "zero"};

    if (t->argc > 0) {
        t_case = t->argv[0];
        t_misuse(t);
        return;
    }
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        t_check_case(cases[i]);
    }
}

int main(int argc, char **argv)
{
    return t_single(argc, argv, t_bad_memory);
}
