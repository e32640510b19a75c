#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# ascend_info under mpirun: every pair of a job works when the components are
# found; when Open MPI does not find them or chooses another pml (pain P42), it
# names what is missing and the exact flags.
. "$ASC_TOP_SRCDIR/tests/lib.sh"
info=$ASC_TOP_BUILDDIR/tools/ascend_info
[ -x "$info" ] || t_skip "built without Open MPI or the UCX source"
export ASCEND_UCX_MODULE=$ASC_UCX_MODULE

t_mpirun 3 "$info" > all.out 2> all.err || { cat all.out all.err; t_fail "exit status $?"; }
[ "$(grep -c 'asc_ipc works' all.out)" = 6 ] || { cat all.out; t_fail "not all of 6 directions"; }
t_contains all.out "pml ucx"
t_contains all.out "keys travel by +pmix"
t_contains all.out "hook yes, coll yes, UCX module yes"

status=0
t_mpirun 2 --mca pml ob1 "$info" > pml.out 2>&1 || status=$?
[ "$status" != 0 ] || t_fail "pml ob1: exit status 0"
t_contains pml.out "problem \[pml\], ranks 0-1: Open MPI uses pml/ob1"
t_contains pml.out "remedy: --mca pml ucx --mca pml_ucx_tls any --mca pml_ucx_devices any"
[ "$(grep -c 'Open MPI uses pml/ob1' pml.out)" = 1 ] || { cat pml.out; t_fail "not said once"; }

# What only some ranks have is told of them alone.
status=0
NPUSIM_FAULT='aclrtSetDevice:*=507033@1' t_mpirun 3 "$info" > one.out 2>&1 || status=$?
[ "$status" != 0 ] || t_fail "a rank without a device: exit status 0"
t_contains one.out "problem \[set-device\], rank 1: device 1 cannot be set"
t_contains one.out "0 reads 1, 1 reads 0, 1 reads 2, 2 reads 1: asc_ipc not usable, skipped"
t_contains one.out "2 reads 0 over HCCS: asc_ipc works"

status=0
OMPI_MCA_mca_base_component_path=$ASC_OMPI_COMPONENT_DIR t_mpirun 2 "$info" > path.out 2>&1 ||
    status=$?
[ "$status" != 0 ] || t_fail "no component path: exit status 0"
t_contains path.out "problem \[hook-component\]"
t_contains path.out "remedy: start with ascendrun"

# P43: Open MPI lacks our collectives, or is another than was built for, or a rank
# is gone in the middle.
status=0
t_mpirun 2 --mca coll ^ascend "$info" > coll.out 2>&1 || status=$?
[ "$status" != 0 ] || t_fail "no coll component: exit status 0"
t_contains coll.out "problem \[coll-component\], ranks 0-1: mca_coll_ascend.so is not loaded"
status=0
FAKE=versions t_preload "$ASC_TOP_BUILDDIR/tests/tools/.libs/libfake_reasons.so" mpirun -n 2 "$info" > version.out 2>&1 ||
    status=$?
[ "$status" != 0 ] || t_fail "another Open MPI: exit status 0"
t_contains version.out "problem \[ompi-version\], ranks 0-1: Open MPI 9.8.7 is running"
