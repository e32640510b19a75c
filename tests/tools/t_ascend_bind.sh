#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Protects: ascend_bind places each local rank near its own NPU on the two-socket
# machine, wraps around when there are more ranks than NPUs, honours the mask of visible
# devices, says why where it cannot know, and in every case runs the program.
. "$ASC_TOP_SRCDIR/tests/lib.sh"
top=$ASC_TOP_BUILDDIR
bind=$top/tools/ascend_bind
[ -r "$ASCEND_ACL_LIBRARY" ] || t_skip "the software NPU is not built"
unset ASCEND_RT_VISIBLE_DEVICES SLURM_LOCALID MPI_LOCALRANKID OMPI_COMM_WORLD_LOCAL_RANK
ASCEND_TOPO_XML=$top/topo/machines/a2-8npu.xml
NPUSIM_DEVICES=8
NPUSIM_PCI=0000:c1:00.0,0000:c2:00.0,0000:81:00.0,0000:82:00.0,0000:01:00.0,0000:02:00.0,0000:41:00.0,0000:42:00.0
export ASCEND_TOPO_XML NPUSIM_DEVICES NPUSIM_PCI
failed=0

expect() # local rank, pattern
{
    got=$(OMPI_COMM_WORLD_LOCAL_RANK=$1 "$bind" --print 2>&1)
    # shellcheck disable=SC2254 # a pattern is wanted
    case $got in
    $2) ;;
    *) echo "local rank $1: expected '$2', got '$got'"; failed=1 ;;
    esac
}

expect 0 'rank 0 device 0 pci 0000:c1:00.0 node 6 cpus 144-167'
expect 3 'rank 3 device 3 pci 0000:82:00.0 node 4 cpus 96-119'
expect 4 'rank 4 device 4 pci 0000:01:00.0 node 0 cpus 0-23'
expect 7 'rank 7 device 7 pci 0000:42:00.0 node 2 cpus 48-71'
expect 14 'rank 14 device 6 pci 0000:41:00.0 node 2 cpus 48-71'
expect '' '*unbound: *OMPI_COMM_WORLD_LOCAL_RANK*'
expect 'x1' '*unbound: *OMPI_COMM_WORLD_LOCAL_RANK*'

NPUSIM_PCI=0000:aa:00.0
expect 0 'rank 0 device 0 pci 0000:aa:00.0 node -1 unbound: *0000:aa:00.0*'
unset NPUSIM_PCI
expect 1 'rank 1 device 1 pci 0000:02:00.0 node 0 cpus 0-23 guessed: *'
ASCEND_RT_VISIBLE_DEVICES=6,5
export ASCEND_RT_VISIBLE_DEVICES
expect 1 'rank 1 device 1 pci 0000:82:00.0 node 4 cpus 96-119 guessed: *'
expect 2 'rank 2 device 0 pci 0000:c1:00.0 node 6 cpus 144-167 guessed: *'
unset ASCEND_RT_VISIBLE_DEVICES
(ASCEND_ACL_LIBRARY=/no/such.so; expect 0 'rank 0 unbound: */no/such.so*'; exit $failed) || failed=1

# The program runs, silently, with its arguments and status, bound or not.
got=$(OMPI_COMM_WORLD_LOCAL_RANK=0 "$bind" sh -c 'echo "$0 $1"; exit 9' 'a b' c 2>&1)
[ $? -eq 9 ] && [ "$got" = 'a b c' ] || { echo "the program: '$got'"; failed=1; }
got=$(OMPI_COMM_WORLD_LOCAL_RANK=0 ASCEND_LOG_LEVEL=info "$bind" true 2>&1)
case $got in
*'runs unbound: '*a2-8npu.xml*) ;;
*) echo "not told at level info: '$got'"; failed=1 ;;
esac
# What can be put right is told, once a node.
told() # setting, pattern
{
    got=$(env OMPI_COMM_WORLD_LOCAL_RANK=0 "$1" "$bind" true 2>&1)
    # shellcheck disable=SC2254 # a pattern is wanted
    case $got in
    *'runs unbound: '$2) ;;
    *) echo "$1: expected '$2', got '$got'"; failed=1 ;;
    esac
}
told OMPI_COMM_WORLD_LOCAL_RANK=abc "*OMPI_COMM_WORLD_LOCAL_RANK is 'abc'*"
told ASCEND_TOPO_XML=/etc/passwd '*ASCEND_TOPO_XML names*'
told ASCEND_ACL_LIBRARY=/etc/passwd '*/etc/passwd*'
told NPUSIM_DEVICES=x '*'
got=$(OMPI_COMM_WORLD_LOCAL_RANK=1 ASCEND_TOPO_XML=/etc/passwd "$bind" true 2>&1)
[ -z "$got" ] || { echo "told by every rank: '$got'"; failed=1; }
"$bind" /no/such/program 2>/dev/null
[ $? -eq 127 ] || { echo "a missing program does not give 127"; failed=1; }
for args in '' '--prnt' '--print x'; do
    # shellcheck disable=SC2086 # words are wanted
    "$bind" $args >/dev/null 2>&1
    [ $? -eq 2 ] || { echo "'$args' does not give 2"; failed=1; }
done
exit $failed
