#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Produces the figures of docs/performance.md on this machine: transfers between
# two ranks on the software NPU beside memcpy and beside stock UCX between host
# buffers, and allreduce on NPU and on host buffers. What is compared runs in
# turns, several times; the tables have the medians of the runs.
#
# usage: bench/run_p2p_table.sh [-r ROUNDS] [-q] [BUILD-DIRECTORY]
#   -r ROUNDS   runs of each row (default 7)
#   -q          large sizes between two ranks only
set -u

die() {
    echo "run_p2p_table.sh: $*" >&2
    exit 2
}

rounds=7
quick=no
while getopts r:q option; do
    case $option in
    r) rounds=$OPTARG ;;
    q) quick=yes ;;
    *) die "usage: run_p2p_table.sh [-r ROUNDS] [-q] [BUILD-DIRECTORY]" ;;
    esac
done
shift $((OPTIND - 1))
case $rounds in
'' | *[!0-9]* | 0*) die "-r '$rounds': expected a number of rounds, 1 or more" ;;
esac
build=${1:-.}
for file in ascendrun bench/asc_p2p bench/asc_coll; do
    [ -x "$build/$file" ] ||
        die "'$build/$file' is not there: name a build directory after 'make' with Open MPI"
done

lines=$(mktemp) || exit 2
trap 'rm -f "$lines"' EXIT

# sample NAME CMD...: keeps the lines that a benchmark prints under that name
sample() {
    local name=$1 out line
    shift
    out=$("$@" --json) || die "'$*' failed"
    while read -r line; do
        printf '%s %s\n' "$name" "$line" >>"$lines"
    done <<<"$out"
}

# shellcheck source=bench/launch.sh
. "$(dirname "$0")/launch.sh"

# p2p TEST SIZE...
p2p() {
    local test=$1 size
    shift
    for size in "$@"; do
        sample "$test-DD" ours "$build/bench/asc_p2p" -t "$test" -b D D -m "$size:$size"
        sample "$test-HH" stock "$build/bench/asc_p2p" -t "$test" -b H H -m "$size:$size"
    done
}

for ((round = 1; round <= rounds; round++)); do
    [ ! -t 2 ] || printf '\rround %d of %d ' "$round" "$rounds" >&2
    p2p bw 64K 1M 4M 16M 64M
    [ "$quick" = no ] || continue
    p2p bibw 4M 64M
    p2p lat 8 4K 64K 1M
    for size in 8 1K 64K 1M 4M 16M; do
        sample allreduce ours "$build/bench/asc_coll" -o allreduce -d npu -m "$size:$size"
    done
done
[ ! -t 2 ] || printf '\r%20s\r' '' >&2

awk -v rounds="$rounds" '
    function member(key) {
        if (!match($0, "\"" key "\":[-+.0-9e]+"))
            return ""
        return substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 3) + 0
    }
    function keep(key,  v) {
        v = member(key)
        if (v != "")
            values[$1, size, key, ++count[$1, size, key]] = v
    }
    function median(name, size, key,  n, i, j, v, sorted) {
        n = count[name, size, key]
        for (i = 1; i <= n; i++) {
            v = values[name, size, key, i]
            for (j = i - 1; j > 0 && sorted[j] > v; j--)
                sorted[j + 1] = sorted[j]
            sorted[j + 1] = v
        }
        return n % 2 ? sorted[(n + 1) / 2] : (sorted[n / 2] + sorted[n / 2 + 1]) / 2
    }
    function label(size) {
        if (size >= 1048576 && size % 1048576 == 0)
            return size / 1048576 " MiB"
        if (size >= 1024 && size % 1024 == 0)
            return size / 1024 " KiB"
        return size " B"
    }
    function p2p(test, title, unit, digits,  i, s, npu, host) {
        if (!((test "-DD") in sizes))
            return
        printf "\n%s, %s, medians of %d runs:\n\n", title, unit, rounds
        print "| size | NPU-NPU | memcpy | ratio | stock UCX host-host | ratio |"
        print "|---|---|---|---|---|---|"
        for (i = 1; i <= sizes[test "-DD"]; i++) {
            s = order[test "-DD", i]
            npu = test "-DD"
            host = test "-HH"
            printf "| %s | %.*f | %.*f | %.2f | %.*f | %.2f |\n", label(s),
                digits, median(npu, s, "value"), digits, median(npu, s, "memcpy"),
                median(npu, s, "ratio"), digits, median(host, s, "value"),
                median(host, s, "ratio")
        }
    }
    {
        size = member("size")
        if (!seen[$1, size]++)
            order[$1, ++sizes[$1]] = size
        keep("value"); keep("memcpy"); keep("ratio"); keep("host"); keep("npu_over_host")
    }
    END {
        p2p("bw", "Bandwidth between two ranks", "MB/s", 0)
        p2p("bibw", "Bandwidth of both directions together", "MB/s", 0)
        p2p("lat", "Latency", "us", 2)
        if (!("allreduce" in sizes))
            exit
        printf "\nAllreduce (float, sum) of two ranks, us, medians of %d runs:\n\n", rounds
        print "| size | NPU buffers | host buffers, same run | NPU / host | memcpy |"
        print "|---|---|---|---|---|"
        for (i = 1; i <= sizes["allreduce"]; i++) {
            s = order["allreduce", i]
            printf "| %s | %.2f | %.2f | %.2f | %.2f |\n", label(s),
                median("allreduce", s, "value"), median("allreduce", s, "host"),
                median("allreduce", s, "npu_over_host"), median("allreduce", s, "memcpy")
        }
    }' "$lines"
