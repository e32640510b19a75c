# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# Protects: docs/env.md lists every variable that the code knows, none that it does
# not, with the default that it has. Names and defaults come from the code's own
# tables: in the source for the shared library and the software NPU, from ucx_info
# and ompi_info for the modules.
. "$ASC_TOP_SRCDIR/tests/lib.sh"
doc=$ASC_TOP_SRCDIR/docs/env.md
cd "$ASC_TOP_SRCDIR" || t_fail "no source tree"

# Programs that are not ours cannot tell what a module with ThreadSanitizer has.
module=$ASC_UCX_MODULE
case ${ASC_SANITIZE:-} in *tsan*) module= ;; esac

# Lines "NAME" or "NAME default", where the default is known from the table.
{
    tr '\n' ' ' <link/env.c | grep -oE '\{"ASCEND_[A-Z_]+",[[:space:]]*"[^"]*"' |
        sed -E 's/\{"([A-Z_]+)",[[:space:]]*"([^"]*)"/\1 \2/'
    sed -nE 's/^ *\{"(NPUSIM_[A-Z_]+)",.*/\1/p' npusim/knobs.c
    grep -rhoE 'getenv\("(ASCEND|NPUSIM)_[A-Z_]+"\)' --include='*.c' acl topo link npusim ucx_tl \
        mpi_glue tools | sed -E 's/.*"(.*)".*/\1/'
    if [ -f "$module" ] && command -v ucx_info >/dev/null; then
        # UCX prints its common fields for every transport, and times in its way
        LD_PRELOAD=$module t_uninstrumented ucx_info -c | grep -vE '_(ALLOC|FAILURE|MAX_NUM_EPS)=' |
            sed -nE 's/=1000000.00us$/=1s/; s/^(UCX_ASC_[A-Z_]+)=(.*)$/\1 \2/p'
    fi
    for framework in hook coll osc; do
        [ -f "$ASC_TOP_BUILDDIR/mpi_glue/.libs/mca_${framework}_ascend.so" ] || continue
        t_uninstrumented ompi_info --param "$framework" ascend --level 9 --parsable |
            sed -nE 's/^mca:[a-z]+:ascend:param:([a-z_]+):value:"?([^"]*)"?$/OMPI_MCA_\1 \2/p'
    done
} | sort -u >"$TMPDIR/all"
# a name with a default hides the same name without one
awk '{ if (NF > 1 || !($1 in seen)) seen[$1] = $0 } END { for (n in seen) print seen[n] }' \
    "$TMPDIR/all" | sort >"$TMPDIR/code"
[ "$(wc -l <"$TMPDIR/code")" -gt 20 ] || t_fail "only $(wc -l <"$TMPDIR/code") variables found in the code"

# Rows of the document: | `NAME` | `default` | meaning |, "none" being empty.
# A "see text" or "set by ascendrun" is no default to compare.
sed -nE -e 's/^\| `([A-Za-z_]+)` \| (see text|set by ascendrun) \|.*/\1 */p' \
    -e 's/^\| `([A-Za-z_]+)` \| (`([^`]*)`|none) \|.*/\1 \3/p' "$doc" |
    sed 's/ $//' | sort >"$TMPDIR/doc"

cut -d' ' -f1 "$TMPDIR/code" >"$TMPDIR/code.names"
cut -d' ' -f1 "$TMPDIR/doc" >"$TMPDIR/doc.names"
uniq -d "$TMPDIR/doc.names" | grep . && t_fail "listed twice in docs/env.md, see above"
undocumented=$(comm -23 "$TMPDIR/code.names" "$TMPDIR/doc.names")
[ -z "$undocumented" ] || t_fail "not in docs/env.md: $undocumented"

# What only a module knows cannot be looked up when it is not built.
unknown=$(comm -13 "$TMPDIR/code.names" "$TMPDIR/doc.names")
[ -f "$module" ] || unknown=$(grep -v '^UCX_' <<<"$unknown")
[ -d "$ASC_TOP_BUILDDIR/mpi_glue/.libs" ] || unknown=$(grep -v '^OMPI_MCA_' <<<"$unknown")
[ -z "$unknown" ] || t_fail "in docs/env.md but not in the code: $unknown"

bad=0
while read -r name default; do
    [ -n "$default" ] || continue
    documented=$(sed -nE "s/^$name( |\$)//p" "$TMPDIR/doc")
    [ "$documented" = "$default" ] || [ "$documented" = "*" ] || {
        echo "$name: the default is '$default', docs/env.md says '$documented'"
        bad=1
    }
done <"$TMPDIR/code"
exit "$bad"
