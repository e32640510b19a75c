#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# docs/npusim.md describes every variable and every counter that exists, and
# no other variable.
. "$ASC_TOP_SRCDIR/tests/lib.sh"
doc=$ASC_TOP_SRCDIR/docs/npusim.md
sed -n 's/^    {"\(NPUSIM_[A-Z_]*\)".*/\1/p' "$ASC_TOP_SRCDIR/npusim/knobs.c" | sort >"$TMPDIR/code"
sed -n 's/^| `\(NPUSIM_[A-Z_]*\)` .*/\1/p' "$doc" | sort >"$TMPDIR/doc"
[ -s "$TMPDIR/code" ] || t_fail "no variables found in knobs.c"
diff "$TMPDIR/code" "$TMPDIR/doc" || t_fail "variables (<: code, >: documentation)"
sed -n 's/^    _c([A-Z0-9_]*, "\([a-z0-9._]*\)").*/\1/p' "$ASC_TOP_SRCDIR/npusim/counters.h" \
    >"$TMPDIR/counters"
[ "$(wc -l <"$TMPDIR/counters")" = "$(grep -o '_c([A-Z]' "$ASC_TOP_SRCDIR/npusim/counters.h" | wc -l)" ] ||
    t_fail "the list in counters.h is not one counter a line"
while read -r name; do
    grep -q "${name##*.}" "$doc" || t_fail "counter $name is not described"
done <"$TMPDIR/counters"
