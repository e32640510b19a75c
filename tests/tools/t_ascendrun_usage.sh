#! /bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Protects: a wrong command line ends with status 2 and one line that names the value
# and what to do; mpirun is not started.
. "$(dirname "$0")/ascendrun_room.sh"

refuse() # words that the message must hold, separated by '|'; then arguments
{
    words=$1
    shift
    "$room/ascendrun" "$@" >"$room/out" 2>"$room/err"
    status=$?
    err=$(cat "$room/err")
    [ $status -eq 2 ] || complain "$*: status $status"
    [ ! -s "$room/out" ] || complain "$*: stdout: $(cat "$room/out")"
    [ "$(wc -l <"$room/err")" -eq 1 ] || complain "$*: not one line: $err"
    saved=$IFS
    IFS='|'
    for word in $words; do
        case $err in
        'ascendrun: '*"$word"*) ;;
        *) complain "$*: no '$word' in: $err" ;;
        esac
    done
    IFS=$saved
}

refuse "'0'|1 or more" --sim --devices 0 ./t
refuse "'abc'|--devices 4" --sim --devices abc ./t
refuse "'-1'" --sim --devices -1 ./t
refuse "'4x'" --sim --devices=4x ./t
refuse "'99999'" --sim --devices 99999 ./t
refuse "''" --sim --devices
refuse "no program|./train" --sim -n 2
refuse "no program"
refuse "no program" --sim -n 1 ./t :
refuse "'--simm'|--help" --simm ./t
refuse "'--device'" --sim --device 2 ./t
refuse "'-n'|argument" --sim -n
refuse "'--mca'|argument" --sim --mca pml
refuse "'0'|ranks" --sim -n 0 ./t
refuse "'two'|ranks" --sim -np two ./t
refuse "--bind|--bind-to core|one of them" --sim --bind --bind-to core ./t
exit $failed
