# SPDX-License-Identifier: BSD-3-Clause
# Sourced by the tests of ascendrun: fills the script in for a private directory that
# holds files with the right names and an mpirun that only tells what it was given, so
# that what ascendrun decides can be compared word by word, without Open MPI.

src=${ASC_TOP_SRCDIR:-$(dirname "$0")/../..}
room=$(mktemp -d) || exit 1
trap 'rm -rf "$room"' EXIT
trap 'exit 1' HUP INT TERM
mkdir "$room/system" "$room/ompi" "$room/ucx" "$room/npusim" "$room/home"
for file in ompi/mca_hook_ascend.so ucx/libuct_ascend.so libascend_preload.so \
    npusim/libascendcl.so; do
    : >"$room/$file"
done
sed -e 's|@PACKAGE_VERSION@|1.2.3|' -e "s|@MPIRUN@|$room/mpirun|" \
    -e "s|@OMPI_COMPONENT_DIR@|$room/system|" -e "s|@OUR_COMPONENTS@|$room/ompi|" \
    -e "s|@UCX_MODULE@|$room/ucx/libuct_ascend.so|" -e "s|@HELP_TEXTS@|$room/help|" \
    -e "s|@PRELOAD_LIBRARY@|$room/libascend_preload.so|" \
    -e "s|@SIM_LIBRARY@|$room/npusim/libascendcl.so|" -e "s|@BINDER@|$room/ascend_bind|" \
    "$src/tools/ascendrun.in" >"$room/ascendrun"
cat >"$room/mpirun" <<'END'
#! /bin/sh
env | grep -E '^(OMPI_|ASCEND_|NPUSIM_|LD_PRELOAD|LD_LIBRARY_PATH)' | sort
for arg in "$@"; do
    printf '[%s]\n' "$arg"
done
END
chmod +x "$room/ascendrun" "$room/mpirun"

# Nothing of the caller's environment may decide what the tests see.
unset ASCEND_ACL_LIBRARY ASCEND_RT_VISIBLE_DEVICES ASCEND_TOOLKIT_HOME ASCEND_HOME_PATH \
    LD_LIBRARY_PATH LD_PRELOAD OMPI_MCA_mca_base_component_path OMPI_ALLOW_RUN_AS_ROOT \
    OMPI_ALLOW_RUN_AS_ROOT_CONFIRM NPUSIM_DEVICES SLURM_JOB_ID PBS_JOBID LSB_JOBID
HOME=$room/home
export HOME

failed=0
complain()
{
    printf '%s\n' "$@"
    failed=1
}

# what a run prints, with the private directory written as ROOM
tell()
{
    "$room/ascendrun" "$@" 2>&1 | sed "s|$room|ROOM|g"
}

# name, expected text, then ascendrun's arguments
expect()
{
    expect_name=$1
    expect_text=$2
    shift 2
    expect_got=$(tell "$@")
    [ "$expect_got" = "$expect_text" ] ||
        complain "$expect_name: expected" "$expect_text" "got" "$expect_got"
}
