/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What asc_link_mem_query() says of every kind of address, and what it costs:
 * none of the runtime's attribute queries for host memory asked about before
 * or for seen device memory (P29), at most two for unseen device memory.
 */
#include "tests/link/t_local.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SIZE ((size_t)3 << 20)

static void host_memory(void)
{
    static char fixed[100];
    char local[100];
    char *heap = malloc(1 << 20);
    asc_link_mem_t mem;

    t_kind(NULL, 0, ASC_LINK_MEM_HOST, NULL);
    t_kind(NULL, 1000, ASC_LINK_MEM_HOST, NULL);
    t_kind((void *)1, 8, ASC_LINK_MEM_HOST, NULL);
    t_kind(heap, 1 << 20, ASC_LINK_MEM_HOST, &mem);
    t_check(mem.device == -1 && mem.generation == 0 && mem.base == heap && mem.size == 1 << 20,
            "the range itself, no device");
    t_kind(fixed, sizeof(fixed), ASC_LINK_MEM_HOST, NULL);
    t_kind(local, sizeof(local), ASC_LINK_MEM_HOST, NULL);
    t_check(t_count("attr_query") >= 3, "each page asked about once");
    for (int i = 0; i < 100; ++i) {
        t_kind(heap, 1 << 20, ASC_LINK_MEM_HOST, NULL);
        t_kind(heap + 100, 7, ASC_LINK_MEM_HOST, NULL);
        t_kind(fixed, 10, ASC_LINK_MEM_HOST, NULL);
        t_kind(local, 1, ASC_LINK_MEM_HOST, NULL);
    }
    t_check(t_count("attr_query") <= 1, "no query for host pages known already");
    free(heap);
}

static void pinned_memory(void)
{
    asc_link_mem_t mem;
    void *pinned;

    t_acl_ok(T_ACL(aclrtMallocHost)(&pinned, 5000));
    t_kind(pinned, 5000, ASC_LINK_MEM_HOST, &mem);
    t_check(mem.device == -1, "no device");
    t_acl_ok(T_ACL(aclrtFreeHost)(pinned));
}

static void tracked_memory(void)
{
    asc_link_mem_t mem;
    uint64_t first;
    char *ptr;

    t_check(asc_link_mem_alloc(SIZE, (void **)&ptr) == ASC_OK, "memory");
    t_count("attr_query");
    t_kind(ptr, SIZE, ASC_LINK_MEM_DEVICE, &mem);
    t_check(mem.base == ptr && mem.size == SIZE && mem.device == 0, "the allocation");
    first = mem.generation;
    t_check(first != 0, "a generation");
    t_kind(ptr + 12345, 17, ASC_LINK_MEM_DEVICE, &mem);
    t_check(mem.base == ptr && mem.size == SIZE && mem.generation == first, "interior, same");
    t_kind(ptr + SIZE - 1, 1, ASC_LINK_MEM_DEVICE, NULL);
    t_kind(ptr, 0, ASC_LINK_MEM_DEVICE, NULL);
    t_kind(ptr, SIZE + 1, ASC_LINK_MEM_BAD, NULL);
    t_kind(ptr + SIZE - 1, 2, ASC_LINK_MEM_BAD, NULL);
    t_kind(ptr + 1, SIZE_MAX, ASC_LINK_MEM_BAD, NULL);
    t_check(t_count("attr_query") == 0, "no query for tracked memory");
    t_check(asc_link_mem_free(ptr + 64) == ASC_ERR_INVALID, "only the base can be freed");
    t_check(asc_link_mem_free(ptr) == ASC_OK, "free");
    t_kind(ptr, 1, ASC_LINK_MEM_BAD, NULL);
    t_kind(ptr + SIZE / 2, 1, ASC_LINK_MEM_BAD, NULL);
    t_check(asc_link_mem_free(ptr) == ASC_ERR_INVALID, "freed once only");
    t_check(asc_link_mem_alloc(SIZE, (void **)&ptr) == ASC_OK, "memory again");
    t_kind(ptr, SIZE, ASC_LINK_MEM_DEVICE, &mem);
    t_check(mem.generation > first, "a new generation, also at an old address");
    t_check(asc_link_mem_free(ptr) == ASC_OK, "free");
}

static void unseen_memory(void)
{
    asc_link_mem_t mem;
    char *ptr;

    t_acl_ok(T_ACL(aclrtMalloc)((void **)&ptr, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
    t_count("attr_query");
    t_kind(ptr + 4096, 100, ASC_LINK_MEM_DEVICE, &mem);
    t_check(mem.base == ptr && mem.size >= SIZE && mem.generation == 0, "range, no generation");
    t_check(t_count("attr_query") <= 2, "few queries");
    t_kind(ptr + SIZE - 10, SIZE, ASC_LINK_MEM_BAD, NULL);
    t_acl_ok(T_ACL(aclrtFree)(ptr));
    t_kind(ptr, 1, ASC_LINK_MEM_BAD, NULL);
}

static void nobodys_memory(void)
{
    char *guard = mmap(NULL, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    t_check(guard != MAP_FAILED, "mmap");
    t_kind(guard, 10, ASC_LINK_MEM_BAD, NULL);
    munmap(guard, 8192);
    t_kind(guard, 10, ASC_LINK_MEM_BAD, NULL);
}

int main(void)
{
    int on_stack = 0;

    t_deadline(30);
    t_kind(&on_stack, sizeof(on_stack), ASC_LINK_MEM_HOST, NULL);
    t_check(!asc_acl_loaded(), "a query to load no runtime");
    t_link_start(0);
    nobodys_memory();
    host_memory();
    pinned_memory();
    tracked_memory();
    unseen_memory();
    return T_PASS;
}
