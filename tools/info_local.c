/* SPDX-License-Identifier: BSD-3-Clause */
#include "asc_config.h"

#include "tools/info.h"
#include "topo/asc_topo.h"

#include <mpi.h>
#include <ucp/api/ucp.h>
#include <uct/api/uct.h>

#include <dlfcn.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void info_copy_text(char *dst, size_t room, const char *src)
{
    size_t len = src != NULL ? strnlen(src, room - 1) : 0;

    memcpy(dst, src != NULL ? src : "", len);
    dst[len] = '\0';
}

static __attribute__((format(printf, 4, 5))) void
info_problem_add(info_rank_t *info, const char *id, const char *remedy, const char *format, ...)
{
    info_problem_t *problem;
    va_list ap;

    if (info->num_problems == INFO_PROBLEMS_MAX) {
        return;
    }
    problem = &info->problems[info->num_problems++];
    info_copy_text(problem->id, sizeof(problem->id), id);
    info_copy_text(problem->remedy, sizeof(problem->remedy), remedy);
    va_start(ap, format);
    vsnprintf(problem->text, sizeof(problem->text), format, ap);
    va_end(ap);
}

/* ---- versions --------------------------------------------------------- */

static void info_versions(const info_comm_t *comm, info_rank_t *info)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    unsigned major, minor, release;
    int len;

    info_copy_text(info->ucx_built, sizeof(info->ucx_built), ASC_UCX_VERSION);
    ucp_get_version(&major, &minor, &release);
    snprintf(info->ucx_running, sizeof(info->ucx_running), "%u.%u.%u", major, minor, release);
    info_copy_text(info->ompi_built, sizeof(info->ompi_built), ASC_OMPI_VERSION);
    if (comm->mpi && MPI_Get_library_version(text, &len) == MPI_SUCCESS) {
        const char *found = strstr(text, "Open MPI v");

        info_copy_text(info->ompi_running, sizeof(info->ompi_running),
                       found != NULL ? found + strlen("Open MPI v") : text);
        info->ompi_running[strcspn(info->ompi_running, ", ")] = '\0';
    }
    if (strcmp(info->ucx_built, info->ucx_running) != 0) {
        info_problem_add(info, "ucx-version",
                         "rebuild against the UCX that is installed, or put the one this was built "
                         "for first on LD_LIBRARY_PATH",
                         "UCX %s is running, the module was built for %s", info->ucx_running,
                         info->ucx_built);
    }
    if (info->ompi_running[0] != '\0' && strcmp(info->ompi_built, info->ompi_running) != 0) {
        info_problem_add(info, "ompi-version", "rebuild against the Open MPI that is running",
                         "Open MPI %s is running, the components were built for %s",
                         info->ompi_running, info->ompi_built);
    }
}

/* ---- modules ---------------------------------------------------------- */

static int info_module_seen(struct dl_phdr_info *object, size_t size, void *arg)
{
    info_rank_t *info = arg;

    (void)size;
    info->module_uct |= strstr(object->dlpi_name, "/libuct_ascend.so") != NULL;
    info->module_hook |= strstr(object->dlpi_name, "/mca_hook_ascend.so") != NULL;
    info->module_coll |= strstr(object->dlpi_name, "/mca_coll_ascend.so") != NULL;
    return 0;
}

/* Without MPI nobody has loaded the UCX module: do what the hook would do. */
static void info_load_uct(info_rank_t *info)
{
    const char *path = getenv("ASCEND_UCX_MODULE");

    if (path == NULL || path[0] == '\0') {
        path = ASC_PKGLIBDIR "/ucx/libuct_ascend.so";
    }
    if (dlopen(path, RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE) == NULL) {
        info_problem_add(info, "uct-module",
                         "install the package, or set ASCEND_UCX_MODULE to libuct_ascend.so "
                         "(ascendrun does)",
                         "%s", dlerror());
    }
}

static bool info_component_offers(uct_component_h component, const char *wanted)
{
    uct_component_attr_t attr = {.field_mask = UCT_COMPONENT_ATTR_FIELD_NAME |
                                               UCT_COMPONENT_ATTR_FIELD_MD_RESOURCE_COUNT};

    return uct_component_query(component, &attr) == UCS_OK && strcmp(attr.name, wanted) == 0 &&
           attr.md_resource_count > 0;
}

static void info_uct_components(info_rank_t *info)
{
    uct_component_h *components;
    unsigned count;

    if (uct_query_components(&components, &count) != UCS_OK) {
        return;
    }
    for (unsigned i = 0; i < count; ++i) {
        info->uct_copy |= info_component_offers(components[i], "ascend_copy");
        info->uct_ipc |= info_component_offers(components[i], "ascend_ipc");
    }
    uct_release_component_list(components);
}

/* Whether one transport is in a UCX_TLS value; "all" and negated lists ("^x")
 * contain what they do not name. */
static bool info_tls_lists(const char *tls, const char *name)
{
    bool negated = tls[0] == '^';
    size_t len = strlen(name);

    for (const char *at = tls + negated; *at != '\0'; at += strcspn(at, ","), at += *at == ',') {
        size_t item = strcspn(at, ",");

        if ((item == len && strncmp(at, name, len) == 0) ||
            (item == 3 && strncmp(at, "all", 3) == 0)) {
            return !negated;
        }
    }
    return negated;
}

static void info_tls(info_rank_t *info)
{
    static const char *const names[] = {"asc_copy", "asc_ipc"};
    const char *tls = getenv("UCX_TLS");

    for (int i = 0; tls != NULL && i < 2; ++i) {
        if (!info_tls_lists(tls, names[i])) {
            info_problem_add(info, "ucx-tls",
                             "list both asc_copy and asc_ipc, for example "
                             "UCX_TLS=posix,self,asc_copy,asc_ipc",
                             "UCX_TLS=%s does not name %s", tls, names[i]);
        }
    }
}

static void info_modules(const info_comm_t *comm, info_rank_t *info)
{
    if (!comm->mpi) {
        info_load_uct(info);
    }
    dl_iterate_phdr(info_module_seen, info);
    info_uct_components(info);
    info_tls(info);
    if (!comm->mpi) {
        return;
    }
    if (!info->module_hook) {
        info_problem_add(info, "hook-component",
                         "start with ascendrun, or set OMPI_MCA_mca_base_component_path as "
                         "'ascendrun --dry-run' prints",
                         "mca_hook_ascend.so is not loaded: Open MPI did not find it in %s",
                         getenv("OMPI_MCA_mca_base_component_path") != NULL
                             ? getenv("OMPI_MCA_mca_base_component_path")
                             : "its own component directories");
    } else if (!info->module_uct && info->link_ready) {
        info_problem_add(info, "uct-module",
                         "set ASCEND_UCX_MODULE to libuct_ascend.so; "
                         "OMPI_MCA_hook_ascend_verbose=10 tells why it was not loaded",
                         "libuct_ascend.so is not loaded");
    }
    if (!info->module_coll) {
        info_problem_add(info, "coll-component",
                         getenv("OMPI_MCA_coll") != NULL
                             ? "remove '^ascend' from OMPI_MCA_coll, or start with ascendrun"
                             : "start with ascendrun, which makes Open MPI find it",
                         "mca_coll_ascend.so is not loaded: collectives on device buffers crash");
    }
}

/* ---- Open MPI's choice ------------------------------------------------- */

static void info_pml(const info_comm_t *comm, info_rank_t *info)
{
    if (!comm->mpi) {
        return;
    }
    info_copy_text(info->pml, sizeof(info->pml), info_selected_pml());
    if (strcmp(info->pml, "ucx") != 0) {
        info_problem_add(info, "pml",
                         "--mca pml ucx --mca pml_ucx_tls any --mca pml_ucx_devices any (the hook "
                         "component sets these unless you chose another pml)",
                         "Open MPI uses pml/%s, so UCX and asc_ipc carry nothing", info->pml);
    }
}

/* ---- devices ----------------------------------------------------------- */

static void info_locality(info_rank_t *info)
{
    const struct asc_topo_locality *where = NULL;
    struct asc_topo *topo = asc_link_topo();

    info->numa_node = -1;
    if (topo != NULL && info->device >= 0) {
        where = asc_topo_locality(topo, info->device);
    }
    if (where == NULL) {
        info_copy_text(info->locality_why, sizeof(info->locality_why), "no device");
        return;
    }
    info->numa_node = where->numa_node;
    info_copy_text(info->pci, sizeof(info->pci), where->pci_bus_id);
    info_copy_text(info->cpuset, sizeof(info->cpuset), where->cpuset);
    info_copy_text(info->locality_why, sizeof(info->locality_why), where->reason);
}

static void info_devices(const asc_acl_t *acl, info_rank_t *info)
{
    const char *local = getenv("OMPI_COMM_WORLD_LOCAL_RANK");
    char text[ASC_ACL_TEXT_MAX];
    uint32_t count = 0;
    aclError error;

    if (asc_acl_init() != ASC_OK) {
        info_problem_add(info, "acl-init", "check the driver with npu-smi info",
                         "aclInit of %s failed", asc_acl_path());
        return;
    }
    error = acl->aclrtGetDeviceCount(&count);
    if (error != ACL_SUCCESS || count == 0) {
        info_problem_add(info, "no-device",
                         "check npu-smi info and ASCEND_RT_VISIBLE_DEVICES; on npusim "
                         "NPUSIM_DEVICES",
                         "the runtime shows no device: %s",
                         asc_acl_error_text(error, text, sizeof(text)));
        return;
    }
    info->devices = (int)count;
    info->device = (int)((local != NULL ? strtoul(local, NULL, 10) : (unsigned)info->rank) % count);
    error = acl->aclrtSetDevice(info->device);
    if (error != ACL_SUCCESS) {
        info_problem_add(info, "set-device", "check npu-smi info for the state of the device",
                         "device %d cannot be set: %s", info->device,
                         asc_acl_error_text(error, text, sizeof(text)));
        info->device = -1;
    }
    info_copy_text(info->soc, sizeof(info->soc),
                   acl->aclrtGetSocName != NULL ? acl->aclrtGetSocName() : "unknown");
}

void info_local_collect(const info_comm_t *comm, info_rank_t *info)
{
    const asc_acl_t *acl = asc_acl_get();
    const char *why = "";

    memset(info, 0, sizeof(*info));
    info->rank = comm->rank;
    info->pid = (int)getpid();
    info->device = -1;
    gethostname(info->host, sizeof(info->host) - 1);
    info_copy_text(info->acl_path, sizeof(info->acl_path), asc_acl_path());
    if (acl == NULL) {
        info_problem_add(info, "acl-library",
                         "with an NPU install CANN and do what the reason says; without one use "
                         "the software NPU: ascendrun --sim",
                         "%s", asc_acl_load_error());
    } else if (asc_link_init(ASC_LINK_ABI) != ASC_OK) {
        info_problem_add(info, "link", "correct what the reason names", "%s", asc_link_why_not());
    } else {
        info->link_ready = true;
        info_devices(acl, info);
    }
    info_versions(comm, info);
    info_modules(comm, info);
    info_pml(comm, info);
    info_locality(info);
    info_copy_text(info->hook_mode, sizeof(info->hook_mode), asc_link_hook_mode(&why));
    info_copy_text(info->hook_why, sizeof(info->hook_why), why);
    info_copy_text(info->oob, sizeof(info->oob), asc_link_oob_name());
    asc_link_self_addr(&info->addr);
}
