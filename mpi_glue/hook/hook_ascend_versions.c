/* SPDX-License-Identifier: BSD-3-Clause */
/* Apart from the other files: asc_config.h and Open MPI's configuration both
 * define the package's name. */
#include "asc_config.h"

const char *mca_hook_ascend_built_ucx(int *major, int *minor);

const char *mca_hook_ascend_built_ucx(int *major, int *minor)
{
#ifdef ASC_UCX_MAJOR
    *major = ASC_UCX_MAJOR;
    *minor = ASC_UCX_MINOR;
#else
    *major = *minor = 0;
#endif
    return ('\0' != ASC_UCX_VERSION[0]) ? ASC_UCX_VERSION : "(none: built without UCX module)";
}
