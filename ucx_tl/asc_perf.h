/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * What a copy costs, for UCX's choice among transports: from the link model of
 * topo/, unless the user knows better.
 */
#ifndef UCT_ASC_PERF_H
#define UCT_ASC_PERF_H

#include "asc_base.h"

#include <ucs/config/types.h>
#include <ucs/time/time_def.h>

/** Bytes per second and seconds. get: out of the far memory, put: into it. */
typedef struct uct_asc_perf {
    double get_bandwidth;
    double put_bandwidth;
    double latency;
    double overhead; /**< host time to submit one copy */
} uct_asc_perf_t;

/** The three values of a transport's configuration, each may be "auto". */
typedef struct uct_asc_perf_config {
    double bandwidth;
    ucs_time_t latency;
    ucs_time_t overhead;
} uct_asc_perf_config_t;

/** Between this process's NPU and another one of the node. */
void uct_asc_perf_peer(const uct_asc_perf_config_t *config, uct_asc_perf_t *perf);

/** Between this process's NPU and host memory. */
void uct_asc_perf_host(const uct_asc_perf_config_t *config, uct_asc_perf_t *perf);

/** Of a copy between host memory here and a peer's NPU that both processes take
 *  part in. Must not make UCX treat its other ways between host buffers anew. */
void uct_asc_perf_relay(uct_asc_perf_t *perf);

/** Attributes that UCX's first protocol generation chooses by. */
void uct_asc_perf_fill_iface_attr(const uct_asc_perf_t *perf, uct_iface_attr_t *attr);

/** Answers UCX's question about one operation: every field it asks for. */
ucs_status_t uct_asc_perf_estimate(const uct_asc_perf_t *perf, uct_perf_attr_t *attr);

#define UCT_ASC_PERF_CONFIG_FIELDS(_offset, _what) \
    {"BW", "auto", \
     "Bandwidth of " _what " as UCX is to assume it when it chooses transports,\n" \
     "for example 20GBps. auto: what the model of the node's links says.", \
     (_offset) + ucs_offsetof(uct_asc_perf_config_t, bandwidth), UCS_CONFIG_TYPE_BW}, \
\
        {"LAT", "auto", \
         "Time from the start of " _what " on the device to its first byte landed,\n" \
         "as UCX is to assume it. auto: what the model of the node's links says.", \
         (_offset) + ucs_offsetof(uct_asc_perf_config_t, latency), UCS_CONFIG_TYPE_TIME_UNITS}, \
\
    { \
        "OVERHEAD", "auto", \
            "Host time to submit " _what ", as UCX is to assume it.\n" \
            "auto: what the model of the node's links says.", \
            (_offset) + ucs_offsetof(uct_asc_perf_config_t, overhead), UCS_CONFIG_TYPE_TIME_UNITS \
    }

#endif
