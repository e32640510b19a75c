#! /bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Protects: what ascendrun sets, word by word, as --dry-run prints it.
. "$(dirname "$0")/ascendrun_room.sh"

root=''
if [ "$(id -u)" -eq 0 ]; then
    root='OMPI_ALLOW_RUN_AS_ROOT=1 \
OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
'
fi
head="OMPI_MCA_mca_base_component_path=ROOM/ompi:ROOM/system \\
$root"
sim="-x ASCEND_UCX_MODULE=ROOM/ucx/libuct_ascend.so -x ASCEND_HELP_DIR=ROOM/help -x ASCEND_ACL_LIBRARY=ROOM/npusim/libascendcl.so"

expect 'the plain case' \
    "${head}ROOM/mpirun $sim -x NPUSIM_DEVICES=2 -x LD_LIBRARY_PATH=ROOM/npusim -x LD_PRELOAD=ROOM/libascend_preload.so -n 1 ./train" \
    --dry-run --sim --devices 2 -n 1 ./train
expect 'any order, = form, no preload' \
    "${head}ROOM/mpirun $sim -x NPUSIM_DEVICES=16 -x LD_LIBRARY_PATH=ROOM/npusim -np 1 --tag-output ./train" \
    -np 1 --no-preload --tag-output --devices=16 --sim --dry-run ./train
expect 'options after the program are its own; odd words are quoted' \
    "${head}ROOM/mpirun $sim -x LD_LIBRARY_PATH=ROOM/npusim --mca pml ucx ./train --sim --bind -n 0 'it'\\''s; \$HOME' ''" \
    --dry-run --sim --no-preload --mca pml ucx ./train --sim --bind -n 0 "it's; \$HOME" ''
got=$(tell --dry-run --sim --no-preload --bind -n 1 ./train x : -n 1 ./other)
case $got in
*"--bind-to none $sim -x LD_LIBRARY_PATH=ROOM/npusim -n 1 ROOM/ascend_bind ./train x : $sim -x LD_LIBRARY_PATH=ROOM/npusim -n 1 ROOM/ascend_bind ./other") ;;
*) complain "two programs, bound: $got" ;;
esac

# what the user set already is joined, or stays
got=$(LD_PRELOAD='' LD_LIBRARY_PATH=/mine tell --dry-run --sim -x LD_PRELOAD=/their.so -x A=1 -x NPUSIM_DEVICES --devices 3 ./t)
case $got in
*"$sim -x LD_LIBRARY_PATH=ROOM/npusim:/mine -x LD_PRELOAD=ROOM/libascend_preload.so:/their.so -x A=1 -x NPUSIM_DEVICES ./t") ;;
*) complain "joining the user's variables: $got" ;;
esac
got=$(OMPI_MCA_mca_base_component_path=/c tell --dry-run --sim ./t)
case $got in
OMPI_MCA_mca_base_component_path=ROOM/ompi:/c\ *) ;;
*) complain "joining the component path: $got" ;;
esac
mkdir -p "$room/home/.openmpi/components"
got=$(tell --dry-run --sim ./t)
case $got in
OMPI_MCA_mca_base_component_path=ROOM/ompi:ROOM/system:ROOM/home/.openmpi/components\ *) ;;
*) complain "the user's own components: $got" ;;
esac

# An absolute path would change the ranks' LD_LIBRARY_PATH.
got=$(PATH=$room:$PATH tell --dry-run --sim ./t | tail -n 1)
case $got in
"mpirun -x "*) ;;
*) complain "mpirun in PATH: $got" ;;
esac

# more ranks than cores
got=$(tell --dry-run --sim -n 9000 ./t : -n 1 ./u)
case $got in
"# 9001 ranks on "*" cores: --oversubscribe added
"*"ROOM/mpirun --oversubscribe -x "*) ;;
*) complain "too many ranks: $got" ;;
esac
for placed in '--host a:9000' '--map-by node' '--nooversubscribe'; do
    # shellcheck disable=SC2086 # two words are wanted
    got=$(tell --dry-run --sim $placed -n 9000 ./t)
    case $got in
    *' --oversubscribe '*) complain "$placed, yet: $got" ;;
    esac
done
got=$(SLURM_JOB_ID=1 tell --dry-run --sim -n 9000 ./t)
case $got in
*' --oversubscribe '*) complain "inside a batch job, yet: $got" ;;
esac

[ "$(tell --version)" = 'ascendrun (ucx-ascend) 1.2.3' ] || complain "version: $(tell --version)"
tell --help | grep -q -e '--dry-run' || complain "help: $(tell --help)"
exit $failed
