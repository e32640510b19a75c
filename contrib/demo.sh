#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# From a clone to a training run on the software NPU: two ranks, parameters and
# gradients in device memory, MPI between them.
#
# usage: contrib/demo.sh [RANKS]
set -euo pipefail

cd "$(dirname "$0")/.."
ranks=${1:-2}
contrib/build.sh
echo
echo "+ ./ascendrun --sim -n $ranks examples/train/train"
./ascendrun --sim -n "$ranks" examples/train/train
