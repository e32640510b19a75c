# SPDX-License-Identifier: BSD-3-Clause
# P22 and its kin: see t_staged.c. What goes wrong is mentioned once in each
# process that decides it, and never when the user asked for it.
. "$ASC_TOP_SRCDIR/tests/lib.sh"

program=$ASC_TOP_BUILDDIR/tests/ucx_tl/t_staged
log=$TMPDIR/log

# run MODE WARNINGS NAME=VALUE...
run() {
    local mode=$1 warnings=$2 found
    shift 2
    env "$@" "$program" "$mode" >"$log" 2>&1 || {
        cat "$log" >&2
        t_fail "$mode: t_staged failed"
    }
    found=$(grep -c 'ascend: warn' "$log")
    [ "$found" = "$warnings" ] || {
        cat "$log" >&2
        t_fail "$mode: $found warnings, not $warnings"
    }
}

run suballoc 1 NPUSIM_SUBALLOC=y
t_contains "$log" 'cannot be shared .* staged through host memory'
run export 1 'NPUSIM_FAULT=aclrtIpcMemGetExportKey:*=507899'
t_contains "$log" 'cannot be shared .*507899'
# P05: whatever code a driver has for "already there", it ends nobody.
for code in 507899 107000 100000 500000; do
    run import 1 "NPUSIM_FAULT=aclrtIpcMemImportByKey:*=$code"
    t_contains "$log" "refused.*$code.*staged through host memory"
done
run off 0 UCX_ASC_IPC_ENABLE=n
