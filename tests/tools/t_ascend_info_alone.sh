#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# ascend_info run alone tries a pair for real: it starts a second process of its
# own, and all four steps (export, import, copy, notify) work on npusim; --env lists
# the documented variables.
. "$ASC_TOP_SRCDIR/tests/lib.sh"
info=$ASC_TOP_BUILDDIR/tools/ascend_info
[ -x "$info" ] || t_skip "built without Open MPI or the UCX source"
export ASCEND_UCX_MODULE=$ASC_UCX_MODULE

"$info" > text.out 2> text.err || { cat text.out text.err; t_fail "exit status $?"; }
[ ! -s text.err ] || { cat text.err; t_fail "prints on standard error though all is well"; }
t_contains text.out "ACL library +/.*libascendcl.so"
t_contains text.out "0 reads 1 over HCCS: asc_ipc works"
t_contains text.out "1 reads 0 over HCCS: asc_ipc works"
t_contains text.out "asc_copy yes, asc_ipc yes"
t_contains text.out "UCX +1\.[0-9.]+ running, 1\."

"$info" --json > json.out || t_fail "--json: exit status $?"
t_contains json.out '^\{"usable":true,'
t_contains json.out '"importer":0,"owner":1,"link":"HCCS","usable":true'
if command -v python3 >/dev/null; then
    python3 -c 'import json,sys; d = json.load(open("json.out")); assert len(d["pairs"]) == 2' ||
        t_fail "not JSON"
fi

"$info" --env > env.out || t_fail "--env: exit status $?"
grep -o '^| `ASCEND_[A-Z_]*`' "$ASC_TOP_SRCDIR/docs/env.md" | tr -d '|` ' |
    grep -v RT_VISIBLE > documented || t_fail "docs/env.md has no variables"
cut -f1 env.out | sort | diff - <(sort documented) || t_fail "--env and docs/env.md differ"
