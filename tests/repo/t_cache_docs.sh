# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# P16: users can read what the caches keep, how they are limited and switched off,
# and how to see what they do: docs/ucx.md names every variable of the caches and
# every counter of exports, imports and frees, and no other.
. "$ASC_TOP_SRCDIR/tests/lib.sh"
cd "$ASC_TOP_SRCDIR" || t_fail "no source tree"
section=$TMPDIR/section
sed -n '/^## The caches/,/^## [^T]/p' docs/ucx.md >"$section"
[ -s "$section" ] || t_fail "docs/ucx.md has no section on the caches"

for name in $(grep -oE '"ASCEND_IPC_CACHE[A-Z_]*"' link/env.c | tr -d '"') ASCEND_TRUST_FREES ASCEND_STATS; do
    grep -q "\`$name" "$section" || t_fail "docs/ucx.md does not explain $name"
done
grep -oE 'X\([a-z_0-9]+,' link/counters.h | sed 's/X(\(.*\),/\1/' | sort >"$TMPDIR/counters"
[ "$(wc -l <"$TMPDIR/counters")" -gt 20 ] || t_fail "no counters found in link/counters.h"
for name in $(grep -E '^(export|import|free)_' "$TMPDIR/counters"); do
    grep -q "\`$name\`" "$section" || t_fail "docs/ucx.md does not explain the counter $name"
done
for name in $(grep -oE '\`(export|import|free)_[a-z]+\`' "$section" | tr -d '\`' | sort -u); do
    grep -qx "$name" "$TMPDIR/counters" || t_fail "docs/ucx.md explains $name, which is no counter"
done
exit 0
