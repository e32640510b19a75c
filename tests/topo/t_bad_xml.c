/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protects: a recorded machine that is absent, a directory, or no hwloc XML gives a
 * reason that names the variable's value, never the live machine's facts; the library
 * itself prints nothing.
 */
#include "tests/topo/t_topo.h"

#include <sys/stat.h>
#include <unistd.h>

static int ask(void *arg)
{
    const char *path = arg;
    FILE *noise = tmpfile();
    int err = dup(STDERR_FILENO);
    const struct asc_topo_locality *where;
    struct asc_topo *topo;
    struct stat st;

    t_check((noise != NULL) && (err >= 0), "no place for stderr");
    setenv("ASCEND_TOPO_XML", path, 1);
    topo = t_one("0000:c1:00.0", 0);
    dup2(fileno(noise), STDERR_FILENO);
    where = asc_topo_locality(topo, 0);
    dup2(err, STDERR_FILENO);

    t_check(!where->in_machine && (where->numa_node == -1), "'%s': found", path);
    t_check(strstr(where->reason, path) != NULL, "'%s': reason '%s'", path, where->reason);
    t_check(strstr(asc_topo_machine(), "ASCEND_TOPO_XML") != NULL ||
                strstr(asc_topo_machine(), "lstopo") != NULL,
            "'%s'", asc_topo_machine());
    t_check(!asc_topo_machine_is_live(), "'%s' is not the live machine", path);
    t_check(fstat(fileno(noise), &st) == 0 && st.st_size == 0, "'%s': %lld bytes on stderr", path,
            (long long)st.st_size);
    asc_topo_destroy(topo);
    fclose(noise);
    close(err);
    return T_PASS;
}

/* A machine is for a process's life: each file needs a process. */
int main(void)
{
    static char *const paths[] = {"/nonexistent/machine.xml", "/", "/proc/self/status",
                                  "/dev/null"};
    size_t i;

    for (i = 0; i < sizeof(paths) / sizeof(paths[0]); ++i) {
        t_wait_ok(t_child(ask, paths[i]));
    }
    return T_PASS;
}
