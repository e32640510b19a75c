# SPDX-License-Identifier: BSD-3-Clause
# Protects: under libascend_preload.so UCX takes all memory for host memory, at no
# cost, until somebody uses the runtime; what is allocated then is recognised by
# contexts, workers and endpoints that exist already.
. "$ASC_TOP_SRCDIR/tests/lib.sh"

for program in t_device_later t_memtype_cache; do
    t_preload "$ASC_TOP_BUILDDIR/link/.libs/libascend_preload.so" \
        "$ASC_TOP_BUILDDIR/tests/ucx_tl/$program" >"$TMPDIR/log" 2>&1 ||
        t_fail "$program: $(cat "$TMPDIR/log")"
done
