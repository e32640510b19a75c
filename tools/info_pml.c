/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The one fact that needs Open MPI's internal headers. MPI_T only knows which
 * pml was asked for, not which one won.
 */
#include "opal_config.h"

#include "opal/mca/mca.h"

#include <dlfcn.h>

const char *info_selected_pml(void);

const char *info_selected_pml(void)
{
    /* Every component starts with the common component header. */
    const mca_base_component_t *selected = dlsym(RTLD_DEFAULT, "mca_pml_base_selected_component");

    return selected != NULL ? selected->mca_component_name : "unknown";
}
