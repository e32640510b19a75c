#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# P03, P08, P13: see t_cache.c. No mode has anything to say on standard error.
. "$ASC_TOP_SRCDIR/tests/lib.sh"

# run MODE NAME=VALUE...
run() {
    local mode=$1
    shift
    env ASCEND_STATS=stats.%p "$@" "$ASC_TOP_BUILDDIR/tests/ucx_tl/t_cache" "$mode" >log 2>&1 ||
        { cat log >&2; t_fail "$mode: t_cache failed"; }
    [ ! -s log ] || { cat log >&2; t_fail "$mode: a healthy run printed something"; }
    # what the documents tell users to look at
    [ "$(cat stats.* | grep -cE '^import_new +[1-9]')" = 1 ] ||
        { cat stats.* >&2; t_fail "$mode: not one process imported, by ASCEND_STATS"; }
    rm stats.*
}

run on ASCEND_IPC_CACHE=y
run few ASCEND_IPC_CACHE_MAX_REGIONS=16
run off ASCEND_IPC_CACHE=n
