# SPDX-License-Identifier: BSD-3-Clause
# Protects: the module turns UCX's memory type cache off, in which a miss means
# host memory, but not against the user, who is told once, at info level, what
# the cache cannot know. Allocations that the hooks see work in either case.
. "$ASC_TOP_SRCDIR/tests/lib.sh"

program=$ASC_TOP_BUILDDIR/tests/ucx_tl/t_memtype_cache
log=$TMPDIR/log

run() {
    env UCX_LOG_LEVEL=info "$@" "$program" >"$log" 2>&1 || t_fail "$*: $(cat "$log")"
}

run A=b
t_contains "$log" '^cache off'
t_lacks "$log" 'UCX_MEMTYPE_CACHE'
run UCX_MEMTYPE_CACHE=n
t_contains "$log" '^cache off'
run UCX_MEMTYPE_CACHE=y
t_contains "$log" '^cache on'
[ "$(grep -c 'UCX_MEMTYPE_CACHE=y: device memory allocated before' "$log")" = 1 ] ||
    t_fail "not told once: $(cat "$log")"
