#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The benchmarks name the argument that is wrong, once for all ranks, and end;
# host buffers need no ACL library, NPU buffers without one are refused.
# shellcheck source=tests/lib.sh
. "$ASC_TOP_SRCDIR/tests/lib.sh"
# shellcheck source=tests/examples/bench_lib.sh
. "$ASC_TOP_SRCDIR/tests/examples/bench_lib.sh"

bench_refuses "-t 'bandwidth': expected one of lat bw bibw" 2 "$p2p" -t bandwidth
bench_refuses "-b 'D X': expected D \(NPU memory\) or H" 1 "$p2p" -b D X
bench_refuses "-b 'DDD': expected" 1 "$p2p" -b DDD
bench_refuses "-b 'D': expected" 1 "$p2p" -b D -c
bench_refuses "-m '4M': expected MIN:MAX" 1 "$p2p" -b HH -m 4M
bench_refuses "-m '8:4': expected MIN:MAX" 1 "$p2p" -b HH -m 8:4
bench_refuses "-m '1:4T': expected" 1 "$p2p" -b HH -m 1:4T
bench_refuses "-m '1:2G': expected .* at most 2147483647" 1 "$p2p" -b HH -m 1:2G
bench_refuses "-m '-1:4': expected" 1 "$p2p" -b HH -m -1:4
bench_refuses "-m 0: a bandwidth needs at least 1 byte" 2 "$p2p" -b HH -t bw -m 0:4
bench_refuses "-i '0': expected a whole number from 1" 1 "$p2p" -i 0
bench_refuses "-W 'x': expected a whole number" 1 "$p2p" -W x
bench_refuses "-W: its value is missing" 1 "$p2p" -W
bench_refuses "unknown argument '-o'" 1 "$p2p" -o allreduce
bench_refuses "needs 2 ranks, got 3" 3 "$p2p" -b HH -m 1:1
bench_refuses "-o 'sum': expected one of allreduce bcast" 1 "$coll" -o sum
bench_refuses "-d 'gpu': expected npu or host" 2 "$coll" -d gpu
bench_refuses "-m 6: allreduce adds MPI_FLOAT" 1 "$coll" -d host -m 6:24
bench_refuses "-m 0: a collective needs" 1 "$coll" -d host -o bcast -m 0:8
bench_refuses "unknown argument '-t'" 1 "$coll" -t lat

for program in "$p2p" "$coll"; do
    t_mpirun 2 "$program" --help >"$out" || t_fail "--help ended with an error"
    t_contains "$out" '^usage: '
done

# Without any ACL library. The components of this project would look for one too.
without_acl() {
    env -u ASCEND_ACL_LIBRARY LD_LIBRARY_PATH="$ASC_TOP_BUILDDIR/link/.libs" "$@"
}
without_acl mpirun -n 2 "$p2p" -b H H -m 1:1K -i 3 -c >"$out" 2>&1 || {
    cat "$out"
    t_fail "host buffers without an ACL library"
}
without_acl mpirun -n 2 "$coll" -d host -m 4:1K -i 3 -c >"$out" 2>&1 || {
    cat "$out"
    t_fail "host collectives without an ACL library"
}
if ldconfig -p 2>/dev/null | grep -q libascendcl.so; then
    echo "an ACL library is installed: what its absence does is not looked at"
    exit 0
fi
without_acl mpirun -n 2 "$p2p" -b D D -m 1:1K -i 3 >"$out" 2>&1
[ $? -eq 2 ] || { cat "$out"; t_fail "NPU buffers without an ACL library: exit status not 2"; }
t_contains "$out" 'rank 0: buffers in NPU memory need the ACL library: .*LD_LIBRARY_PATH'
without_acl env ASCEND_ACL_LIBRARY=/no/such/libascendcl.so \
    mpirun -n 2 "$coll" -d npu -m 4:4 >"$out" 2>&1
[ $? -eq 2 ] || { cat "$out"; t_fail "a missing ASCEND_ACL_LIBRARY: exit status not 2"; }
t_contains "$out" "ASCEND_ACL_LIBRARY names '/no/such/libascendcl.so'"
