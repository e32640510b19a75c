#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# P57: where the runtime takes pitched copies inside a device, each block of large
# rows is one copy; where it has no batches, irregular types are right all the same.
. "$ASC_TOP_SRCDIR/tests/lib.sh"

tests=$ASC_TOP_BUILDDIR/tests/mpi_glue

NPUSIM_PITCHED_D2D=y t_mpirun 2 "$tests/t_types_copies" || t_fail "copies, pitched: $?"
NPUSIM_PITCHED_D2D=y t_mpirun 2 "$tests/t_types_gaps" || t_fail "gaps, pitched: $?"
NPUSIM_FAULT='aclrtMemcpyBatchAsync:*=207000,aclrtMemcpyBatch:*=207000,aclrtMemcpy2d:*=207000,aclrtMemcpy2dAsync:*=207000' \
    t_mpirun 2 "$tests/t_types_gaps" || t_fail "gaps, neither batches nor pitched copies: $?"
