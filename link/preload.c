/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libascend_preload.so, for LD_PRELOAD: exports the hooks under the runtime's
 * own names, which direct callers then reach, and stands before dlsym and
 * dlvsym for programs that look the runtime's functions up (torch_npu does).
 *
 * The real dlsym finds out who asks from its return address (RTLD_NEXT and
 * RTLD_DEFAULT depend on it), so a look-up that does not concern us must reach
 * it by a jump, not by a call: hence the few lines of assembly.
 */
#include "asc_config.h"

#include "link/hooks.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <string.h>

#define LINK_EXPORT __attribute__((visibility("default")))

#define LINK_PRELOAD_FN(_name, _params, _args) \
    LINK_EXPORT aclError _name _params; \
    aclError _name _params \
    { \
        return asc_link_hook_##_name _args; \
    }
LINK_HOOKS(LINK_PRELOAD_FN)
#undef LINK_PRELOAD_FN

typedef void *(*link_dlsym_fn)(void *handle, const char *name);
typedef void *(*link_dlvsym_fn)(void *handle, const char *name, const char *version);

/* Called by the assembly below, so not static. */
link_dlsym_fn link_preload_dlsym_real __attribute__((visibility("hidden")));
link_dlvsym_fn link_preload_dlvsym_real __attribute__((visibility("hidden")));
__attribute__((visibility("hidden"))) void *
link_preload_lookup(void *handle, const char *name, const char *version, uintptr_t caller);

/* ------------------------------- the C library's dlsym, without dlsym ---- */

/* Sanitizers stand before the C library's string functions too, and look them
 * up through dlsym, that is here: nothing of theirs may be called on this way. */
static bool link_begins(const char *text, const char *begin)
{
    while (*begin != '\0' && *text == *begin) {
        ++text;
        ++begin;
    }
    return *begin == '\0';
}

static bool link_same(const char *text, const char *other)
{
    while (*text != '\0' && *text == *other) {
        ++text;
        ++other;
    }
    return *text == *other;
}

static const char *link_file_of(const char *path)
{
    const char *file = path;

    for (; *path != '\0'; ++path) {
        if (*path == '/') {
            file = path + 1;
        }
    }
    return file;
}

typedef struct link_libc {
    const ElfW(Sym) * symbols;
    const char *strings;
    const uint32_t *gnu_hash;
    ElfW(Addr) base;
} link_libc_t;

/* The loader relocates these pointers in place, except where it does not. */
static ElfW(Addr) link_libc_addr(const link_libc_t *lib, ElfW(Addr) addr)
{
    return addr < lib->base ? addr + lib->base : addr;
}

static void link_libc_read(link_libc_t *lib, const ElfW(Dyn) * dyn)
{
    for (; dyn->d_tag != DT_NULL; ++dyn) {
        ElfW(Addr) addr = link_libc_addr(lib, dyn->d_un.d_ptr);

        if (dyn->d_tag == DT_SYMTAB) {
            lib->symbols = (const ElfW(Sym) *)addr;
        } else if (dyn->d_tag == DT_STRTAB) {
            lib->strings = (const char *)addr;
        } else if (dyn->d_tag == DT_GNU_HASH) {
            lib->gnu_hash = (const uint32_t *)addr;
        }
    }
}

/* Follows the GNU hash table: header of four words, bloom filter, buckets,
 * chains whose last entry has bit 0 set. */
static void *link_libc_symbol(const link_libc_t *lib, const char *name)
{
    const uint32_t *table = lib->gnu_hash, *buckets, *chain;
    uint32_t hash = 5381, at;

    if (table == NULL || lib->symbols == NULL || lib->strings == NULL) {
        return NULL;
    }
    for (const unsigned char *c = (const unsigned char *)name; *c != '\0'; ++c) {
        hash = hash * 33 + *c;
    }
    buckets = table + 4 + table[2] * (sizeof(ElfW(Addr)) / 4);
    chain = buckets + table[0];
    at = buckets[hash % table[0]];
    if (at < table[1]) {
        return NULL;
    }
    for (;; ++at) {
        uint32_t other = chain[at - table[1]];
        const ElfW(Sym) *symbol = &lib->symbols[at];

        if (((other ^ hash) >> 1) == 0 && link_same(lib->strings + symbol->st_name, name) &&
            symbol->st_shndx != SHN_UNDEF) {
            return (void *)(lib->base + symbol->st_value);
        }
        if ((other & 1) != 0) {
            return NULL;
        }
    }
}

/* Whether the module is the C library and has a dlsym. */
static bool link_libc_visit(const struct link_map *map)
{
    const char *file = link_file_of(map->l_name);
    link_libc_t lib = {.base = map->l_addr};
    void *found;

    if (!link_begins(file, "libc.so") && !link_begins(file, "libdl.so")) {
        return false;
    }
    link_libc_read(&lib, map->l_ld);
    found = link_libc_symbol(&lib, "dlvsym");
    if (found != NULL) {
        __atomic_store_n(&link_preload_dlvsym_real, (link_dlvsym_fn)found, __ATOMIC_RELEASE);
    }
    found = link_libc_symbol(&lib, "dlsym");
    if (found != NULL) {
        __atomic_store_n(&link_preload_dlsym_real, (link_dlsym_fn)found, __ATOMIC_RELEASE);
    }
    return found != NULL;
}

/* ------------------------------------------------------ look-ups --------- */

static uintptr_t link_own_start, link_own_end; /* of libascendlink.so */

/* A shared library begins with its ELF header. */
static void link_own_visit(const struct link_map *map)
{
    uintptr_t inside = (uintptr_t)&asc_link_hook_for, start = map->l_addr, end = 0;
    const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)start;
    const ElfW(Phdr) * ph;

    if (!link_begins(link_file_of(map->l_name), "libascendlink.so")) {
        return;
    }
    ph = (const ElfW(Phdr) *)(start + header->e_phoff);
    for (int i = 0; i < header->e_phnum; ++i) {
        if (ph[i].p_type == PT_LOAD && start + ph[i].p_vaddr + ph[i].p_memsz > end) {
            end = start + ph[i].p_vaddr + ph[i].p_memsz;
        }
    }
    if (inside >= start && inside < end) {
        link_own_start = start;
        link_own_end = end;
    }
}

/* Early look-ups (constructors of other libraries) come before ours runs. The
 * loader's list is walked by hand: a sanitizer's dl_iterate_phdr() would be
 * called by its own look-up of that very function. */
static void link_preload_prepare(void)
{
    const struct link_map *map;

    if (__atomic_load_n(&link_preload_dlsym_real, __ATOMIC_ACQUIRE) != NULL) {
        return;
    }
    for (map = _r_debug.r_map; map != NULL; map = map->l_next) {
        link_own_visit(map);
    }
    for (map = _r_debug.r_map; map != NULL && !link_libc_visit(map); map = map->l_next) {
    }
}

/* RTLD_DEFAULT would find our own exports even where the runtime has no such
 * function; whether it has must come from a library behind us. */
static void *link_preload_real(void *handle, const char *name, const char *version)
{
    if (handle == RTLD_DEFAULT) {
        handle = RTLD_NEXT;
    }
    return version != NULL ? link_preload_dlvsym_real(handle, name, version)
                           : link_preload_dlsym_real(handle, name);
}

/* The answer for one of our names, or LINK_PRELOAD_MISSING; NULL: jump on. */
#define LINK_PRELOAD_MISSING ((void *)1)

void *link_preload_lookup(void *handle, const char *name, const char *version, uintptr_t caller)
{
    void *hook;

    link_preload_prepare();
    if (name == NULL || name[0] != 'a' || name[1] != 'c' || name[2] != 'l' ||
        (caller >= link_own_start && caller < link_own_end)) {
        return NULL;
    }
    hook = asc_link_hook_for(name);
    if (hook != NULL && link_preload_real(handle, name, version) == NULL) {
        return LINK_PRELOAD_MISSING; /* and dlerror() tells about it */
    }
    return hook;
}

#if defined(__x86_64__)
/* handle, name, version are in rdi, rsi, rdx; the return address on top. */
__asm__(".text\n"
        ".globl dlsym\n.type dlsym, @function\n"
        "dlsym:\n"
        "    endbr64\n"
        "    push %rdi\n    push %rsi\n    sub $8, %rsp\n"
        "    xor %edx, %edx\n    mov 24(%rsp), %rcx\n"
        "    call link_preload_lookup\n"
        "    add $8, %rsp\n    pop %rsi\n    pop %rdi\n"
        "    test %rax, %rax\n    jnz 1f\n"
        "    jmp *link_preload_dlsym_real(%rip)\n"
        "1:  cmp $1, %rax\n    jne 2f\n    xor %eax, %eax\n"
        "2:  ret\n"
        ".size dlsym, .-dlsym\n"
        ".globl dlvsym\n.type dlvsym, @function\n"
        "dlvsym:\n"
        "    endbr64\n"
        "    push %rdi\n    push %rsi\n    push %rdx\n"
        "    mov 24(%rsp), %rcx\n"
        "    call link_preload_lookup\n"
        "    pop %rdx\n    pop %rsi\n    pop %rdi\n"
        "    test %rax, %rax\n    jnz 1f\n"
        "    jmp *link_preload_dlvsym_real(%rip)\n"
        "1:  cmp $1, %rax\n    jne 2f\n    xor %eax, %eax\n"
        "2:  ret\n"
        ".size dlvsym, .-dlvsym\n");
#elif defined(__aarch64__)
/* handle, name, version are in x0, x1, x2; the return address in x30. */
__asm__(".text\n"
        ".globl dlsym\n.type dlsym, %function\n"
        "dlsym:\n"
        "    stp x29, x30, [sp, #-32]!\n    mov x29, sp\n    stp x0, x1, [sp, #16]\n"
        "    mov x2, #0\n    mov x3, x30\n"
        "    bl link_preload_lookup\n"
        "    mov x9, x0\n    ldp x0, x1, [sp, #16]\n    ldp x29, x30, [sp], #32\n"
        "    cbnz x9, 1f\n"
        "    adrp x16, link_preload_dlsym_real\n"
        "    ldr x16, [x16, #:lo12:link_preload_dlsym_real]\n"
        "    br x16\n"
        "1:  cmp x9, #1\n    csel x0, xzr, x9, eq\n    ret\n"
        ".size dlsym, .-dlsym\n"
        ".globl dlvsym\n.type dlvsym, %function\n"
        "dlvsym:\n"
        "    stp x29, x30, [sp, #-48]!\n    mov x29, sp\n"
        "    stp x0, x1, [sp, #16]\n    str x2, [sp, #32]\n"
        "    mov x3, x30\n"
        "    bl link_preload_lookup\n"
        "    mov x9, x0\n    ldp x0, x1, [sp, #16]\n    ldr x2, [sp, #32]\n"
        "    ldp x29, x30, [sp], #48\n"
        "    cbnz x9, 2f\n"
        "    adrp x16, link_preload_dlvsym_real\n"
        "    ldr x16, [x16, #:lo12:link_preload_dlvsym_real]\n"
        "    br x16\n"
        "2:  cmp x9, #1\n    csel x0, xzr, x9, eq\n    ret\n"
        ".size dlvsym, .-dlvsym\n");
#else
#error "libascend_preload.so knows x86_64 and aarch64 only"
#endif

__attribute__((constructor)) static void link_preload_start(void)
{
    link_preload_prepare();
    asc_link_hooks_preloaded();
}
