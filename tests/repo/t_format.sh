# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# Protects: one look for all C code, so that a change shows only what it changes.
# "make format" is the remedy.
. "$ASC_TOP_SRCDIR/tests/lib.sh"
t_need_program clang-format-14
cd "$ASC_TOP_SRCDIR" || t_fail "no source tree"

mapfile -t files < <(find acl topo link npusim ucx_tl mpi_glue plan tools bench examples tests \
    -name '*.[ch]' | sort)
[ ${#files[@]} -gt 50 ] || t_fail "only ${#files[@]} files found"
clang-format-14 --dry-run "${files[@]}" 2>&1 | grep -E '^[^ ]+:[0-9]+:[0-9]+: (warning|error)' |
    cut -d: -f1 | sort | uniq -c >"$TMPDIR/differ"
[ ! -s "$TMPDIR/differ" ] || {
    cat "$TMPDIR/differ"
    t_fail "the files above are not formatted (first column: places): make format"
}
