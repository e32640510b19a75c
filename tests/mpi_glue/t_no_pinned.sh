#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A rank that gets no pinned memory is slower, no more: collectives of every form
# and messages are right on all ranks, and one rank says so once.
. "$ASC_TOP_SRCDIR/tests/lib.sh"

out=$TMPDIR/out
tests=$ASC_TOP_BUILDDIR/tests/mpi_glue
export NPUSIM_FAULT='aclrtMallocHost:*=207001@1'

run() {
    local n words

    t_mpirun 2 "$@" >"$out" 2>&1 || { cat "$out"; t_fail "mpirun -n 2 $* gave $?"; }
    # ours, and the runtime's own reason
    for words in 'bytes of pinned host memory: ' 'bytes cannot be allocated: '; do
        n=$(grep -c "$words" "$out")
        [ "$n" -eq 1 ] || { cat "$out"; t_fail "$*: '$words' $n times"; }
    done
    t_lacks "$out" 'MPI_ERR_BUFFER'
}

run "$tests/t_coll_mixed"
run "$tests/t_outstanding"
run --mca pml ob1 "$tests/t_p2p"
