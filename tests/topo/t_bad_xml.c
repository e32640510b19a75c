/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protects: a recorded machine that is absent, a directory, or no hwloc XML gives a
 * reason that names the variable's value, never the live machine's facts; the library
 * itself prints nothing.
 */
#include "tests/topo/t_topo.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int child(const char *path)
{
    struct asc_topo *topo;
    const struct asc_topo_locality *where;
    struct stat st;
    FILE *noise = tmpfile();

    if ((noise == NULL) || (dup2(fileno(noise), STDERR_FILENO) < 0)) {
        return T_SKIP;
    }
    setenv("ASCEND_TOPO_XML", path, 1);
    topo  = t_one("0000:c1:00.0", 0);
    where = asc_topo_locality(topo, 0);
    T_CHECK(!where->in_machine && (where->numa_node == -1), "'%s': found", path);
    T_CHECK(strstr(where->reason, path) != NULL, "'%s': reason '%s'", path, where->reason);
    T_CHECK(strstr(asc_topo_machine(), "ASCEND_TOPO_XML") != NULL ||
            strstr(asc_topo_machine(), "lstopo") != NULL, "'%s'", asc_topo_machine());
    T_CHECK(!asc_topo_machine_is_live(), "'%s' is not the live machine", path);
    T_CHECK(fstat(fileno(noise), &st) == 0 && st.st_size == 0, "'%s': %lld bytes on stderr", path,
            (long long)st.st_size);
    asc_topo_destroy(topo);
    return t_done();
}

static void run(const char *path)
{
    int status = 0;
    pid_t pid  = fork();

    if (pid == 0) {
        status = child(path);
        fflush(stdout);
        _exit(status);
    }
    T_CHECK((pid > 0) && (waitpid(pid, &status, 0) == pid) && (status == 0), "'%s': %#x", path,
            (unsigned)status);
}

int main(void)
{
    run("/nonexistent/machine.xml");
    run("/");
    run("/proc/self/status");
    run("/dev/null");
    return t_done();
}
