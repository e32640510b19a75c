# SPDX-License-Identifier: BSD-3-Clause
# Protects: beside a component of AMD's that has devices the module withdraws
# with one warning that names it, because both would use one memory type; one
# without devices does not disturb.
. "$ASC_TOP_SRCDIR/tests/lib.sh"

program=$ASC_TOP_BUILDDIR/tests/ucx_tl/t_components
log=$TMPDIR/log

"$program" rocm 1 >"$log" 2>&1 || t_fail "t_components: $(cat "$log")"
t_contains "$log" '^component rocm_cpy'
t_lacks "$log" '^component ascend'
t_contains "$log" 'WARN.*rocm_cpy'
[ "$(grep -c WARN "$log")" = 1 ] || t_fail "warned more than once"

"$program" rocm 0 >"$log" 2>&1 || t_fail "t_components: $(cat "$log")"
t_contains "$log" '^component ascend_copy'
t_lacks "$log" 'WARN'
