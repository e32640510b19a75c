#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# P07: see t_close_late.c.
. "$ASC_TOP_SRCDIR/tests/lib.sh"

export NPUSIM_LINK=0-1=50M NPUSIM_VA_RECYCLE=y UCX_KEEPALIVE_INTERVAL=1s
for scheme in put get; do
    for how in flush force destroy; do
        UCX_RNDV_SCHEME=${scheme}_zcopy \
            "$ASC_TOP_BUILDDIR/tests/ucx_tl/t_close_late" "$scheme" "$how" >log 2>&1 ||
            { cat log >&2; t_fail "$scheme, $how: t_close_late failed with $?"; }
        [ ! -s log ] || { cat log >&2; t_fail "$scheme, $how: something was printed"; }
    done
done
