#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# P75: the distribution's tools, which open and close every component, find ours
# and end as well as without them, with a runtime and without one.
. "$ASC_TOP_SRCDIR/tests/lib.sh"
t_need_program ompi_info ucx_info
[ -n "${ASC_OMPI_COMPONENT_DIR:-}" ] || t_skip "built without Open MPI"

# tool CMD...: must end with 0 and say nothing on standard error
tool() {
    t_uninstrumented "$@" >log 2>err || { cat log err >&2; t_fail "$*: gave $?"; }
    [ ! -s err ] || { cat err >&2; t_fail "$*: printed on standard error"; }
}

for library in "$ASCEND_ACL_LIBRARY" ""; do
    export ASCEND_ACL_LIBRARY=$library
    tool ompi_info --all
    t_contains log 'MCA coll: +ascend'
    t_contains log 'MCA hook: +ascend'
    LD_PRELOAD=$ASC_UCX_MODULE tool ucx_info -d
    [ -z "$library" ] || t_contains log 'Transport: +asc_ipc'
    LD_PRELOAD=$ASC_UCX_MODULE tool ucx_info -c
done
