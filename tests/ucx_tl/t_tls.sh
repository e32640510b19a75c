# SPDX-License-Identifier: BSD-3-Clause
# P41: a UCX_TLS that lists one of our transports without what it needs gets one
# warning that names what to add; complete lists, and lists that do not name us,
# get none.
. "$ASC_TOP_SRCDIR/tests/lib.sh"
t_need_program ucx_info

log=$TMPDIR/log

worker() {
    LD_PRELOAD=$ASC_UCX_MODULE t_uninstrumented env UCX_TLS="$1" ucx_info -w -u t >"$log" 2>&1
}

warns() { # LIST PATTERN
    worker "$1"
    t_contains "$log" "WARN.*UCX_TLS=.*$2"
    [ "$(grep -c 'WARN *UCX_TLS=' "$log")" = 1 ] || t_fail "$1: warned more than once"
}

silent() { # LIST
    worker "$1" || {
        cat "$log" >&2
        t_fail "$1: no worker"
    }
    t_lacks "$log" 'WARN *UCX_TLS='
}

warns asc_ipc 'neither asc_copy nor a transport for active messages: add asc_copy and'
warns posix,self,asc_ipc 'not asc_copy: add asc_copy'
warns asc_copy,asc_ipc 'no transport for active messages: add'
warns cma,asc_copy 'no transport for active messages: add'
warns posix,self,ascend_copy,ascend_ipc 'called asc_copy and asc_ipc'
warns posix,self,asc_copy,ascend_ipc 'called asc_copy and asc_ipc'
warns '^asc_copy' 'excludes asc_copy but not asc_ipc'
silent posix,self,asc_copy,asc_ipc
silent posix,self,asc_copy
silent posix,self
silent '^asc_copy,asc_ipc'
silent '^asc_ipc'
silent all
