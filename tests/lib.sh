# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# For tests written in shell: . "$ASC_TOP_SRCDIR/tests/lib.sh"
# They run under tests/run-test, which sets the environment and the time limit.
set -u

t_fail() {
    echo "FAIL: $*" >&2
    exit 1
}

# t_skip REASON
t_skip() {
    echo "SKIP: $*"
    exit 77
}

# t_need_program NAME...: skip where a program is not installed
t_need_program() {
    local p
    for p in "$@"; do
        command -v "$p" >/dev/null || t_skip "$p is not installed"
    done
}

# t_uninstrumented CMD...: run a program that was not built by us, and so
# without sanitizers, so that it can load our modules when those have them.
# Leaks are not looked for: the program's own would drown ours.
t_uninstrumented() {
    case " ${ASC_SANITIZE:-} " in
    *" asan "*)
        # not env(1): it would be the first to meet the caller's LD_PRELOAD
        LD_PRELOAD="$ASC_ASAN_LIB${LD_PRELOAD:+:$LD_PRELOAD}" \
            ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0" "$@"
        ;;
    *tsan*) t_skip "ThreadSanitizer works only in programs that are built with it" ;;
    *) "$@" ;;
    esac
}

# t_preload LIBRARY CMD...: run a program of ours with a library preloaded.
# The sanitizer's runtime insists on being the first.
t_preload() {
    local lib=$1
    shift
    case " ${ASC_SANITIZE:-} " in
    *" asan "*) lib=$ASC_ASAN_LIB:$lib ;;
    esac
    LD_PRELOAD="$lib" "$@"
}

# t_mpirun RANKS CMD...: mpirun, or a skip where Open MPI is not built for
t_mpirun() {
    local n=$1
    shift
    [ -n "${ASC_OMPI_COMPONENT_DIR:-}" ] || t_skip "built without Open MPI"
    mpirun -n "$n" "$@"
}

# t_contains FILE PATTERN: an extended regular expression must be found
t_contains() {
    grep -Eq -- "$2" "$1" || {
        sed 's/^/  | /' "$1" >&2
        t_fail "'$2' not found in the output above"
    }
}

# t_lacks FILE PATTERN
t_lacks() {
    if grep -En -- "$2" "$1" >&2; then
        t_fail "'$2' found, see above"
    fi
}

# t_alive PID: a process that is neither gone nor a zombie nobody has reaped
t_alive() {
    local state
    state=$(sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' "/proc/$1/status" 2>/dev/null)
    [ -n "$state" ] && [ "$state" != Z ]
}
