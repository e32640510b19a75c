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
 * away with it. Without one (a singleton) every process speaks for itself. */
static bool first_of_job(const char *topic)
{
    char path[OPAL_PATH_MAX];
    int fd, len;

    if (NULL == ompi_process_info.job_session_dir) {
        return true;
    }
    len = snprintf(path, sizeof(path), "%s/ascend-%s", ompi_process_info.job_session_dir, topic);
    if (len < 0 || (size_t) len >= sizeof(path)) {
        return true;
    }
    for (char *c = path + strlen(ompi_process_info.job_session_dir) + 1; '\0' != *c; c++) {
        *c = (' ' == *c) ? '-' : *c;
    }
    fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    if (fd < 0) {
        return EEXIST != errno;
    }
    (void) close(fd);
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
