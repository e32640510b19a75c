#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Under a limit on address space (ulimit -v) windows shrink; programs work.
. "$ASC_TOP_SRCDIR/tests/lib.sh"
[ -z "${ASC_SANITIZE:-}" ] || t_skip "sanitizers need the address space"
for kib in 4000000 1500000; do
    (ulimit -v $kib && exec "$ASC_TOP_BUILDDIR/tests/npusim/t_malloc") || t_fail "ulimit -v $kib"
    (ulimit -v $kib && exec "$ASC_TOP_BUILDDIR/tests/npusim/t_ipc_memory") ||
        t_fail "ulimit -v $kib, two processes"
done
