/* SPDX-License-Identifier: BSD-3-Clause */
/* P75: each of our shared objects can be loaded and unloaded a hundred times,
 * by dlopen, and again by Open MPI itself (MPI_T opens and closes all components),
 * with nothing left behind; MPI starts after it and takes device buffers. */
#include "coll_harness.h"

#include "tests/helpers/t_helpers.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    TIMES = 100,
    MPI_TIMES = 20,
    BYTES = 50000
};

static const char *const objects[] = {
    "link/.libs/libascendlink.so", "ucx_tl/.libs/libuct_ascend.so",
    "mpi_glue/.libs/mca_hook_ascend.so", "mpi_glue/.libs/mca_coll_ascend.so",
    "npusim/.libs/libascendcl.so"};

static long count_files(void)
{
    DIR *dir = opendir("/proc/self/fd");
    long count = 0;

    t_check(dir != NULL, "no /proc/self/fd");
    while (readdir(dir) != NULL) {
        count++;
    }
    closedir(dir);
    return count;
}

static void load_directly(const char *object)
{
    const char *top = getenv("ASC_TOP_BUILDDIR");
    char path[4096];
    long files = 0;

    snprintf(path, sizeof(path), "%s/%s", top != NULL ? top : ".", object);
    for (int i = 0; i < TIMES; i++) {
        void *library = dlopen(path, RTLD_NOW | (i % 2 ? RTLD_LOCAL : RTLD_GLOBAL));

        t_check(library != NULL, "time %d: %s", i, dlerror());
        t_check(0 == dlclose(library), "time %d: %s", i, dlerror());
        files = (1 == i) ? count_files() : files;
    }
    t_check(count_files() <= files, "%s: %ld descriptors, %ld before", object, count_files(),
            files);
}

static void load_by_mpi(void)
{
    long files = 0;
    int provided;

    for (int i = 0; i < MPI_TIMES; i++) {
        t_check(MPI_SUCCESS == MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), "time %d", i);
        t_check(MPI_SUCCESS == MPI_T_finalize(), "time %d", i);
        files = (1 == i) ? count_files() : files;
    }
    t_check(count_files() <= files, "%ld descriptors, %ld before", count_files(), files);
}

int main(int argc, char **argv)
{
    char *buf;

    for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++) {
        load_directly(objects[i]);
    }
    load_by_mpi();
    t_mpi_start(argc, argv, MPI_THREAD_SINGLE);
    buf = t_dev_alloc(BYTES);
    t_dev_fill(buf, BYTES, 5);
    MPI_Allreduce(MPI_IN_PLACE, buf, BYTES, MPI_CHAR, MPI_BOR, MPI_COMM_WORLD);
    MPI_Sendrecv_replace(buf, BYTES, MPI_CHAR, 0, 0, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    t_dev_verify(buf, BYTES, 5, 0);
    t_dev_free(buf);
    MPI_Finalize();
    return 0;
}
