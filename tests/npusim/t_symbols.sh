#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The library exports the ABI and its own counters, nothing else; it never
# reaches its own functions through relocations, which others patch; it maps
# memory without mmap(); every function of the ABI header is there.
. "$ASC_TOP_SRCDIR/tests/lib.sh"
t_need_program nm readelf
lib=$ASCEND_ACL_LIBRARY
[ "$(readelf -d "$lib" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')" = libascendcl.so ] ||
    t_fail "soname of $lib"
extra=$(nm -D --defined-only "$lib" | awk '{print $3}' | grep -Ev '^(acl|npusim_)' || true)
[ -z "$extra" ] || t_fail "exports $extra"
own=$(readelf -rW "$lib" | awk '{print $5}' | grep -E '^(acl|npusim_)' || true)
[ -z "$own" ] || t_fail "relocations against $own"
maps=$(nm -D --undefined-only "$lib" | awk '{print $2}' | sed 's/@.*//' |
    grep -Ex 'mmap|mmap64|munmap|madvise|mremap|brk|sbrk' || true)
[ -n "${ASC_SANITIZE:-}" ] || [ -z "$maps" ] || t_fail "uses $maps"
nm -D --defined-only "$lib" | awk '{print $3}' | sort >"$TMPDIR/exported"
grep -oE '\bacl[A-Za-z0-9]+\(' "$ASC_TOP_SRCDIR/acl/ascend_abi_calls.h" | tr -d '(' | sort -u |
    while read -r fn; do
        grep -qx "$fn" "$TMPDIR/exported" || echo "$fn"
    done >"$TMPDIR/missing"
[ ! -s "$TMPDIR/missing" ] || t_fail "does not export $(tr '\n' ' ' <"$TMPDIR/missing")"
