# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# Protects: a path with a blank, in which libtool cannot link, is refused by
# configure at once and not by the first library, many minutes later.
. "$ASC_TOP_SRCDIR/tests/lib.sh"
mkdir "$TMPDIR/my clones" && cd "$TMPDIR/my clones" || t_fail "no directory"
if "$ASC_TOP_SRCDIR/configure" >"$TMPDIR/out" 2>&1; then
    t_fail "configure went through"
fi
t_contains "$TMPDIR/out" "blanks: '.*/my clones'"
