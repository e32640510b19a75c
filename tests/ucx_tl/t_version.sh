# SPDX-License-Identifier: BSD-3-Clause
# Protects: the module refuses, in one line that names both versions, a UCX that
# it was not built for, and registers nothing there; UCX itself goes on.
. "$ASC_TOP_SRCDIR/tests/lib.sh"

program=$ASC_TOP_BUILDDIR/tests/ucx_tl/t_components
log=$TMPDIR/log

"$program" >"$log" 2>&1 || t_fail "t_components: $(cat "$log")"
t_contains "$log" '^component ascend_copy'
t_contains "$log" '^component ascend_ipc'
t_lacks "$log" 'WARN'

cp "$ASC_TOP_BUILDDIR/tests/ucx_tl/.libs/libfake_ucp.so" "$TMPDIR/libucp.so.0" ||
    t_fail "the stand-in for libucp was not built"
LD_LIBRARY_PATH=$TMPDIR:$LD_LIBRARY_PATH "$program" >"$log" 2>&1 ||
    t_fail "t_components under another UCX: $(cat "$log")"
t_contains "$log" 'WARN.*built for UCX [0-9.]+, this is UCX 1\.99\.7'
t_contains "$log" '^component self'
t_lacks "$log" '^component ascend'
[ "$(grep -c WARN "$log")" = 1 ] || t_fail "warned more than once"
