# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# Protects: who may know whom (docs/architecture.md). Every include of one of our
# folders must be of a folder further down, and from outside of a room only its
# doors may be included.
. "$ASC_TOP_SRCDIR/tests/lib.sh"
cd "$ASC_TOP_SRCDIR" || t_fail "no source tree"

rooms='acl topo link plan npusim ucx_tl mpi_glue tools bench examples'
doors='acl/ascend_abi.h acl/asc_acl.h acl/asc_status.h acl/asc_log.h'
doors="$doors topo/asc_topo.h link/asc_link.h link/asc_oob.h"

# room: what it may include besides itself. The ABI header and the status codes
# are plain declarations that anybody may share.
declare -A may=(
    [acl]=''
    [topo]='acl/asc_status.h acl/ascend_abi.h'
    [link]='acl topo'
    [plan]='topo'
    [npusim]='acl/ascend_abi.h'
    [ucx_tl]='link acl topo'
    [mpi_glue]='plan link acl topo'
    [tools]='mpi_glue ucx_tl plan link topo acl'
    [bench]='link topo acl'
    [examples]='' # written as any user would
)

bad=0 seen=0
while IFS=: read -r file included; do
    room=${file%%/*}
    target=${included%%/*}
    [ "$target" != "$room" ] || continue
    case " $rooms " in *" $target "*) ;; *) continue ;; esac
    # Open MPI and UCX have folders of these names, too
    [ -e "$included" ] || continue
    seen=$((seen + 1))
    case " ${may[$room]} " in
    *" $target "*)
        case " $doors " in *" $included "*) continue ;; esac
        echo "$file includes $included, which is no door of $target/" ;;
    *" $included "*) continue ;;
    *) echo "$file includes $included: $room/ may not know $target/" ;;
    esac
    bad=$((bad + 1))
done < <(for room in $rooms; do
    [ ! -d "$room" ] || grep -rE '^[[:space:]]*#[[:space:]]*include[[:space:]]+"' \
        --include='*.[ch]' "$room" | sed -nE 's/^([^:]*):[^"]*"(\.\.\/)*([^"]+)".*/\1:\3/p'
done)
[ "$seen" -gt 10 ] || t_fail "only $seen includes looked at: the search is broken"

# The runtime's names are for the door to it alone, and for those who stand in
# for it or for a user.
if grep -rnE '[^_a-zA-Z]dlopen *\([^)]*(ascendcl|acl_rt)' --include='*.c' topo link ucx_tl mpi_glue; then
    bad=$((bad + 1))
    echo "only acl/ opens the runtime's library"
fi
[ "$bad" = 0 ] || t_fail "$bad includes point the wrong way"
