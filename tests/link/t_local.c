/* SPDX-License-Identifier: BSD-3-Clause */
#include "asc_config.h"

#include "tests/link/t_local.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* UCX's own record of a patch; what the headers of 1.13 lay down. */
typedef struct t_patch {
    const char *symbol;
    void *value, *previous;
    void *list[2];
    char **blacklist;
} t_patch_t;

static int (*t_reloc_modify)(t_patch_t *patch);

/* UCX keeps the record, so it must live on. */
static int t_patch(const char *symbol, void *replacement)
{
    static t_patch_t patches[64];
    static unsigned used;

    t_check(used < 64, "room for %s", symbol);
    patches[used].symbol = symbol;
    patches[used].value = replacement;
    return t_reloc_modify(&patches[used++]);
}

void t_link_start(int device)
{
    t_check(asc_link_init(ASC_LINK_ABI) == ASC_OK, "init, not: %s", asc_link_why_not());
    t_check(asc_link_ready(), "ready");
    t_device(device);
}

void t_link_hooks(const char *mode)
{
    void *ucs =
        dlopen("libucs.so.0", RTLD_NOW | RTLD_GLOBAL); /* ucm needs it and does not say so */
    void *ucm = dlopen("libucm.so.0", RTLD_NOW);

    if (ucs == NULL || ucm == NULL) {
        t_skip("UCX is not here: %s", dlerror());
    }
    t_reloc_modify = (int (*)(t_patch_t *))dlsym(ucm, "ucm_reloc_modify");
    t_check(t_reloc_modify != NULL, "ucm_reloc_modify in UCX");
    t_check(asc_link_install_hooks(t_patch) == ASC_OK, "hooks to be installed");
    t_check(strcmp(asc_link_hook_mode(NULL), mode) == 0, "mode %s, not %s", mode,
            asc_link_hook_mode(NULL));
}

void t_link_preload(char **argv)
{
    const char *build = getenv("ASC_TOP_BUILDDIR"), *asan = getenv("ASC_ASAN_LIB");
    char preload[1024];

    if (getenv("LD_PRELOAD") != NULL) {
        return;
    }
    snprintf(preload, sizeof(preload), "%s%s%s/link/.libs/libascend_preload.so",
             asan != NULL ? asan : "", asan != NULL && asan[0] != '\0' ? ":" : "", build);
    setenv("LD_PRELOAD", preload, 1);
    execv("/proc/self/exe", argv);
    t_fail("execv: %m");
}

int64_t t_count(const char *name)
{
    static struct {
        const char *name;
        int64_t last;
    } seen[32];
    int64_t now = asc_link_counter(name), before;
    unsigned i = 0;

    t_check(now >= 0, "a counter named %s", name);
    while (seen[i].name != NULL && strcmp(seen[i].name, name) != 0) {
        ++i;
        t_check(i < 32, "room for %s", name);
    }
    seen[i].name = name;
    before = seen[i].last;
    seen[i].last = now;
    return now - before;
}

void t_kind(const void *ptr, size_t len, asc_link_mem_kind_t kind, asc_link_mem_t *mem)
{
    asc_link_mem_t room;
    asc_link_mem_kind_t got = asc_link_mem_query(ptr, len, mem != NULL ? mem : &room);

    t_check(got == kind, "kind %d at %p + %zu, not %d", (int)kind, ptr, len, (int)got);
    t_check((mem != NULL ? mem : &room)->kind == got, "the same in the result");
}
