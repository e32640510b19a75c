#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Protects: with the real mpirun the ranks get what ascendrun says, the same when its
# printed command is pasted, and mpirun itself is not preloaded.
. "$ASC_TOP_SRCDIR/tests/lib.sh"
run=$ASC_TOP_BUILDDIR/ascendrun
out=$("$run" --sim --dry-run true 2>&1) || t_skip "not everything is built: $out"
case " $ASC_SANITIZE " in
*" asan "*) t_skip "the ranks' shells cannot preload an instrumented library" ;;
esac
unset ASCEND_ACL_LIBRARY LD_PRELOAD LD_LIBRARY_PATH ASCEND_UCX_MODULE
failed=0

# shellcheck disable=SC2016 # the ranks' shells expand it
show='env | grep -E "^(ASCEND_UCX|ASCEND_ACL|NPUSIM_DEVICES|LD_PRELOAD|LD_LIBRARY_PATH|OMPI_MCA_mca_base_component_path)" | sort'
ran=$(timeout 60 "$run" --sim --devices 3 -n 2 sh -c "$show")
pasted=$("$run" --sim --devices 3 --dry-run -n 2 sh -c "$show" | timeout 60 sh)
[ "$(printf '%s\n' "$ran" | sort)" = "$(printf '%s\n' "$pasted" | sort)" ] ||
    { echo "ran:"; echo "$ran"; echo "pasted:"; echo "$pasted"; failed=1; }
sim=$(printf '%s\n' "$ran" | sed -n 's|^ASCEND_ACL_LIBRARY=\(.*\)/.*|\1|p' | head -n 1)
for want in "LD_LIBRARY_PATH=$sim" ASCEND_UCX_MODULE=/ ASCEND_ACL_LIBRARY=/ NPUSIM_DEVICES=3 LD_PRELOAD=/ \
    OMPI_MCA_mca_base_component_path=/; do
    n=$(printf '%s\n' "$ran" | grep -c "^$want")
    [ "$n" -eq 2 ] || { echo "'$want' reaches $n ranks of 2:"; echo "$ran"; failed=1; }
done

# shellcheck disable=SC2016
parent=$(timeout 60 "$run" --sim -n 1 sh -c 'tr "\0" "\n" <"/proc/$PPID/environ" | grep ^LD_PRELOAD=; true')
[ -z "$parent" ] || { echo "mpirun itself has $parent"; failed=1; }

timeout 60 "$run" --sim -n 1 sh -c 'exit 7' >/dev/null 2>&1
status=$?
[ $status -eq 7 ] || { echo "exit status 7 became $status"; failed=1; }
exit $failed
