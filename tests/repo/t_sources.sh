# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# Protects: rules that every file keeps. A licence line at its top; no notes to
# oneself left in the code; files and functions that can be read in one go.
. "$ASC_TOP_SRCDIR/tests/lib.sh"
cd "$ASC_TOP_SRCDIR" || t_fail "no source tree"

# The files of a clone, or of an unpacked release.
if git -C . rev-parse --is-inside-work-tree >/dev/null 2>&1 && [ -d .git ]; then
    mapfile -t files < <(git ls-files)
else
    mapfile -t files < <(find acl topo link plan npusim ucx_tl mpi_glue tools bench examples \
        tests contrib m4 docs .ci configure.ac Makefile.am -type f \
        -not -path '*/.libs/*' -not -path '*/.deps/*' -not -name 'lt*.m4' -not -name libtool.m4)
fi
[ ${#files[@]} -gt 50 ] || t_fail "only ${#files[@]} files found"

wanted=()
for f in "${files[@]}"; do
    case $f in
    */Makefile.in) ;;
    *.c | *.h | *.sh | *.m4 | *.am | *.ac | *.supp | *.tab | *.map | .ci/run | *.in)
        [ ! -f "$f" ] || wanted+=("$f") ;;
    esac
done

# the words are put together here so that this file does not hold them
awk -v words="TO""DO|FIX""ME|XX""X|HA""CK" '
    function complain(text) { print file ": " text; bad = 1 }
    function close_file() {
        if (file == "") return
        if (!licence) complain("no SPDX line in its first lines")
        if (file ~ /\.(c|h|sh)$/ && lines > 600) complain(lines " lines, 600 are allowed")
    }
    FNR == 1 { close_file(); file = FILENAME; licence = 0; start = 0 }
    { lines = FNR }
    FNR <= 4 && /SPDX-License-Identifier: BSD-3-Clause/ { licence = 1 }
    $0 ~ "(^|[^A-Za-z_])(" words ")([^A-Za-z_]|$)" { complain("line " FNR ": a note to oneself") }
    /^{/ { start = FNR }
    /^}/ {
        if (start && file ~ /\.c$/ && FNR - start > 100)
            complain("line " start ": a function of " FNR - start " lines, 100 are allowed")
        start = 0
    }
    END { close_file(); exit bad }' "${wanted[@]}" || t_fail "see above"
