# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# "make installcheck": what was installed works by itself, with nothing of the
# build tree in reach. The caller gives bindir, pkglibdir, docdir, DESTDIR and
# what was built for in the environment.
set -eu

fail() {
    echo "installcheck: $*" >&2
    exit 1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -m 700 "$work/npu"
clean=(env -i PATH="$PATH" HOME="$HOME" NPUSIM_DIR="$work/npu" UCX_HANDLE_ERRORS=none
    OMPI_MCA_rmaps_base_oversubscribe=1)
[ -z "${ASC_ASAN_LIB:-}" ] || { echo "installcheck: skipped under a sanitizer"; exit 0; }

: "${DESTDIR?}" "${bindir:?}" "${pkglibdir:?}" "${docdir:?}" "${ucx?}" "${ompi?}"
lib=$DESTDIR$pkglibdir
for f in libascendlink.so npusim/libascendcl.so; do
    [ -e "$lib/$f" ] || fail "$lib/$f was not installed"
done
# Every link between the installed documents leads somewhere, and what messages
# call docs/ is there.
while read -r page link; do
    case $link in *://* | '#'*) continue ;; esac
    [ -e "$(dirname "$page")/${link%%#*}" ] || fail "$page links to $link, which was not installed"
done < <(find "$DESTDIR$docdir" -name '*.md' -print0 |
    xargs -0 grep -oE '\]\([^) ]+\)' | sed -E 's/^([^:]*):\]\((.*)\)$/\1 \2/')
for page in npusim ucx; do
    [ -s "$DESTDIR$docdir/docs/$page.md" ] || fail "$docdir/docs/$page.md was not installed"
done

# Every library finds the others where it stands now, wherever the tree was moved.
for f in "$lib"/*.so "$lib"/ucx/*.so "$lib"/ompi/*.so; do
    [ -e "$f" ] || continue
    found=$("${clean[@]}" ldd "$f" | sed -n 's/.*libascendlink[^ ]* => \([^ ]*\) .*/\1/p')
    case ${f##*/} in
    libascendlink.so | bench_npu.so) continue ;; # the latter needs it not
    esac
    [ "$(readlink -f "$found")" = "$(readlink -f "$lib/libascendlink.so")" ] ||
        fail "$f uses '$found' for libascendlink"
done

if [ "$ucx" = yes ]; then
    # The name by which UCX finds it from 1.22 on.
    [ "$(readlink -f "$lib/ucx/libuct_ascend.so.0")" = "$(readlink -f "$lib/ucx/libuct_ascend.so")" ] ||
        fail "$lib/ucx/libuct_ascend.so.0 is not the module"
    "${clean[@]}" LD_PRELOAD="$lib/ucx/libuct_ascend.so" \
        ASCEND_ACL_LIBRARY="$lib/npusim/libascendcl.so" ucx_info -d >"$work/out" 2>&1 ||
        fail "ucx_info with the module: $(tail -n 3 "$work/out")"
    for tl in asc_copy asc_ipc; do
        grep -q "Transport: $tl" "$work/out" || fail "ucx_info -d does not show $tl"
    done
fi

# P51: a site moves the tree to a prefix of its own; one variable is all that
# plain UCX needs then.
if [ "$ucx" = yes ]; then
    cp -a "$lib" "$work/elsewhere"
    found=$("${clean[@]}" ldd "$work/elsewhere/ucx/libuct_ascend.so" | sed -n 's/.*libascendlink[^ ]* => \([^ ]*\) .*/\1/p')
    [ "$(readlink -f "$found")" = "$(readlink -f "$work/elsewhere/libascendlink.so")" ] ||
        fail "moved, libuct_ascend.so uses '$found' for libascendlink"
    "${clean[@]}" LD_PRELOAD="$work/elsewhere/ucx/libuct_ascend.so" \
        ASCEND_ACL_LIBRARY="$work/elsewhere/npusim/libascendcl.so" ucx_info -d >"$work/out" 2>&1 ||
        fail "ucx_info with the moved module: $(tail -n 3 "$work/out")"
    grep -q "Transport: asc_ipc" "$work/out" || fail "ucx_info -d does not show asc_ipc of the moved module"
fi

# ascendrun and the hook know the place they were configured for.
if [ "$ompi" = yes ] && [ -z "$DESTDIR" ]; then
    "${clean[@]}" "$bindir/ascendrun" --sim -n 2 "$bindir/ascend_info" >"$work/out" 2>&1 ||
        fail "ascend_info on two ranks: $(cat "$work/out")"
fi
echo "installcheck: $lib works"
