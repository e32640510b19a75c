#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# What the project costs messages between host buffers: latency and bandwidth of
# two ranks with everything of ours loaded, and of stock UCX and Open MPI, in
# turns. Prints the medians, and the median of the ratios of neighbouring runs.
#
# usage: bench/run_host_table.sh [-r ROUNDS] [BUILD-DIRECTORY]
set -u

die() {
    echo "run_host_table.sh: $*" >&2
    exit 2
}

rounds=9
while getopts r: option; do
    case $option in
    r) rounds=$OPTARG ;;
    *) die "usage: run_host_table.sh [-r ROUNDS] [BUILD-DIRECTORY]" ;;
    esac
done
shift $((OPTIND - 1))
case $rounds in
'' | *[!0-9]* | 0*) die "-r '$rounds': expected a number of rounds, 1 or more" ;;
esac
build=${1:-.}
[ -x "$build/ascendrun" ] && [ -x "$build/bench/asc_p2p" ] ||
    die "'$build/bench/asc_p2p' is not there: name a build directory after 'make' with Open MPI"

value() {
    "$@" --json | sed -nE 's/.*"value":([0-9.e+]+).*/\1/p'
}

# shellcheck source=bench/launch.sh
. "$(dirname "$0")/launch.sh"

median() {
    sort -g | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

row() {
    local test=$1 size=$2 round a b lines=''
    for ((round = 1; round <= rounds; round++)); do
        a=$(value ours "$build/bench/asc_p2p" -t "$test" -b H H -m "$size:$size")
        b=$(value stock "$build/bench/asc_p2p" -t "$test" -b H H -m "$size:$size")
        [ -n "$a" ] && [ -n "$b" ] || die "a run of $size failed"
        lines+="$a $b"$'\n'
    done
    printf '| %s | %s | %s | %s | %s |\n' "$test" "$size" \
        "$(awk '{ print $1 }' <<<"${lines%$'\n'}" | median)" \
        "$(awk '{ print $2 }' <<<"${lines%$'\n'}" | median)" \
        "$(awk '{ printf "%.3f\n", $1 / $2 }' <<<"${lines%$'\n'}" | median)"
}

echo "| test | size | ours | stock | ratio |"
echo "|---|---|---|---|---|"
for size in 8 1K 4K 16K 64K 1M; do
    row lat "$size"
done
for size in 4K 64K 1M 4M; do
    row bw "$size"
done
