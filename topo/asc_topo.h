/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ASC_TOPO_H_
#define ASC_TOPO_H_

/*
 * Where the NPUs of this node sit (PCI, NUMA, CPUs), by which kind of link each
 * pair of them is connected, and what such a link is worth.
 *
 * This room knows hwloc and nothing else. What the runtime knows about devices is
 * handed in as plain data (struct asc_topo_node_facts) by whoever talks to it.
 *
 * Rules that hold for every function here:
 * - Device arguments are indices into node_facts.devices, not ACL device ids.
 * - Functions returning int give 0 or a negative errno value.
 * - Everything may be called from any thread. A struct asc_topo does not change
 *   after asc_topo_create() as far as callers can see.
 * - Nothing is printed, nothing calls exit. Reasons are sentences without newline
 *   that name the value and the remedy.
 * - hwloc is loaded once per process, by the first function that needs it, which
 *   its comment says; the link model never does.
 *
 * Environment:
 *   ASCEND_TOPO_XML=FILE  read this recorded machine (hwloc XML) in place of the
 *                         one we run on. hwloc's own HWLOC_XMLFILE works as well.
 */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The modules call these across the border of the library that holds them. */
#pragma GCC visibility push(default)

/* Kinds of link, after the bits that aclrtGetDevicesTopo gives for a pair. */
enum asc_topo_link_kind {
    ASC_TOPO_LINK_UNKNOWN, /* nobody said */
    ASC_TOPO_LINK_SAME,    /* a device and itself */
    ASC_TOPO_LINK_SIO,     /* two dies of one package */
    ASC_TOPO_LINK_HCCS,    /* direct HCCS link */
    ASC_TOPO_LINK_HCCS_SW, /* HCCS through switches */
    ASC_TOPO_LINK_PIX,     /* below one PCIe switch */
    ASC_TOPO_LINK_PHB,     /* through a PCIe host bridge */
    ASC_TOPO_LINK_SYS,     /* through the link between sockets */
    ASC_TOPO_LINK_LAST
};

/* Families of parts that the link model tells apart. */
enum asc_topo_soc {
    ASC_TOPO_SOC_UNKNOWN,
    ASC_TOPO_SOC_910,    /* Ascend910A, Ascend910ProB, ...: Atlas 800 training */
    ASC_TOPO_SOC_910B,   /* Ascend910B1..B4: Atlas A2 */
    ASC_TOPO_SOC_910_93, /* Ascend910_93xx: Atlas A3 */
    ASC_TOPO_SOC_310P,
    ASC_TOPO_SOC_310B,
    ASC_TOPO_SOC_950,
    ASC_TOPO_SOC_LAST
};

/* What the caller knows about one device. */
struct asc_topo_device_facts {
    int device_id;       /* id in ACL calls (after ASCEND_RT_VISIBLE_DEVICES), for texts */
    int physical_id;     /* id on the host, or -1 */
    char pci_bus_id[24]; /* "dddd:bb:dd.f" in either case, or "" if nobody could say */
};

/* A link whose worth somebody knows better than the model, both directions alike. */
struct asc_topo_given {
    int a, b;         /* physical ids, or ASC_TOPO_GIVEN_HOST for one of them */
    double bandwidth; /* bytes/s, 0: as the model has it */
    double latency;   /* s, below 0: as the model has it */
};

#define ASC_TOPO_GIVEN_HOST (-2)

/* What the caller knows about the node. Copied by asc_topo_create(). */
struct asc_topo_node_facts {
    const char *soc_name; /* aclrtGetSocName(), or NULL */
    int num_devices;      /* 0 is allowed */
    const struct asc_topo_device_facts *devices;
    /* num_devices x num_devices, row major: the bits of aclrtGetDevicesTopo, 0 where
     * it gave nothing; NULL if it is missing altogether. The diagonal is not read. */
    const uint64_t *link_bits;
    int num_given; /* of several for a pair the last counts */
    const struct asc_topo_given *given;
};

struct asc_topo;

/* How the PCI address of a device was learnt. */
enum asc_topo_pci_source {
    ASC_TOPO_PCI_NONE,  /* not known */
    ASC_TOPO_PCI_GIVEN, /* by the caller: a fact */
    ASC_TOPO_PCI_GUESS  /* the physical_id-th NPU in PCI address order: a guess */
};

struct asc_topo_pci_addr {
    uint32_t domain;
    uint8_t bus;
    uint8_t dev;
    uint8_t func;
};

/* Where a device sits. Owned by the struct asc_topo. */
struct asc_topo_locality {
    enum asc_topo_pci_source pci_source;
    struct asc_topo_pci_addr pci; /* valid unless pci_source is NONE */
    char pci_bus_id[24];          /* lower case, or "" */
    int in_machine;               /* 1 if hwloc knows a PCI device at that address */
    int numa_node;                /* OS index, or -1 */
    int package;                  /* OS index of the socket, or -1 */
    const char *cpuset;           /* near CPUs, "0-23,96" as taskset -c reads it; "" if unknown */
    const char *reason;           /* why something above is unknown or guessed; "" if nothing is */
};

/* Value of a link for one process that drives one copy at a time. */
struct asc_topo_link {
    enum asc_topo_link_kind kind;
    double get_bandwidth; /* bytes/s, the caller's device reads the peer's memory */
    double put_bandwidth; /* bytes/s, the caller's device writes the peer's memory */
    double latency;       /* s, from the start on the device to the first byte landed */
    double overhead;      /* s of host time to submit one copy */
};

/*
 * Make a topology from handed-in facts. Does not load hwloc.
 * -EINVAL: negative num_devices, or devices missing; -ENOMEM.
 */
int asc_topo_create(const struct asc_topo_node_facts *facts, struct asc_topo **topo_p);

/*
 * Reads "A-B=RATE/TIME,..." (ASCEND_TOPO_LINKS; docs/env.md) into given, which has room
 * for that many entries; more are counted and dropped.
 * Returns their number, or -EINVAL with a sentence that names the part in reason.
 */
int asc_topo_parse_links(const char *text, struct asc_topo_given *given, int room, char *reason,
                         size_t reason_size);

/* NULL is allowed. Localities taken from it become invalid. */
void asc_topo_destroy(struct asc_topo *topo);

int asc_topo_num_devices(const struct asc_topo *topo);

/*
 * Where device dev sits. Loads hwloc. Never fails on what the machine is: unknown
 * parts are marked and explained. NULL only if dev is out of range.
 */
const struct asc_topo_locality *asc_topo_locality(struct asc_topo *topo, int dev);

/*
 * Which machine hwloc looks at, for reports: "this machine", "recorded machine
 * FILE", or why none could be loaded. Loads hwloc. Lives as long as the process.
 */
const char *asc_topo_machine(void);

/* 1 if no machine could be loaded: asc_topo_machine() says why. */
int asc_topo_machine_failed(void);

/* 1 if asc_topo_machine() is the one we run on, so that binding has a meaning. */
int asc_topo_machine_is_live(void);

/*
 * Link between two devices as the part's family and the handed-in kind have it, or as
 * it was given.
 * Symmetric in kind. -EINVAL if an index is out of range.
 */
int asc_topo_link(const struct asc_topo *topo, int dev_a, int dev_b, struct asc_topo_link *link);

/*
 * Link between a device and host memory: get is device to host, put is host to
 * device; kind is PHB (HCCS_SW where the host hangs on that fabric).
 */
int asc_topo_host_link(const struct asc_topo *topo, int dev, struct asc_topo_link *link);

/* Its physical id as handed in, -1 if not known or out of range. */
int asc_topo_physical_id(const struct asc_topo *topo, int dev);

/*
 * What was given of the link between a device and one that this process may not see.
 * 0 if nothing was; 1 with link filled, from the model of an unknown kind where only a
 * part was given.
 */
int asc_topo_given_link(const struct asc_topo *topo, int dev, int physical_id,
                        struct asc_topo_link *link);

/* The family of the node's parts, from facts.soc_name. */
enum asc_topo_soc asc_topo_soc(const struct asc_topo *topo);

/* The model itself, without a topology. */
enum asc_topo_soc asc_topo_soc_from_name(const char *soc_name);
enum asc_topo_link_kind asc_topo_kind_from_bits(uint64_t acl_topo_bits);
void asc_topo_model_link(enum asc_topo_soc soc, enum asc_topo_link_kind kind,
                         struct asc_topo_link *link);
void asc_topo_model_host_link(enum asc_topo_soc soc, struct asc_topo_link *link);
const char *asc_topo_kind_name(enum asc_topo_link_kind kind);

/*
 * Bind the calling thread, or all threads of the process, to the CPUs near a device.
 * Memory that a bound thread touches first lands on their NUMA node. Both load hwloc
 * and change nothing when they fail:
 *   -EINVAL   dev out of range
 *   -ENODATA  locality unknown (reason repeats the locality's)
 *   -ENOTSUP  the machine is a recorded one, or the system cannot bind
 *   others    what the system call gave
 * reason may be NULL; otherwise it gets a sentence on failure, "" on success.
 */
int asc_topo_bind_thread(struct asc_topo *topo, int dev, char *reason, size_t reason_size);
int asc_topo_bind_process(struct asc_topo *topo, int dev, char *reason, size_t reason_size);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
