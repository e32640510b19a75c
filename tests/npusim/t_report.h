/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For tests of what npusim writes on standard error: runs a child with it in a
 * file and hands its text back. The child ends by exit(), so that the runtime
 * sees the end of the process.
 */
#ifndef T_REPORT_H
#define T_REPORT_H

#include <stdio.h>
#include <sys/wait.h>

#include "t_sim.h"

static char t_report_text[16384];

/* Exit status of fn in a process of its own; its text is in t_report_text. */
static inline int t_report(void (*fn)(void))
{
    FILE *f = tmpfile();
    int status;
    t_check(f != NULL, "a temporary file");
    fflush(NULL);
    pid_t pid = fork();
    t_check(pid >= 0, "fork");
    if (pid == 0) {
        alarm(60);
        t_check(dup2(fileno(f), STDERR_FILENO) >= 0, "standard error is the file");
        fn();
        exit(3);
    }
    t_check(waitpid(pid, &status, 0) == pid && WIFEXITED(status), "the child ended by exit()");
    rewind(f);
    t_report_text[fread(t_report_text, 1, sizeof(t_report_text) - 1, f)] = '\0';
    fclose(f);
    return WEXITSTATUS(status);
}

static inline int t_report_lines(void)
{
    int n = 0;
    for (const char *s = t_report_text; (s = strchr(s, '\n')) != NULL; s++) {
        n++;
    }
    return n;
}

static inline void t_report_has(const char *text)
{
    t_check(strstr(t_report_text, text) != NULL, "'%s' in the report, which is:\n%s", text,
            t_report_text);
}

#endif
