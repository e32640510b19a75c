/* SPDX-License-Identifier: BSD-3-Clause */
#include "asc_perf.h"

#include "topo/asc_topo.h"

#include <ucs/config/parser.h>
#include <ucs/sys/math.h>
#include <ucs/time/time.h>

/* What UCX 1.13 assumes of its transport "cma". */
#define UCT_ASC_PERF_CMA_MBPS     11145.0
#define UCT_ASC_PERF_CMA_LATENCY  80e-9
#define UCT_ASC_PERF_CMA_OVERHEAD 0.4e-6

/* The process may not have chosen its NPU yet; nodes are uniform enough for
 * the first one to stand in. */
static int uct_asc_perf_home(const struct asc_topo *topo)
{
    int home = asc_link_home_device();

    return ((home >= 0) && (home < asc_topo_num_devices(topo))) ? home : 0;
}

static void uct_asc_perf_apply(const uct_asc_perf_config_t *config,
                               const struct asc_topo_link *link, uct_asc_perf_t *perf)
{
    int auto_bw = UCT_ASC_BW_IS_AUTO(config->bandwidth);
    perf->get_bandwidth = auto_bw ? link->get_bandwidth : config->bandwidth;
    perf->put_bandwidth = auto_bw ? link->put_bandwidth : config->bandwidth;
    perf->latency =
        (config->latency == UCS_TIME_AUTO) ? link->latency : ucs_time_to_sec(config->latency);
    perf->overhead =
        (config->overhead == UCS_TIME_AUTO) ? link->overhead : ucs_time_to_sec(config->overhead);
}

void uct_asc_perf_peer(const uct_asc_perf_config_t *config, uct_asc_perf_t *perf)
{
    struct asc_topo *topo = asc_link_topo();
    struct asc_topo_link best, link;
    int device, home;

    if ((topo == NULL) || (asc_topo_num_devices(topo) == 0)) {
        asc_topo_model_link(ASC_TOPO_SOC_UNKNOWN, ASC_TOPO_LINK_UNKNOWN, &best);
        uct_asc_perf_apply(config, &best, perf);
        return;
    }

    /* UCX asks before it knows the peer, and leaves out what looks slow: so
     * the best link of the home NPU counts, the local one only if alone. */
    home = uct_asc_perf_home(topo);
    (void)asc_topo_link(topo, home, home, &best);
    if (asc_topo_num_devices(topo) > 1) {
        best.get_bandwidth = 0;
    }
    for (device = 0; device < asc_topo_num_devices(topo); ++device) {
        if ((device != home) && (asc_topo_link(topo, home, device, &link) == 0) &&
            (link.get_bandwidth > best.get_bandwidth)) {
            best = link;
        }
    }
    uct_asc_perf_apply(config, &best, perf);
}

void uct_asc_perf_host(const uct_asc_perf_config_t *config, uct_asc_perf_t *perf)
{
    struct asc_topo *topo = asc_link_topo();
    struct asc_topo_link link;

    if ((topo == NULL) || (asc_topo_num_devices(topo) == 0) ||
        (asc_topo_host_link(topo, uct_asc_perf_home(topo), &link) != 0)) {
        asc_topo_model_host_link(ASC_TOPO_SOC_UNKNOWN, &link);
    }
    uct_asc_perf_apply(config, &link, perf);
}

void uct_asc_perf_relay(uct_asc_perf_t *perf)
{
    /* As UCX rates its copy between processes by the kernel. Between host
     * buffers UCX weighs all lanes that can reach host memory: above this, it
     * would cut their messages into pieces, and with more latency it would
     * begin rendezvous at another size. */
    perf->get_bandwidth = perf->put_bandwidth = UCT_ASC_PERF_CMA_MBPS * UCS_MBYTE;
    perf->latency = UCT_ASC_PERF_CMA_LATENCY;
    perf->overhead = UCT_ASC_PERF_CMA_OVERHEAD;
}

void uct_asc_perf_fill_iface_attr(const uct_asc_perf_t *perf, uct_iface_attr_t *attr)
{
    /* Each process drives its own NPU, so the links are not shared with the
     * node's other processes. */
    attr->latency = ucs_linear_func_make(perf->latency, 0);
    attr->bandwidth.dedicated = ucs_min(perf->get_bandwidth, perf->put_bandwidth);
    attr->bandwidth.shared = 0;
    attr->overhead = perf->overhead;
    attr->priority = 0;
}

ucs_status_t uct_asc_perf_estimate(const uct_asc_perf_t *perf, uct_perf_attr_t *attr)
{
    uct_ep_operation_t op = UCT_ATTR_VALUE(PERF, attr, operation, OPERATION, UCT_EP_OP_LAST);
    int is_short = (op == UCT_EP_OP_GET_SHORT) || (op == UCT_EP_OP_PUT_SHORT);
    int is_put = (op == UCT_EP_OP_PUT_SHORT) || (op == UCT_EP_OP_PUT_ZCOPY);
    double bandwidth = is_put ? perf->put_bandwidth : perf->get_bandwidth;

    if (attr->field_mask & UCT_PERF_ATTR_FIELD_SEND_PRE_OVERHEAD) {
        /* A short copy returns when the bytes are there. */
        attr->send_pre_overhead = perf->overhead + (is_short ? perf->latency : 0);
    }
    if (attr->field_mask & UCT_PERF_ATTR_FIELD_SEND_POST_OVERHEAD) {
        attr->send_post_overhead = 0;
    }
    if (attr->field_mask & UCT_PERF_ATTR_FIELD_RECV_OVERHEAD) {
        attr->recv_overhead = 0;
    }
    if (attr->field_mask & UCT_PERF_ATTR_FIELD_BANDWIDTH) {
        attr->bandwidth.dedicated = bandwidth;
        attr->bandwidth.shared = 0;
    }
    if (attr->field_mask & UCT_PERF_ATTR_FIELD_LATENCY) {
        attr->latency = ucs_linear_func_make(perf->latency, 0);
    }
    if (attr->field_mask & UCT_PERF_ATTR_FIELD_MAX_INFLIGHT_EPS) {
        attr->max_inflight_eps = SIZE_MAX;
    }
    uct_asc_perf_attr_more(attr, bandwidth);
    return UCS_OK;
}
