/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Messages to the user from the help files.
 *
 * Not sent through mpirun: with Debian's PMIx 4.2, Open MPI 4.1's mpirun often
 * loses or garbles help messages that several ranks send at the same time
 * ("ORTE_ERROR_LOG ... show_help.c"), and a refused pointer must be seen.
 */
#ifndef MCA_COMMON_ASCEND_TELL_H
#define MCA_COMMON_ASCEND_TELL_H

/** Prints the text on standard error. */
void mca_common_ascend_tell(const char *file, const char *topic, ...);

/** Prints it for the first process of the job on this node that has it to say. */
void mca_common_ascend_tell_once(const char *file, const char *topic, ...);

#endif
