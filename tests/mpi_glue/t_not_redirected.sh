#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Where no call can be redirected (here: no UCX to do it) one rank says so once,
# when device memory is met, and names the functions; messages work as ever.
. "$ASC_TOP_SRCDIR/tests/lib.sh"

out=$TMPDIR/out
program=$ASC_TOP_BUILDDIR/tests/mpi_glue

# A library that the loader finds first and cannot load.
mkdir "$TMPDIR/broken"
: >"$TMPDIR/broken/libucp.so.0"
export LD_LIBRARY_PATH=$TMPDIR/broken:$LD_LIBRARY_PATH

run() {
    t_mpirun 2 --mca pml ob1 --mca mca_base_component_show_load_errors 0 "$@" >"$out" 2>&1 ||
        { cat "$out"; t_fail "mpirun -n 2 $* gave $?"; }
}

run "$program/t_p2p_halo"
n=$(grep -c 'not get in front of them here' "$out")
[ "$n" -eq 1 ] || { cat "$out"; t_fail "it was said $n times"; }
t_contains "$out" 'MPI_Sendrecv_replace, MPI_Pack, MPI_Unpack, one-sided'

run "$program/t_host_only"
t_lacks "$out" 'get in front of them'
