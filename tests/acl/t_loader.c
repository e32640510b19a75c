/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every way in which there is no usable runtime gets a reason that names the
 * library, the function and the remedy; nothing crashes, nothing is printed.
 * Each case runs in a process of its own, since a runtime stays once found.
 */
#include "asc_config.h"

#include "acl/asc_acl.h"
#include "tests/helpers/t_helpers.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char fake_stub[512], fake_silent_stub[512], fake_no_event[512], npusim[512];

static const char *const stub_words[] = {
    "_stub.so is the toolkit's stub for linking (it answers 100039)",
    "take the stub directory out of LD_LIBRARY_PATH", "set ASCEND_ACL_LIBRARY", NULL};

static void has_words(const char *text, const char *const *words)
{
    for (; *words != NULL; ++words) {
        t_check(strstr(text, *words) != NULL, "'%s' to contain '%s'", text, *words);
    }
}

static void refused(const char *library, const char *const *words)
{
    setenv("ASCEND_ACL_LIBRARY", library, 1);
    t_check(asc_acl_get() == NULL, "no runtime from '%s'", library);
    t_check(asc_acl_peek() == NULL, "no table either");
    t_check(asc_acl_path()[0] == '\0', "no path, not '%s'", asc_acl_path());
    t_check(asc_acl_init() == ASC_ERR_NO_RUNTIME, "no runtime to initialise");
    has_words(asc_acl_load_error(), words);
}

static int no_file(void *arg)
{
    const char *words[] = {"ASCEND_ACL_LIBRARY", "/nowhere/libascendcl.so", "cannot be loaded",
                           "unset it", NULL};

    (void)arg;
    refused("/nowhere/libascendcl.so", words);
    return T_PASS;
}

static int not_a_runtime(void *arg)
{
    const char *words[] = {"libm.so.6", "not an Ascend runtime", "set_env.sh", NULL};

    (void)arg;
    refused("libm.so.6", words);
    return T_PASS;
}

static int lacks_one(void *arg)
{
    const char *words[] = {"fake_no_event.so", "lacks the function aclrtRecordEvent",
                           "the end of asynchronous copies cannot be seen", "CANN 7.0", NULL};

    (void)arg;
    refused(fake_no_event, words);
    return T_PASS;
}

static int is_stub(void *arg)
{
    (void)arg;
    refused(fake_stub, stub_words);
    return T_PASS;
}

/* It loads, since nothing is called for that; it is refused at the start. */
static int is_silent_stub(void *arg)
{
    FILE *log = tmpfile();
    char text[2048] = "";
    const char *once;

    (void)arg;
    setenv("ASCEND_ACL_LIBRARY", fake_silent_stub, 1);
    t_check(log != NULL && dup2(fileno(log), STDERR_FILENO) >= 0, "a file for messages");
    t_check(asc_acl_init() == ASC_ERR_NO_RUNTIME, "no runtime to initialise");
    t_check(asc_acl_init() == ASC_ERR_NO_RUNTIME, "nor later");
    rewind(log);
    t_check(fread(text, 1, sizeof(text) - 1, log) > 0, "a message");
    has_words(text, stub_words);
    once = strstr(text, stub_words[0]);
    t_check(strstr(once + 1, stub_words[0]) == NULL, "one message, not: %s", text);
    return T_PASS;
}

/* A later call may succeed: the remedy may be taken while running. */
static int second_try(void *arg)
{
    const char *words[] = {"cannot be loaded", NULL};
    const char *first;

    (void)arg;
    refused("/nowhere/libascendcl.so", words);
    first = asc_acl_load_error();
    setenv("ASCEND_ACL_LIBRARY", npusim, 1);
    t_check(asc_acl_get() != NULL, "a runtime, not: %s", asc_acl_load_error());
    t_check(strcmp(asc_acl_path(), npusim) == 0, "%s, not %s", npusim, asc_acl_path());
    t_check(asc_acl_load_error()[0] == '\0', "no error any more");
    t_check(strstr(first, "/nowhere") != NULL, "an old reason stays readable");
    return T_PASS;
}

static int other_in_use(void *arg)
{
    const char *words[] = {"fake_stub.so", "already uses", "libascendcl.so",
                           "two runtimes cannot share pointers", NULL};

    (void)arg;
    t_check(!asc_acl_loaded(), "no runtime at the start");
    t_check(dlopen(npusim, RTLD_NOW | RTLD_LOCAL) != NULL, "%s to load", npusim);
    t_check(asc_acl_loaded(), "a loaded runtime to be seen");
    t_check(asc_acl_peek() == NULL, "being seen is not being used");
    refused(fake_stub, words);
    t_check(asc_acl_symbol("aclrtMalloc") == dlsym(dlopen(npusim, RTLD_NOW), "aclrtMalloc"),
            "functions of the one in use");
    return T_PASS;
}

/* Without the variable what the process has loaded comes before any search. */
static int loaded_first(void *arg)
{
    (void)arg;
    unsetenv("ASCEND_ACL_LIBRARY");
    t_check(dlopen(npusim, RTLD_NOW | RTLD_LOCAL) != NULL, "%s to load", npusim);
    t_check(asc_acl_get() != NULL, "a runtime, not: %s", asc_acl_load_error());
    t_check(strcmp(asc_acl_path(), npusim) == 0, "%s, not %s", npusim, asc_acl_path());
    t_check(asc_acl_init() == ASC_OK && asc_acl_init() == ASC_OK, "aclInit, also twice");
    return T_PASS;
}

int main(void)
{
    static int (*const cases[])(void *) = {no_file,      not_a_runtime,  lacks_one,
                                           is_stub,      is_silent_stub, second_try,
                                           other_in_use, loaded_first};
    const char *build = getenv("ASC_TOP_BUILDDIR");

    t_deadline(60);
    t_check(build != NULL && getenv("ASCEND_ACL_LIBRARY") != NULL, "to be run by run-test");
    snprintf(npusim, sizeof(npusim), "%s", getenv("ASCEND_ACL_LIBRARY"));
    snprintf(fake_stub, sizeof(fake_stub), "%s/tests/acl/.libs/fake_stub.so", build);
    snprintf(fake_silent_stub, sizeof(fake_silent_stub), "%s/tests/acl/.libs/fake_silent_stub.so",
             build);
    snprintf(fake_no_event, sizeof(fake_no_event), "%s/tests/acl/.libs/fake_no_event.so", build);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        t_wait_ok(t_child(cases[i], NULL));
    }
    return T_PASS;
}
