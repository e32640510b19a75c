/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A second copy of the library in a process, loaded privately from another
 * file, refuses to start, says so once with both files, and leaves the first
 * one at work: two import caches would drift apart.
 */
#include "asc_config.h"

#include "tests/link/t_local.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void copy_file(const char *from, const char *to)
{
    char buf[65536];
    int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT, 0700);
    ssize_t n;

    t_check(in >= 0 && out >= 0, "%s and %s to open: %m", from, to);
    while ((n = read(in, buf, sizeof(buf))) > 0) {
        t_check(write(out, buf, (size_t)n) == n, "write: %m");
    }
    close(in);
    close(out);
}

static void *load_other(char *path, size_t len)
{
    char from[512];
    void *other;

    snprintf(from, sizeof(from), "%s/link/.libs/libascendlink.so.0", getenv("ASC_TOP_BUILDDIR"));
    snprintf(path, len, "%s/libascendlink.so.0", getenv("TMPDIR"));
    copy_file(from, path);
    other = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    t_check(other != NULL, "the copy to load: %s", dlerror());
    return other;
}

static void check_message(int fd, const char *path)
{
    char text[4096];
    ssize_t n = read(fd, text, sizeof(text) - 1);

    t_check(n > 0, "a message");
    text[n] = '\0';
    t_check(strstr(text, path) != NULL && strstr(text, "/link/.libs/libascendlink.so") != NULL,
            "both files in '%s'", text);
    t_check(strchr(text, '\n') == text + n - 1, "one line, not '%s'", text);
}

int main(void)
{
    char path[512];
    void *other;
    int saved = dup(STDERR_FILENO), ends[2];
    asc_status_t (*init)(int);
    const char *(*why)(void);
    asc_status_t (*hooks)(asc_link_patch_fn);
    asc_status_t first, second, third;

    t_deadline(30);
    t_link_start(0);
    other = load_other(path, sizeof(path));
    init = (asc_status_t(*)(int))dlsym(other, "asc_link_init");
    why = (const char *(*)(void))dlsym(other, "asc_link_why_not");
    hooks = (asc_status_t(*)(asc_link_patch_fn))dlsym(other, "asc_link_install_hooks");
    t_check(init != NULL && init != asc_link_init && why != NULL, "functions of its own");
    t_check(pipe(ends) == 0, "pipe");
    dup2(ends[1], STDERR_FILENO);
    first = init(ASC_LINK_ABI);
    second = init(ASC_LINK_ABI);
    third = hooks((asc_link_patch_fn)abort);
    dup2(saved, STDERR_FILENO);
    t_check(first == ASC_ERR_UNSUPPORTED, "the copy to refuse, not %d", first);
    t_check(second == ASC_ERR_UNSUPPORTED, "again, not %d", second);
    t_check(third == ASC_ERR_UNSUPPORTED, "no hooks of the copy, not %d", third);
    check_message(ends[0], path);
    t_check(strstr(why(), "another copy") != NULL, "a reason, not '%s'", why());
    t_check(asc_link_ready() && asc_link_init(ASC_LINK_ABI) == ASC_OK, "the first still works");
    t_check(asc_link_init(ASC_LINK_ABI + 1) == ASC_ERR_UNSUPPORTED, "another ABI to be refused");
    return T_PASS;
}
