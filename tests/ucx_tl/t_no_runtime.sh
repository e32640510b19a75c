# SPDX-License-Identifier: BSD-3-Clause
# Protects: without a runtime the module is not there. UCX shows what it shows
# without us, says nothing, and the reason can be had at debug level. A library
# that the user named and that cannot be used is worth a warning that names it.
. "$ASC_TOP_SRCDIR/tests/lib.sh"
t_need_program ucx_info

log=$TMPDIR/log
lib=$ASCEND_ACL_LIBRARY
unset ASCEND_ACL_LIBRARY
LD_LIBRARY_PATH=$ASC_TOP_BUILDDIR/link/.libs
ldconfig -p 2>/dev/null | grep -q 'libascendcl\.so' && t_skip "this machine has a runtime"

preloaded() {
    LD_PRELOAD=$ASC_UCX_MODULE t_uninstrumented "$@"
}

t_uninstrumented ucx_info -d >"$log.without" 2>&1
preloaded ucx_info -d >"$log" 2>&1
# what is free of /dev/shm depends on who else is running
sed -i 's/\(allocate: <=\) [0-9]*K/\1/' "$log.without" "$log"
cmp "$log.without" "$log" || t_fail "ucx_info -d differs without a runtime"

t_uninstrumented ucx_info -w -u t >"$log.without" 2>&1
preloaded ucx_info -w -u t >"$log" 2>&1
# addresses, memory and times differ from run to run
strip() {
    sed 's/0x[0-9a-f]*//g; /create time/d; /# memory:/d; /UCP worker/d' "$1"
}
diff <(strip "$log.without") <(strip "$log") ||
    t_fail "ucx_info -w differs without a runtime"

preloaded env UCX_LOG_LEVEL=debug ucx_info -d >"$log" 2>&1
t_contains "$log" 'Ascend memory is not supported in this process: .*libascendcl\.so'

preloaded env ASCEND_ACL_LIBRARY=/nonexistent/libascendcl.so ucx_info -d >"$log" 2>&1
t_contains "$log" 'WARN.*/nonexistent/libascendcl\.so'
[ "$(grep -c WARN "$log")" = 1 ] || t_fail "warned more than once"

# A variable that is not understood is named, with its value.
preloaded env ASCEND_ACL_LIBRARY="$lib" ASCEND_IPC_CACHE=perhaps ucx_info -d >"$log" 2>&1
t_contains "$log" 'WARN.*ASCEND_IPC_CACHE.*perhaps'
t_lacks "$log" 'asc_copy'
