#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# P47, P48: what ASCEND_TOPO_LINKS says of links is what UCX is told, unless
# UCX_ASC_IPC_BW, _LAT and _OVERHEAD say otherwise, and decides each pair's way
# (t_links.c). The software NPU's links are as slow as is said.
. "$ASC_TOP_SRCDIR/tests/lib.sh"

# told "bandwidth MBps latency us overhead us" NAME=VALUE...
told() {
    local want=$1 got
    shift
    got=$(env "$@" "$ASC_TOP_BUILDDIR/tests/ucx_tl/t_link_cost") || t_fail "$*: t_link_cost gave $?"
    [ "$got" = "$want" ] || t_fail "$*: UCX is told '$got', not '$want'"
}
# The best link that device 0 has counts: UCX asks before it knows the peer.
export NPUSIM_DEVICES=3
told 'bandwidth 2000 latency 77.00 overhead 5.00' ASCEND_TOPO_LINKS=0-1=2097152K/77us,2-0=1G
told 'bandwidth 2000 latency 1.60 overhead 5.00' ASCEND_TOPO_LINKS=0-1=1G,2-0=2097152K
told 'bandwidth 123 latency 77.00 overhead 5.00' ASCEND_TOPO_LINKS=0-1=3G/77us,0-2=1G UCX_ASC_IPC_BW=123MBps
told 'bandwidth 2000 latency 55.00 overhead 5.00' ASCEND_TOPO_LINKS=0-1=2097152K/77us,0-2=1G UCX_ASC_IPC_LAT=55us
told 'bandwidth 2000 latency 77.00 overhead 9.00' ASCEND_TOPO_LINKS=0-1=2097152K/77us,0-2=1G UCX_ASC_IPC_OVERHEAD=9us

# pair A B WAY [masked]
pair() {
    "$ASC_TOP_BUILDDIR/tests/ucx_tl/t_links" "$@" >log 2>&1 ||
        { cat log >&2; t_fail "devices $1 and $2: t_links failed"; }
    [ ! -s log ] || { cat log >&2; t_fail "devices $1 and $2: something was printed"; }
}
pair 0 2 direct
export ASCEND_TOPO_LINKS=0-1=20G/3us,0-2=200M/1ms NPUSIM_LINK=0-2=200M/1ms
pair 0 1 direct
pair 0 2 host
pair 2 0 host
# A device that is not visible is refused by the driver too, which would be told.
pair 0 2 host masked
