# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
#
# How the scripts of this folder start two ranks; they set $build.

# The distribution's UCX, by its own settings and without anything of ours.
stock() {
    env -u OMPI_MCA_mca_base_component_path -u LD_PRELOAD OMPI_ALLOW_RUN_AS_ROOT=1 \
        OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun -n 2 --mca pml ucx \
        --mca opal_common_ucx_tls any "$@"
}

ours() {
    "$build/ascendrun" --sim --devices 2 -n 2 "$@"
}
