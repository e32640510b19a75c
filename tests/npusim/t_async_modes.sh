#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What depends on order and time holds however tasks are carried out: eagerly,
# as late as possible, or in a seeded random order.
. "$ASC_TOP_SRCDIR/tests/lib.sh"
cd "$ASC_TOP_BUILDDIR/tests/npusim" || t_fail "no build tree"
for mode in eager lazy random:1 random:2; do
    export NPUSIM_ASYNC=${mode%%:*} NPUSIM_SEED=0
    case $mode in *:*) NPUSIM_SEED=${mode#*:} ;; esac
    for t in copy_kinds streams events notify_bit contexts ipc_memory ipc_notify exporter_ends \
        progress peer reduce; do
        ./t_$t || t_fail "t_$t, NPUSIM_ASYNC=$NPUSIM_ASYNC NPUSIM_SEED=$NPUSIM_SEED"
    done
done
