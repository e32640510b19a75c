#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# From a clone to a test report. The last line is "N passed, N failed, N skipped";
# the exit status is 0 if nothing failed.
#
# usage: contrib/check.sh [--sanitize LIST] [CONFIGURE-OPTION...]
#   --sanitize LIST   of asan, ubsan, tsan, separated by commas: build and test
#                     in build-LIST/ instead, with these sanitizers
set -euo pipefail

cd "$(dirname "$0")/.."
top=$PWD
tree=$top
sanitize=
options=()
if [ "${1:-}" = --sanitize ]; then
    [ $# -ge 2 ] || { echo "check: --sanitize needs a list, e.g. asan,ubsan" >&2; exit 2; }
    sanitize=$2
    shift 2
    case ,$sanitize, in
    *,,*) echo "check: --sanitize: '$sanitize' has an empty name" >&2; exit 2 ;;
    esac
    for s in ${sanitize//,/ }; do
        case $s in
        asan | ubsan) options+=("--enable-$s") ;;
        # Open MPI's own threads are not instrumented: each of its jobs would be
        # full of reports about them, and its patched munmap() ends in a crash.
        tsan) options+=(--enable-tsan --without-ompi) ;;
        *) echo "check: --sanitize: unknown sanitizer '$s', known are asan, ubsan, tsan" >&2; exit 2 ;;
        esac
    done
fi

counted=no
report() {
    # Whatever stops this script is a failure that the closing line must show.
    [ "$counted" = yes ] || echo "0 passed, 1 failed"
}
trap report EXIT

if [ -z "$sanitize" ]; then
    contrib/build.sh "$@"
else
    # Out of tree, from a copy of what a release holds: automake refuses a
    # second build of a source tree that is configured itself.
    contrib/build.sh
    tree=$top/build-${sanitize//,/-}
    mkdir -p "$tree"
    make -s distdir distdir="build-${sanitize//,/-}/src"
    cd "$tree"
    [ -f Makefile ] || src/configure --with-ucx-src="$top/ucx-src" \
        "${options[@]}" "$@"
    make -j"$(nproc)"
fi

log=$tree/check.out
status=0
make -j"$(nproc)" -k check 2>&1 | tee "$log" || status=$?

count() {
    sed -n "s/^# $1: *\([0-9]*\)\$/\1/p" "$log" | awk '{ n += $1 } END { print n + 0 }'
}
passed=$(($(count PASS) + $(count XFAIL)))
failed=$(($(count FAIL) + $(count ERROR) + $(count XPASS)))
skipped=$(count SKIP)
# Not a test that failed but, for instance, one that did not compile.
[ "$status" = 0 ] || [ "$failed" -gt 0 ] || failed=1
if [ "$failed" -gt 0 ] && [ -f "$tree/tests/test-suite.log" ]; then
    cat "$tree/tests/test-suite.log"
fi
counted=yes
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
