/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Under libascend_preload.so device memory is possible from the first call of the
 * runtime on and not before, whoever makes that call: one who looks it up, or a
 * module that asks its own libraries first. Who asked is told once, before the
 * call goes on, and not when he took that back. Without the library it is always
 * possible, and whoever asks is told at once.
 *
 * usage: t_first_use [dlsym | deepbind | hooks], all of them by default
 */
#include "tests/link/t_local.h"

#include "tests/link/direct_use.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int told[3];

static void note(void *arg)
{
    t_check(arg != &told[1], "one who took it back is told");
    t_check(arg == &told[2] || !asc_link_device_possible(), "told too late");
    ++*(int *)arg;
}

static void ask(void)
{
    t_check(!asc_link_device_possible(), "nobody has used the runtime");
    asc_link_on_first_use(note, &told[0]);
    asc_link_on_first_use(note, &told[1]);
    asc_link_first_use_forget(note, &told[1]);
    t_check(told[0] == 0, "told too early");
}

static void by_lookup(void)
{
    void *runtime = dlopen(getenv("ASCEND_ACL_LIBRARY"), RTLD_NOW | RTLD_LOCAL);
    uint32_t count;

    t_check(runtime != NULL, "%s", dlerror());
    t_acl_ok(((__typeof__(aclInit) *)dlsym(runtime, "aclInit"))(NULL));
    t_acl_ok(((__typeof__(aclrtGetDeviceCount) *)dlsym(runtime, "aclrtGetDeviceCount"))(&count));
}

static void by_module(void)
{
    const char *build = getenv("ASC_TOP_BUILDDIR");
    const t_direct_t *module;
    char path[1024];
    void *handle, *ptr;

    snprintf(path, sizeof(path), "%s/tests/link/.libs/direct_module.so", build);
    handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    t_check(handle != NULL, "%s", dlerror());
    module = dlsym(handle, "t_direct_module");
    t_check(module != NULL, "%s", dlerror());
    (void)module->alloc(&ptr, 4096); /* fails: there is no device */
}

static void expect_told(void)
{
    t_check(told[0] == 1, "told %d times", told[0]);
    t_check(asc_link_device_possible(), "the runtime was used");
    asc_link_on_first_use(note, &told[2]);
    t_check(told[2] == 1, "told %d times afterwards", told[2]);
}

int main(int argc, char **argv)
{
    static const char *const all[] = {"dlsym", "deepbind", "hooks"};

    const char *sanitizers = getenv("ASC_SANITIZE");
    bool sanitized = sanitizers != NULL && sanitizers[0] != '\0';

    t_deadline(30);
    for (size_t i = 0; argc == 1 && i < sizeof(all) / sizeof(all[0]); ++i) {
        pid_t child = fork();

        t_check(child >= 0, "fork");
        if (child == 0 && strcmp(all[i], "deepbind") == 0 && sanitized) {
            _exit(0); /* sanitizers refuse such modules */
        }
        if (child == 0) {
            execl("/proc/self/exe", argv[0], all[i], NULL);
            _exit(1);
        }
        t_wait_ok(child);
    }
    if (argc == 1) {
        return T_PASS;
    }
    if (strcmp(argv[1], "hooks") == 0) {
        t_check(asc_link_device_possible(), "nobody is watching");
        asc_link_on_first_use(note, &told[2]);
        t_check(told[2] == 1, "told %d times", told[2]);
        return T_PASS;
    }
    t_link_preload(argv);
    ask();
    if (strcmp(argv[1], "dlsym") == 0) {
        by_lookup();
    } else {
        t_link_hooks("preload");
        by_module();
    }
    expect_told();
    return T_PASS;
}
