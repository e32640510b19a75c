# SPDX-License-Identifier: BSD-3-Clause
# Protects: preloaded, the module shows both memory domains and transports in
# ucx_info -d, its variables with help in ucx_info -c, and each variable that
# UCX's own tools can show has an effect.
. "$ASC_TOP_SRCDIR/tests/lib.sh"
t_need_program ucx_info

log=$TMPDIR/log

info() { # NAME=VALUE... -- OPTION...
    local settings=()
    while [ "$1" != -- ]; do
        settings+=("$1")
        shift
    done
    shift
    LD_PRELOAD=$ASC_UCX_MODULE t_uninstrumented env "${settings[@]}" ucx_info "$@" >"$log" 2>&1 ||
        t_fail "ucx_info $* failed: $(cat "$log")"
}

# section TRANSPORT: its part of ucx_info -d
section() {
    sed -n "/Transport: $1\$/,/error handling/p" "$log" >"$log.section"
}

info -- -d
for word in 'Memory domain: ascend_copy' 'Memory domain: ascend_ipc' 'Transport: asc_copy' \
    'Transport: asc_ipc'; do
    t_contains "$log" "$word"
done
t_lacks "$log" 'WARN|ERROR'
section asc_ipc
t_contains "$log.section" 'get_zcopy: unlimited'
t_contains "$log.section" 'put_zcopy: unlimited'
t_contains "$log.section" 'peer failure'
section asc_copy
t_contains "$log.section" 'get_short: <= 4294967295'

info -- -c -f
for tl in COPY IPC; do
    for name in BW LAT OVERHEAD MAX_POLL; do
        t_contains "$log" "^UCX_ASC_${tl}_$name="
    done
done
t_contains "$log" '^UCX_ASC_IPC_ENABLE=y'
t_contains "$log" '^UCX_ASC_IPC_HOST=y'
t_contains "$log" '^UCX_ASC_IPC_CLOSE_TIMEOUT='
t_contains "$log" 'staged through host memory'

for tl in copy ipc; do
    up=${tl^^}
    info "UCX_ASC_${up}_BW=1000MBps" "UCX_ASC_${up}_LAT=7us" "UCX_ASC_${up}_OVERHEAD=3us" -- -d
    section "asc_$tl"
    t_contains "$log.section" 'bandwidth: .*1000\.00 MB/sec'
    t_contains "$log.section" 'latency: 7000 nsec'
    t_contains "$log.section" 'overhead: 3000 nsec'
done

# Host memory has a domain of its own where UCX would cut messages small.
minor=$(ucx_info -v | sed -n 's/^# \(Version\|Library version:\) 1\.\([0-9]*\)\..*/\2/p' | sed -n 1p)
[ -n "$minor" ] || t_fail "ucx_info -v tells no version"
info -- -d
t_contains "$log" "Device: ascend\$"
for device in ascend_host host_ascend; do
    if [ "$minor" -lt 16 ]; then
        t_contains "$log" "Device: $device\$"
    else
        t_lacks "$log" "Device: $device\$"
    fi
done
info UCX_ASC_IPC_HOST=n -- -d
t_lacks "$log" 'Device: (ascend_host|host_ascend)$'
t_contains "$log" 'Transport: asc_ipc'

info UCX_ASC_IPC_ENABLE=n -- -d
t_lacks "$log" 'Transport: asc_ipc'
t_contains "$log" 'Transport: asc_copy'

# A value that UCX cannot read is UCX's to refuse, by name.
LD_PRELOAD=$ASC_UCX_MODULE t_uninstrumented env UCX_ASC_IPC_BW=fast ucx_info -d >"$log" 2>&1
t_contains "$log" "Invalid value for BW: 'fast'"
