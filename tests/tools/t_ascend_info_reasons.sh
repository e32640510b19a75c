#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# For each thing that keeps device memory from being used, ascend_info exits
# with 1 and prints the reason and a remedy. P43: all reasons that the program
# knows are brought about, here or in t_ascend_info_mpi.sh. P41: UCX_TLS lists a
# device transport without its partner.
. "$ASC_TOP_SRCDIR/tests/lib.sh"
info=$ASC_TOP_BUILDDIR/tools/ascend_info
[ -x "$info" ] || t_skip "built without Open MPI or the UCX source"
export ASCEND_UCX_MODULE=$ASC_UCX_MODULE

# expect_reason PATTERN [NAME=VALUE]...
expect_reason() {
    local pattern=$1 status=0
    shift
    env "$@" "$info" > reason.out 2> reason.err || status=$?
    [ "$status" = 1 ] || { cat reason.out reason.err; t_fail "$*: exit status $status, not 1"; }
    t_contains reason.out "$pattern"
    t_contains reason.out "remedy: .+"
}

expect_reason "problem \[acl-library\].*no-such-library.so" ASCEND_ACL_LIBRARY=/no-such-library.so
expect_reason "problem \[ucx-tls\].*does not name asc_copy" UCX_TLS=posix,self,asc_ipc
expect_reason "problem \[ucx-tls\].*does not name asc_ipc" UCX_TLS=posix,self,asc_copy
expect_reason "problem \[uct-module\].*no-such-module.so" ASCEND_UCX_MODULE=/no-such-module.so
expect_reason "not usable, export:" NPUSIM_FAULT='aclrtIpcMemGetExportKey:*=507899'
expect_reason "not usable, import:" NPUSIM_FAULT='aclrtIpcMemImportByKey:*=507899'
expect_reason "not usable, notify:" NPUSIM_FAULT='aclrtCreateNotify:*=207009'
expect_reason "problem \[set-device\]" NPUSIM_FAULT='aclrtSetDevice:*=507033'
expect_reason "problem \[link\].*ASCEND_WHITELIST.*maybe" ASCEND_WHITELIST=maybe

expect_reason "problem \[acl-init\].*aclInit" NPUSIM_FAULT='aclInit:*=500000'
expect_reason "problem \[no-device\]" NPUSIM_DEVICES=0
expect_reason "not usable, peer: .*" ASCEND_IPC=n

# What no setting brings about (fake_reasons.c).
expect_fake() {
    local pattern=$1 status=0
    FAKE=$2 t_preload "$ASC_TOP_BUILDDIR/tests/tools/.libs/libfake_reasons.so" "$info" \
        > reason.out 2> reason.err || status=$?
    [ "$status" = 1 ] || { cat reason.out reason.err; t_fail "FAKE=$2: exit status $status, not 1"; }
    t_contains reason.out "$pattern"
    t_contains reason.out "remedy: .+"
}
expect_fake "problem \[ucx-version\].*UCX 1.* is running, the module was built for 1" versions
expect_fake "not usable, copy:" copy
expect_fake "not usable, data: the copied bytes differ" data
# A second process that ends leaves nothing to tell but that.
status=0
FAKE=lost t_preload "$ASC_TOP_BUILDDIR/tests/tools/.libs/libfake_reasons.so" "$info" > reason.out 2> reason.err ||
    status=$?
[ "$status" = 1 ] || { cat reason.out reason.err; t_fail "FAKE=lost: exit status $status, not 1"; }
t_contains reason.err "the other process ended early"

# No reason that the program has is left out.
for id in $(grep -ohE 'info_problem_add\(info, "[a-z-]+"' "$ASC_TOP_SRCDIR"/tools/*.c | cut -d'"' -f2 | sort -u); do
    grep -qF "[$id\\]" "$ASC_TOP_SRCDIR"/tests/tools/t_ascend_info_*.sh || t_fail "nothing brings problem '$id' about"
done
for step in $(sed -n '/const names\[\] = {/,/};/p' "$ASC_TOP_SRCDIR/tools/info_pair.c" | grep -oE '"[a-z]+"' | tr -d '"'); do
    case $step in ok | lost) continue ;; esac
    grep -qE "not usable, $step" "$ASC_TOP_SRCDIR"/tests/tools/t_ascend_info_*.sh || t_fail "no pair is refused by step '$step'"
done

# Both processes of a lone run have the same problems: said once, all the same in
# JSON, where every rank and pair is complete.
lone=(env -u ASCEND_ACL_LIBRARY LD_LIBRARY_PATH= "$info")
if "${lone[@]}" | grep -q 'problem \[acl-library\]'; then
    "${lone[@]}" > none.out 2> none.err
    [ "$(wc -l < none.out)" -le 16 ] || { cat none.out; t_fail "more than 16 lines"; }
    for once in 'no Ascend runtime' 'ascendrun --sim' '1 reads 0' 'asc_ipc not usable'; do
        [ "$(grep -o -- "$once" none.out | wc -l)" = 1 ] || { cat none.out; t_fail "'$once': not once"; }
    done
    t_contains none.out "^ranks 0-1: "
    [ ! -s none.err ] || { cat none.err; t_fail "prints on standard error"; }
    "${lone[@]}" --json > none.json
    for twice in '"id":"acl-library"' '"rank":' '"step":"skipped"' '"allocations_seen_how":'; do
        [ "$(grep -o -- "$twice" none.json | wc -l)" = 2 ] || { cat none.json; t_fail "$twice: not twice"; }
    done
fi

status=0
"$info" --jsno > reason.out 2> reason.err || status=$?
[ "$status" = 2 ] || t_fail "unknown argument: exit status $status, not 2"
t_contains reason.err "'--jsno'"
