/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Started in front of a rank's program by 'ascendrun --bind': binds itself to the CPUs
 * near the rank's NPU, then becomes the program. Where locality is unknown the program
 * runs unbound: a job must not fail because firmware is silent. A setting that is wrong
 * is told.
 */
#include "asc_config.h"

#include "acl/asc_acl.h"
#include "acl/asc_log.h"
#include "topo/asc_topo.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct choice {
    long rank; /* local rank, or -1 */
    int device;
    struct asc_topo *topo; /* of that device alone, or NULL */
    int wrong;             /* the reason is a setting or a runtime to be put right */
    char reason[ASC_ACL_TEXT_MAX + 512];
};

/* The launchers' names for a process's number on its node; -1 with a reason. */
static long local_rank(char *reason, size_t size)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
                                        "SLURM_LOCALID"};
    size_t i;

    for (i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
        const char *text = getenv(names[i]);
        char *end;
        long rank;

        if ((text == NULL) || (*text == '\0')) {
            continue;
        }
        errno = 0;
        rank = strtol(text, &end, 10);
        if ((errno == 0) && (*end == '\0') && (rank >= 0)) {
            return rank;
        }
        snprintf(reason, size, "%s is '%.40s', no local rank: start with mpirun, or unset it",
                 names[i], text);
        return -1;
    }
    snprintf(reason, size,
             "no launcher tells the local rank (OMPI_COMM_WORLD_LOCAL_RANK): start with mpirun");
    return -1;
}

/* ASCEND_RT_VISIBLE_DEVICES lists the host's ids of the devices that ACL counts from 0. */
static int physical_id(int device)
{
    const char *list = getenv("ASCEND_RT_VISIBLE_DEVICES");
    char *end;
    long id;

    if ((list == NULL) || (*list == '\0')) {
        return device;
    }
    for (; device > 0; --device) {
        list = strchr(list, ',');
        if (list == NULL) {
            return -1;
        }
        ++list;
    }
    id = strtol(list, &end, 10);
    return (end != list) && ((*end == ',') || (*end == '\0')) && (id >= 0) && (id < 65536) ? (int)id
                                                                                           : -1;
}

/* Number of devices, or 0 with a reason. */
static uint32_t count_devices(const asc_acl_t *acl, char *reason, size_t size)
{
    char text[ASC_ACL_TEXT_MAX];
    uint32_t count = 0;
    aclError error;

    if (acl == NULL) {
        snprintf(reason, size, "%s", asc_acl_load_error());
        return 0;
    }
    if (asc_acl_init() != ASC_OK) {
        snprintf(reason, size, "the runtime %s does not start", asc_acl_path());
        return 0;
    }
    error = acl->aclrtGetDeviceCount(&count);
    if (error != ACL_SUCCESS) {
        snprintf(reason, size, "the number of NPUs is unknown: %s",
                 asc_acl_error_text(error, text, sizeof(text)));
        return 0;
    }
    if (count == 0) {
        snprintf(reason, size, "%s sees no NPU", asc_acl_path());
    }
    return count;
}

static void choose(struct choice *choice)
{
    const asc_acl_t *acl = asc_acl_get();
    struct asc_topo_device_facts device = {0};
    struct asc_topo_node_facts facts = {.num_devices = 1, .devices = &device};
    uint32_t count;

    choice->wrong = 1;
    choice->rank = local_rank(choice->reason, sizeof(choice->reason));
    if (choice->rank < 0) {
        return;
    }
    count = count_devices(acl, choice->reason, sizeof(choice->reason));
    if (count == 0) {
        return;
    }
    choice->wrong = asc_topo_machine_failed();

    choice->device = (int)(choice->rank % (long)count);
    device.device_id = choice->device;
    device.physical_id = physical_id(choice->device);
    if ((acl->aclrtDeviceGetPCIBusId == NULL) ||
        (acl->aclrtDeviceGetPCIBusId(choice->device, device.pci_bus_id,
                                     sizeof(device.pci_bus_id)) != ACL_SUCCESS)) {
        device.pci_bus_id[0] = '\0';
    }
    if (asc_topo_create(&facts, &choice->topo) != 0) {
        snprintf(choice->reason, sizeof(choice->reason), "out of memory");
    }
}

static int print(const struct choice *choice)
{
    const struct asc_topo_locality *where;

    if (choice->topo == NULL) {
        printf("rank %ld unbound: %s\n", choice->rank, choice->reason);
        return 0;
    }
    where = asc_topo_locality(choice->topo, 0);
    printf("rank %ld device %d pci %s node %d ", choice->rank, choice->device,
           where->pci_bus_id[0] != '\0' ? where->pci_bus_id : "unknown", where->numa_node);
    if (where->cpuset[0] == '\0') {
        printf("unbound: %s\n", where->reason);
    } else {
        printf("cpus %s%s%s\n", where->cpuset, where->reason[0] != '\0' ? " " : "", where->reason);
    }
    return 0;
}

static void bind_near(const struct choice *choice)
{
    /* once a node: what is to be put right is the same for all its ranks */
    asc_log_level_t level = choice->wrong && choice->rank <= 0 ? ASC_LOG_WARN : ASC_LOG_INFO;
    char reason[1024] = "";

    if (choice->topo == NULL) {
        asc_log(level, "rank %ld runs unbound: %s", choice->rank, choice->reason);
    } else if (asc_topo_bind_process(choice->topo, 0, reason, sizeof(reason)) != 0) {
        asc_log(level, "rank %ld runs unbound: %s", choice->rank, reason);
    } else {
        asc_log(ASC_LOG_INFO, "rank %ld is bound to CPUs %s near NPU %d", choice->rank,
                asc_topo_locality(choice->topo, 0)->cpuset, choice->device);
    }
}

static void usage(FILE *out)
{
    fprintf(out,
            "usage: ascend_bind PROGRAM [ARGUMENTS]\n"
            "       ascend_bind --print\n\n"
            "Binds a rank of an MPI job to the CPUs near its NPU (local rank modulo number of\n"
            "NPUs), then runs PROGRAM. --print only tells where it would be bound.\n"
            "ASCEND_LOG_LEVEL=info tells what was done.\n");
}

int main(int argc, char **argv)
{
    struct choice choice = {.rank = -1};
    int status;

    if ((argc >= 2) && (strcmp(argv[1], "--help") == 0)) {
        usage(stdout);
        return 0;
    }
    if ((argc >= 2) && (strcmp(argv[1], "--version") == 0)) {
        printf("ascend_bind (%s) %s\n", PACKAGE_NAME, PACKAGE_VERSION);
        return 0;
    }
    if ((argc >= 2) && (strcmp(argv[1], "--print") == 0)) {
        if (argc > 2) {
            fprintf(stderr, "ascend_bind: --print takes no argument '%s': drop it\n", argv[2]);
            return 2;
        }
        choose(&choice);
        status = print(&choice);
        asc_topo_destroy(choice.topo);
        return status;
    }
    if ((argc < 2) || (argv[1][0] == '-')) {
        fprintf(stderr, "ascend_bind: '%s' is not a program to run\n", argc < 2 ? "" : argv[1]);
        usage(stderr);
        return 2;
    }

    choose(&choice);
    bind_near(&choice);
    asc_topo_destroy(choice.topo);
    execvp(argv[1], argv + 1);
    status = errno == ENOENT ? 127 : 126;
    fprintf(stderr, "ascend_bind: cannot run '%s': %s\n", argv[1], strerror(errno));
    return status;
}
