/* SPDX-License-Identifier: BSD-3-Clause */
/** What the libraries write to descriptor 2, caught in a file. The stream stderr
 *  goes on to the old place, so that a check that fails meanwhile is seen. */
#ifndef T_CAPTURE_H
#define T_CAPTURE_H

#include "tests/helpers/t_helpers.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct {
    int saved;
    FILE *file, *stream;
    char text[8192];
} t_capture;

static inline void t_capture_start(void)
{
    t_capture.saved = dup(STDERR_FILENO);
    t_capture.file = tmpfile();
    t_capture.stream = stderr;
    t_check(t_capture.saved >= 0 && t_capture.file != NULL, "cannot catch standard error");
    stderr = fdopen(t_capture.saved, "w");
    setvbuf(stderr, NULL, _IONBF, 0);
    dup2(fileno(t_capture.file), STDERR_FILENO);
}

/** Ends it and returns what was written, valid until the next start. */
static inline const char *t_capture_stop(void)
{
    ssize_t len = pread(fileno(t_capture.file), t_capture.text, sizeof(t_capture.text) - 1, 0);

    t_capture.text[len > 0 ? len : 0] = '\0';
    dup2(t_capture.saved, STDERR_FILENO);
    fclose(stderr);
    stderr = t_capture.stream;
    fclose(t_capture.file);
    return t_capture.text;
}

#endif
