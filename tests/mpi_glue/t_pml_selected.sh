#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# P42: with plain mpirun, where the distribution's file says pml=^ucx, device
# buffers go through pml/ucx and nothing is printed. A pml that the user chose is
# kept, the results are right all the same, and one message names the flags.
. "$ASC_TOP_SRCDIR/tests/lib.sh"

out=$TMPDIR/out
prog=$ASC_TOP_BUILDDIR/tests/mpi_glue/t_p2p

run() {
    t_mpirun 2 "$@" >"$out" 2>&1 || { cat "$out"; t_fail "mpirun -n 2 $* gave $?"; }
}

run "$prog"
[ ! -s "$out" ] || { cat "$out"; t_fail "a healthy run printed something"; }
run --mca hook_ascend_verbose 1 "$prog"
t_contains "$out" 'pml/ucx, device buffers by UCX'

run --mca pml ob1 "$prog"
t_contains "$out" '--mca pml ucx --mca pml_ucx_tls any --mca pml_ucx_devices any'
[ "$(grep -c 'go through pml/ob1' "$out")" = 1 ] || t_fail "the message came more than once"
run --mca pml ob1 --mca hook_ascend_warn_pml 0 "$prog"
[ ! -s "$out" ] || { cat "$out"; t_fail "a silenced run printed something"; }

run --mca hook_ascend_select_pml 0 --mca hook_ascend_verbose 1 "$prog"
t_contains "$out" 'device buffers staged'

# A choice in the user's own file counts as much as one on the command line.
mkdir -p "$TMPDIR/home/.openmpi"
echo 'pml = ob1' >"$TMPDIR/home/.openmpi/mca-params.conf"
HOME=$TMPDIR/home run --mca hook_ascend_verbose 1 "$prog"
t_contains "$out" 'pml/ob1, device buffers staged'
