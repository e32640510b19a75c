# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# Protects: a setting of the transports that makes no sense is refused with a
# message that names it, when UCX opens the transport; sensible ones are silent.
. "$ASC_TOP_SRCDIR/tests/lib.sh"
t_need_program ucx_info

worker() { # setting, output to $TMPDIR/log
    LD_PRELOAD=$ASC_UCX_MODULE t_uninstrumented \
        env UCX_TLS=posix,self,asc_copy,asc_ipc "$1" ucx_info -w -u t >"$TMPDIR/log" 2>&1
}

refused() { # setting, pattern
    worker "$1"
    t_contains "$TMPDIR/log" "ERROR.*$2"
}

refused UCX_ASC_IPC_MAX_POLL=0 'asc_ipc .*MAX_POLL'
refused UCX_ASC_COPY_MAX_POLL=-3 'asc_copy .*MAX_POLL'
refused UCX_ASC_IPC_LAT=-1us 'asc_ipc .*LAT'
refused UCX_ASC_COPY_OVERHEAD=-2us 'asc_copy .*OVERHEAD'
refused UCX_ASC_IPC_CLOSE_TIMEOUT=-1s 'UCX_ASC_IPC_CLOSE_TIMEOUT is -1'

for s in UCX_ASC_IPC_MAX_POLL=1 UCX_ASC_IPC_LAT=auto UCX_ASC_COPY_LAT=0us \
    UCX_ASC_IPC_CLOSE_TIMEOUT=0; do
    worker "$s"
    t_lacks "$TMPDIR/log" 'ERROR|WARN'
done
