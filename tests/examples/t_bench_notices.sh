#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# -c notices one wrong byte: a library between the benchmark and MPI damages the
# last byte of one message or result, and the run must name it and end with 1.
# shellcheck source=tests/lib.sh
. "$ASC_TOP_SRCDIR/tests/lib.sh"
# shellcheck source=tests/examples/bench_lib.sh
. "$ASC_TOP_SRCDIR/tests/examples/bench_lib.sh"

damage=$ASC_TOP_BUILDDIR/tests/examples/.libs/libt_damage.so
case " ${ASC_SANITIZE:-} " in
*" asan "*) damage=$ASC_ASAN_LIB:$damage ;;
esac

# notices PATTERN PROGRAM ARGUMENT...
notices() {
    local pattern=$1 rc
    shift
    t_mpirun 2 "$@" >"$out" 2>&1 || { cat "$out"; t_fail "'$*' fails without damage"; }
    t_mpirun 2 -x LD_PRELOAD="$damage" "$@" >"$out" 2>&1
    rc=$?
    [ "$rc" -eq 1 ] || { cat "$out"; t_fail "'$*' ended with $rc, not 1"; }
    t_contains "$out" "$pattern"
    t_contains "$out" ': 1 results were wrong$'
}

notices 'lat, message [0-9]+ of 4099 B: byte 4098 is' "$p2p" -t lat -b H H -m 4099:4099 -w 1 -i 4 -c
notices 'bw, message [0-9]+ of 4099 B: byte 4098 is' "$p2p" -t bw -b H H -m 4099:4099 -w 1 -i 4 -c
notices 'bibw, message [0-9]+ of 4099 B: byte 4098 is' "$p2p" -t bibw -b H H -m 4099:4099 -w 1 -i 4 -c
notices 'message [0-9]+ of 4096 B: byte 4095 is' "$coll" -o allreduce -d host -m 4K:4K -i 8 -c
notices 'message [0-9]+ of 4096 B: byte 4095 is' "$coll" -o bcast -d host -m 4K:4K -i 8 -c
