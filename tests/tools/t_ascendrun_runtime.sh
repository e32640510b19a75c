#! /bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Protects: without --sim CANN's library must be found, by each route that there is; the
# software NPU is never used unasked, and what is missing is named with a remedy.
. "$(dirname "$0")/ascendrun_room.sh"

if { PATH=$PATH:/sbin:/usr/sbin ldconfig -p; } 2>/dev/null | grep -q 'libascendcl.so\|libacl_rt.so'; then
    echo "CANN is in this machine's loader cache: it cannot be missing here"
    exit 77
fi

missing() # words, separated by '|'; then arguments
{
    words=$1
    shift
    out=$("$room/ascendrun" "$@" 2>&1)
    status=$?
    [ $status -eq 1 ] || complain "$*: status $status: $out"
    saved=$IFS
    IFS='|'
    for word in $words; do
        case $out in
        'ascendrun: '*"$word"*) ;;
        *) complain "$*: no '$word' in: $out" ;;
        esac
    done
    IFS=$saved
}

found() # words that mpirun must get; nothing may come from the software NPU
{
    out=$("$room/ascendrun" --no-preload -n 1 ./t) || complain "$1: status $?"
    case $out in
    *"$1"*) ;;
    *) complain "no '$1' in: $out" ;;
    esac
    case $out in
    *"$room/npusim"*) complain "the software NPU was used unasked: $out" ;;
    esac
}

missing 'libascendcl.so|--sim|set_env.sh' -n 1 ./t
missing 'libascendcl.so' --dry-run -n 1 ./t
(ASCEND_ACL_LIBRARY=/no/such.so; export ASCEND_ACL_LIBRARY; missing "/no/such.so|--sim" ./t; exit $failed) || failed=1
(ASCEND_ACL_LIBRARY=libother.so; export ASCEND_ACL_LIBRARY; missing "libother.so" ./t; exit $failed) || failed=1

mkdir -p "$room/cann/lib64" "$room/old/lib64"
: >"$room/cann/lib64/libascendcl.so"
: >"$room/old/lib64/libacl_rt.so"
(ASCEND_ACL_LIBRARY=$room/cann/lib64/libascendcl.so; export ASCEND_ACL_LIBRARY; found "ASCEND_ACL_LIBRARY=$room/cann/lib64/libascendcl.so"; exit $failed) || failed=1
(LD_LIBRARY_PATH=/none:$room/cann/lib64; export LD_LIBRARY_PATH; found "LD_LIBRARY_PATH=/none:$room/cann/lib64"; exit $failed) || failed=1
(ASCEND_TOOLKIT_HOME=$room/cann; export ASCEND_TOOLKIT_HOME; found "[ASCEND_ACL_LIBRARY=$room/cann/lib64/libascendcl.so]"; exit $failed) || failed=1
(ASCEND_HOME_PATH=$room/cann; export ASCEND_HOME_PATH; found "[LD_LIBRARY_PATH=$room/cann/lib64]"; exit $failed) || failed=1
(ASCEND_HOME_PATH=$room/old; export ASCEND_HOME_PATH; found "[ASCEND_ACL_LIBRARY=$room/old/lib64/libacl_rt.so]"; exit $failed) || failed=1

# --devices on real NPUs: the first of those that the job may use
LD_LIBRARY_PATH=$room/cann/lib64
export LD_LIBRARY_PATH
out=$("$room/ascendrun" --devices 3 -n 1 ./t)
case $out in
*'[ASCEND_RT_VISIBLE_DEVICES=0,1,2]'*) ;;
*) complain "3 devices: $out" ;;
esac
ASCEND_RT_VISIBLE_DEVICES=4,6,7
export ASCEND_RT_VISIBLE_DEVICES
out=$("$room/ascendrun" --devices 2 -n 1 ./t)
case $out in
*'[ASCEND_RT_VISIBLE_DEVICES=4,6]'*) ;;
*) complain "2 of '4,6,7': $out" ;;
esac
missing "4|'4,6,7'|3 or fewer" --devices 4 ./t
unset ASCEND_RT_VISIBLE_DEVICES

# pieces of ours that are not there
for piece in ompi/mca_hook_ascend.so ucx/libuct_ascend.so libascend_preload.so mpirun; do
    mv "$room/$piece" "$room/away"
    missing "${piece##*/}" ./t
    mv "$room/away" "$room/$piece"
done
rm "$room/npusim/libascendcl.so"
missing 'npusim/libascendcl.so|install' --sim ./t
exit $failed
