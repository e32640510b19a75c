# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# Protects: what is loaded into other people's programs. No library needs
# libascendcl, which not every machine has; an Open MPI component exports its
# component structure and nothing else; the others export only names of ours, so
# that nobody's symbol is taken by accident; all share one libascendlink.
. "$ASC_TOP_SRCDIR/tests/lib.sh"
t_need_program nm readelf
cd "$ASC_TOP_BUILDDIR" || t_fail "no build tree"

# exported FILE: names of defined dynamic symbols, without those that the linker
# and the sanitizers add
exported() {
    nm -D --defined-only "$1" | awk '{ print $3 }' | sed 's/@.*//' |
        grep -vE '^(_init|_fini|_edata|_end|__bss_start|__(asan|ubsan|tsan|odr_asan)[a-z_.]*.*)$' || :
}
needed() {
    readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p'
}

seen=0
for f in link/.libs/libascendlink.so link/.libs/libascend_preload.so \
    ucx_tl/.libs/libuct_ascend.so mpi_glue/.libs/mca_*.so; do
    [ -f "$f" ] || continue
    seen=$((seen + 1))
    ! needed "$f" | grep -q '^libascendcl' || t_fail "$f is linked to libascendcl"
    name=$(basename "$f" .so)
    case $name in
    mca_*)
        wanted=${name}_component
        [ "$(exported "$f")" = "$wanted" ] ||
            t_fail "$f exports, instead of $wanted alone: $(exported "$f" | tr '\n' ' ')" ;;
    libascendlink)
        foreign=$(exported "$f" | grep -v '^asc_') &&
            t_fail "$f exports names that are not ours: $foreign" ;;
    libuct_ascend)
        foreign=$(exported "$f" | grep -vE '^(uct_asc_|uct_ascend_|asc_)') &&
            t_fail "$f exports names that are not ours: $foreign" ;;
    libascend_preload)
        foreign=$(exported "$f" | grep -vE '^(acl|dlsym|dlvsym|asc_)') &&
            t_fail "$f stands in for more than the runtime: $foreign" ;;
    esac
    case $name in
    libascendlink | libascend_preload) ;;
    *)  # a copy of the room inside a module would be a second cache
        nm "$f" | grep -E ' [TtDdBb] asc_link_' && t_fail "$f carries its own copy of link/" ;;
    esac
done
[ "$seen" -gt 0 ] || t_skip "no module is built"

sim=npusim/.libs/libascendcl.so
if [ -f "$sim" ]; then
    foreign=$(exported "$sim" | grep -vE '^(acl|npusim_|rt)') &&
        t_fail "$sim exports names that are not of the ABI: $foreign"
fi
exit 0
