/* SPDX-License-Identifier: BSD-3-Clause */
/* A forked child sees no context and leaves its parent's state alone; exit
 * without aclFinalize, with a stream that waits for ever, is quick and leaves
 * no file behind but the statistics of NPUSIM_STATS (P72, P73). */
#include <dirent.h>
#include <stdio.h>
#include <sys/wait.h>

#include "t_sim.h"

static int leaves_work(void *arg)
{
    aclrtNotify n;
    (void)arg;
    char stats[512];
    snprintf(stats, sizeof(stats), "%s/stats.%%r.%%p", getenv("TMPDIR"));
    setenv("NPUSIM_STATS", stats, 1);
    setenv("OMPI_COMM_WORLD_RANK", "3", 1);
    t_device(0);
    aclrtStream s = t_stream();
    t_acl_ok(aclrtCreateNotify(&n, 0));
    t_acl_ok(aclrtWaitAndResetNotify(n, s, 0));
    t_dev_alloc(64);
    exit(0);
}

static void stats_checked(pid_t pid)
{
    char name[512], text[8192];
    snprintf(name, sizeof(name), "%s/stats.3.%d", getenv("TMPDIR"), (int)pid);
    FILE *f = fopen(name, "r");
    t_check(f != NULL, "no statistics in %s", name);
    size_t n = fread(text, 1, sizeof(text) - 1, f);
    fclose(f);
    text[n] = '\0';
    t_check(text[0] == '{' && strstr(text, "\"live.alloc\": 1") != NULL &&
                strstr(text, "\"call.aclrtWaitAndResetNotify\": 1") != NULL,
            "statistics: %s", text);
}

static int files_left(void)
{
    int n = 0;
    struct dirent *e;
    const char *node = getenv("NPUSIM_DIR");
    DIR *dir = opendir(node != NULL ? node : "");
    while (dir != NULL && (e = readdir(dir)) != NULL) {
        n += strncmp(e->d_name, "p.", 2) == 0;
    }
    if (dir != NULL) {
        closedir(dir);
    }
    return n;
}

static int forked_child(void)
{
    uint32_t count;
    void *p;
    t_acl_fails(aclrtGetDeviceCount(&count), ACL_ERROR_UNINITIALIZE);
    t_acl_fails(aclrtMalloc(&p, 8, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_UNINITIALIZE);
    t_acl_fails(aclInit(NULL), ACL_ERROR_FAILURE);
    t_message_has("forked after aclInit");
    t_acl_fails(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE);
    exit(0);
}

int main(void)
{
    int status = 0;
    t_deadline(60);
    pid_t leaver = t_child(leaves_work, NULL);
    t_wait_ok(leaver);
    stats_checked(leaver);
    t_check(files_left() == 0, "%d files are left", files_left());

    t_device(0);
    void *m = t_dev_alloc(4096);
    t_dev_fill(m, 4096, 2);
    pid_t child = fork();
    if (child == 0) {
        forked_child();
    }
    t_check(child > 0 && waitpid(child, &status, 0) == child && status == 0, "the child: %d",
            status);
    t_dev_verify(m, 4096, 2, 0);
    t_check(files_left() == 1, "the child left its parent's file");
    t_acl_ok(aclrtSynchronizeDevice());
    return 0;
}
