/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tries each direction of each pair for real: the owner exports a buffer, the
 * importer imports it, copies it over, compares every byte and waits until the
 * owner has consumed the notify of that copy.
 */
#include "tools/info.h"
#include "topo/asc_topo.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Larger than one small page, smaller than what could disturb a running job. */
#define INFO_PAIR_BYTES   ((size_t)1 << 20)
#define INFO_PAIR_SECONDS 5.0

/** What the owner tells the importer before the trial. */
typedef struct info_offer {
    bool ok;
    uint64_t address;
    uint64_t seed;
    char reason[INFO_TEXT];
    char rkey[ASC_LINK_RKEY_SIZE];
} info_offer_t;

/** What the importer tells the owner after the copy. */
typedef struct info_done {
    bool copied;
} info_done_t;

/** What the owner tells the importer last. */
typedef struct info_drained {
    bool consumed;
} info_drained_t;

static double info_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void info_fill(unsigned char *bytes, uint64_t seed)
{
    for (size_t i = 0; i < INFO_PAIR_BYTES; ++i) {
        bytes[i] = (unsigned char)((i * 131 + seed * 7919) >> 3);
    }
}

const char *info_step_name(info_step_t step)
{
    static const char *const names[] = {"ok",   "skipped", "peer",   "export", "import",
                                        "copy", "data",    "notify", "lost"};

    return names[step];
}

bool info_pair_usable(const info_pair_t *pair)
{
    return pair->step == INFO_STEP_OK;
}

const char *info_pair_remedy(const info_pair_t *pair)
{
    switch (pair->step) {
    case INFO_STEP_SKIPPED:
        return "make both ranks usable first, see their own problems";
    case INFO_STEP_PEER:
        return "run both ranks on one node, in one pid namespace and as one user";
    case INFO_STEP_EXPORT:
    case INFO_STEP_IMPORT:
        return "ucx.md in " ASC_DOCDIR "/docs tells which memory can be exported; until then such "
               "buffers are staged through the host";
    case INFO_STEP_COPY:
    case INFO_STEP_DATA:
        return "check the link between the two devices with npu-smi; set ASCEND_IPC=n to stage";
    case INFO_STEP_NOTIFY:
        return "check ASCEND_NOTIFY_MAX and the runtime's notify limit; copies still complete";
    case INFO_STEP_LOST:
        return "look at the output of that rank";
    default:
        return "";
    }
}

static void info_refuse(info_pair_t *pair, info_step_t step, const char *reason)
{
    pair->step = step;
    snprintf(pair->reason, sizeof(pair->reason), "%s", reason);
}

/* ---- owner's side ------------------------------------------------------ */

static void info_offer_make(info_offer_t *offer, unsigned char *host, void *device)
{
    info_fill(host, offer->seed);
    offer->ok = asc_link_copy(device, host, INFO_PAIR_BYTES) == ASC_OK;
    if (!offer->ok) {
        snprintf(offer->reason, sizeof(offer->reason), "the owner cannot fill its buffer");
        return;
    }
    offer->address = (uint64_t)(uintptr_t)device;
    if (asc_link_export(device, INFO_PAIR_BYTES, offer->rkey) != ASC_OK) {
        offer->ok = false;
        snprintf(offer->reason, sizeof(offer->reason), "%s", asc_link_last_reason());
    }
}

static bool info_owner_drain(int64_t consumed_before)
{
    double end = info_now() + INFO_PAIR_SECONDS;

    while (asc_link_counter("notify_consumed") <= consumed_before) {
        if (info_now() > end) {
            return false;
        }
        asc_link_progress();
        sched_yield();
    }
    return true;
}

static int info_pair_own(const info_comm_t *comm, int importer, unsigned char *host, void *device)
{
    int64_t consumed = asc_link_counter("notify_consumed");
    info_offer_t offer = {0};
    info_drained_t drained = {0};
    info_done_t done = {0};
    int ret;

    offer.seed = (uint64_t)comm->rank * 1000 + (uint64_t)importer;
    if (device == NULL) {
        snprintf(offer.reason, sizeof(offer.reason), "rank %d has no device memory", comm->rank);
    } else {
        info_offer_make(&offer, host, device);
    }
    ret = info_comm_send(comm, importer, &offer, sizeof(offer));
    if (ret == 0) {
        ret = info_comm_recv(comm, importer, &done, sizeof(done));
    }
    drained.consumed = done.copied && info_owner_drain(consumed);
    if (offer.ok) {
        asc_link_export_release(offer.rkey);
    }
    return ret == 0 ? info_comm_send(comm, importer, &drained, sizeof(drained)) : ret;
}

/* ---- importer's side --------------------------------------------------- */

static asc_status_t info_wait_op(asc_status_t status, asc_link_op_t *op)
{
    double end = info_now() + INFO_PAIR_SECONDS;

    while (status == ASC_INPROGRESS) {
        if (info_now() > end) {
            return ASC_ERR_TIMEOUT;
        }
        status = asc_link_op_test(op);
    }
    return status;
}

static bool info_same_bytes(const unsigned char *host, uint64_t seed)
{
    for (size_t i = 0; i < INFO_PAIR_BYTES; ++i) {
        if (host[i] != (unsigned char)((i * 131 + seed * 7919) >> 3)) {
            return false;
        }
    }
    return true;
}

static bool info_import_try(const info_offer_t *offer, unsigned char *host, void *device,
                            info_pair_t *pair)
{
    asc_link_import_t *import;
    asc_link_op_t op;
    asc_status_t status;

    if (asc_link_import(offer->rkey, sizeof(offer->rkey), &import) != ASC_OK) {
        info_refuse(pair, INFO_STEP_IMPORT, asc_link_last_reason());
        return false;
    }
    status = info_wait_op(asc_link_get(import, offer->address, device, INFO_PAIR_BYTES, &op), &op);
    asc_link_import_release(import);
    if (status != ASC_OK) {
        info_refuse(pair, INFO_STEP_COPY, asc_status_text(status));
        return false;
    }
    if (asc_link_copy(host, device, INFO_PAIR_BYTES) != ASC_OK ||
        !info_same_bytes(host, offer->seed)) {
        info_refuse(pair, INFO_STEP_DATA, "the copied bytes differ from the owner's");
        return false;
    }
    return true;
}

static int info_pair_import(const info_comm_t *comm, int owner, unsigned char *host, void *device,
                            info_pair_t *pair)
{
    info_done_t done = {0};
    info_offer_t offer = {0};
    info_drained_t drained = {0};

    if (info_comm_recv(comm, owner, &offer, sizeof(offer)) != 0) {
        return -1;
    }
    if (!offer.ok) {
        info_refuse(pair, INFO_STEP_EXPORT, offer.reason);
    } else if (device == NULL) {
        info_refuse(pair, INFO_STEP_SKIPPED, "the importer has no device memory");
    } else {
        done.copied = info_import_try(&offer, host, device, pair);
    }
    if (info_comm_send(comm, owner, &done, sizeof(done)) != 0 ||
        info_comm_recv(comm, owner, &drained, sizeof(drained)) != 0) {
        return -1;
    }
    if (done.copied && !drained.consumed) {
        info_refuse(pair, INFO_STEP_NOTIFY,
                    "the copy arrived, but the owner did not see its notify within 5 s");
    }
    return 0;
}

/* ---- all pairs --------------------------------------------------------- */

static void info_pair_link(const info_rank_t *ranks, info_pair_t *pair)
{
    struct asc_topo_link link = {0};
    struct asc_topo *topo = asc_link_topo();
    int a = ranks[pair->importer].device, b = ranks[pair->owner].device;

    if (topo != NULL && a >= 0 && b >= 0 && asc_topo_link(topo, a, b, &link) == 0) {
        snprintf(pair->link, sizeof(pair->link), "%s", asc_topo_kind_name(link.kind));
    } else {
        snprintf(pair->link, sizeof(pair->link), "unknown");
    }
}

static bool info_peers_meet(const info_rank_t *ranks, int me, int other, info_pair_t *pair)
{
    asc_link_peer_t *peer;
    char why[INFO_TEXT] = "";

    if (!ranks[me].link_ready || !ranks[other].link_ready || ranks[me].device < 0 ||
        ranks[other].device < 0) {
        info_refuse(pair, INFO_STEP_SKIPPED, "one of the two has no usable runtime or device");
        return false;
    }
    if (asc_link_peer_open(&ranks[other].addr, &peer, why, sizeof(why)) != ASC_OK) {
        info_refuse(pair, INFO_STEP_PEER, why);
        return false;
    }
    return true;
}

void info_pair_try_all(const info_comm_t *comm, const info_rank_t *ranks, info_pair_t *pairs)
{
    unsigned char *host = malloc(INFO_PAIR_BYTES);
    void *device = NULL;
    bool *meet = calloc((size_t)comm->size, sizeof(*meet));
    bool *met = calloc((size_t)comm->size * (size_t)comm->size, sizeof(*met));

    if (host == NULL || meet == NULL || met == NULL) {
        fprintf(stderr, "ascend_info: out of host memory for %d ranks\n", comm->size);
        exit(1);
    }
    if (ranks[comm->rank].device >= 0 && asc_link_mem_alloc(INFO_PAIR_BYTES, &device) != ASC_OK) {
        device = NULL;
    }
    for (int peer = 0; peer < comm->size; ++peer) {
        pairs[peer] = (info_pair_t){.owner = peer, .importer = comm->rank};
        meet[peer] = peer != comm->rank && info_peers_meet(ranks, comm->rank, peer, &pairs[peer]);
        info_pair_link(ranks, &pairs[peer]);
    }
    info_comm_allgather(comm, meet, met, (size_t)comm->size * sizeof(*meet));
    for (int owner = 0; owner < comm->size; ++owner) {
        for (int importer = 0; importer < comm->size; ++importer) {
            if (owner == importer || !met[owner * comm->size + importer] ||
                !met[importer * comm->size + owner]) {
                continue;
            }
            if (comm->rank == owner) {
                info_pair_own(comm, importer, host, device);
            } else if (comm->rank == importer &&
                       info_pair_import(comm, owner, host, device, &pairs[owner]) != 0) {
                info_refuse(&pairs[owner], INFO_STEP_LOST, "the owner went away during the trial");
            }
        }
    }
    if (device != NULL) {
        asc_link_mem_free(device);
    }
    free(met);
    free(meet);
    free(host);
}
