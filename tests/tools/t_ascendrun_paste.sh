#! /bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Protects: what --dry-run prints, pasted into a shell, gives mpirun exactly the
# environment and words that ascendrun itself gives it.
. "$(dirname "$0")/ascendrun_room.sh"

same()
{
    run=$("$room/ascendrun" "$@") || complain "$*: ascendrun ended with $?"
    pasted=$("$room/ascendrun" --dry-run "$@" | sh) || complain "$*: the shell ended with $?"
    [ "$run" = "$pasted" ] || complain "$*: ascendrun" "$run" "pasted" "$pasted"
    case $run in
    *"ASCEND_UCX_MODULE=$room/ucx/libuct_ascend.so"*) ;;
    *) complain "$*: mpirun did not run: $run" ;;
    esac
}

newline='a
b'
same --sim -n 1 ./train
same --sim --devices 4 -n 9000 ./train
same --sim --bind --no-preload -n 1 ./train 'two words' "it's" '$HOME' '`id`' '*' '' '\' '"' "$newline" "$newline
"
same --sim -x 'A=b c;d' -n 1 ./train : -n 1 ./other '# no comment'
LD_LIBRARY_PATH='/with space' same --sim ./train
OMPI_MCA_mca_base_component_path="/it's" same --sim ./train
exit $failed
