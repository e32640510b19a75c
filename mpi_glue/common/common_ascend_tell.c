/* SPDX-License-Identifier: BSD-3-Clause */
#include "common_ascend.h"
#include "common_ascend_tell.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ompi/mca/rte/rte.h"
#include "opal/util/show_help.h"

/* One write, so that lines of several ranks do not mix. */
static void print(const char *file, const char *topic, va_list args)
{
    char *text = opal_show_help_vstring(file, topic, true, args);

    if (NULL == text) {
        return;
    }
    if (write(STDERR_FILENO, text, strlen(text)) < 0) {
        /* Nobody is left to be told. */
    }
    free(text);
}

/* The job's session directory is private to the job on this node and goes
 * away with it. Early in MPI_Init only that of mpirun is known, by its
 * variable. Without any (a singleton) every process speaks for itself. */
static const char *session_dir(void)
{
    const char *job = ompi_process_info.job_session_dir;

    return (NULL != job) ? job : getenv("OMPI_MCA_orte_jobfam_session_dir");
}

static bool first_of_job(const char *topic)
{
    const char *dir = session_dir();
    char path[OPAL_PATH_MAX];
    int fd, len;

    if (NULL == dir) {
        return true;
    }
    len = snprintf(path, sizeof(path), "%s/ascend-%s", dir, topic);
    if (len < 0 || (size_t)len >= sizeof(path)) {
        return true;
    }
    for (char *c = path + strlen(dir) + 1; '\0' != *c; c++) {
        *c = (' ' == *c) ? '-' : *c;
    }
    fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    if (fd < 0) {
        return EEXIST != errno;
    }
    (void)close(fd);
    return true;
}

void mca_common_ascend_tell(const char *file, const char *topic, ...)
{
    va_list args;

    va_start(args, topic);
    print(file, topic, args);
    va_end(args);
}

void mca_common_ascend_tell_once(const char *file, const char *topic, ...)
{
    va_list args;

    if (!first_of_job(topic)) {
        return;
    }
    va_start(args, topic);
    print(file, topic, args);
    va_end(args);
}
