# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# Protects: the wrapper that all other tests trust. It passes exit codes on,
# kills at the limit whatever the test started, in whatever process group, and
# leaves neither processes nor files behind.
. "$ASC_TOP_SRCDIR/tests/lib.sh"

runner=$ASC_TOP_BUILDDIR/tests/run-test
room=$TMPDIR/room
mkdir -p "$room"

cat >"$room/t_code.sh" <<'SH'
exit "$1"
SH
for code in 0 1 77; do
    "$runner" "$room/t_code.sh" "$code" >"$TMPDIR/out" 2>&1
    rc=$?
    [ "$rc" = "$code" ] || t_fail "exit code $code came back as $rc"
done

cat >"$room/t_env.sh" <<'SH'
[ -d "$NPUSIM_DIR" ] && [ -d "$TMPDIR" ] || exit 3
[ "$(stat -c %a "$NPUSIM_DIR")" = 700 ] || exit 4
[ -z "${UCX_TLS:-}" ] || exit 5
[ "$EXTRA" = yes ] || exit 6
[ -z "$(cat)" ] || exit 7
[ "$PWD" = "$TMPDIR" ] || exit 8
echo "$NPUSIM_DIR" >"$1"
SH
echo "input" | UCX_TLS=none ASC_TEST_ENV=EXTRA=yes \
    "$runner" "$room/t_env.sh" "$TMPDIR/where" || t_fail "environment: code $?"
[ ! -e "$(cat "$TMPDIR/where")" ] || t_fail "the private directory is still there"

# set -m gives the sleeper a process group of its own, as mpirun does for ranks
cat >"$room/t_late.sh" <<'SH'
set -m
sleep 1000 &
echo $! >"$1"
trap '' TERM
wait
SH
# a limit of one second can only come from a table: write one into a copy
sed "s|^table=.*|table=$TMPDIR/run.tab|; s|^limit=\$((limit \* [^4].*|limit=1|" "$runner" \
    >"$TMPDIR/short"
echo "t_late.sh - 1" >"$TMPDIR/run.tab"
start=$SECONDS
bash "$TMPDIR/short" "$room/t_late.sh" "$TMPDIR/pid" >"$TMPDIR/out" 2>&1
rc=$?
[ "$rc" = 1 ] || t_fail "a test past its limit gave $rc"
[ $((SECONDS - start)) -lt 20 ] || t_fail "the limit of 1 s took $((SECONDS - start)) s"
t_contains "$TMPDIR/out" "has not ended within"
t_contains "$TMPDIR/out" "sleep 1000"
sleep 0.2
! t_alive "$(cat "$TMPDIR/pid")" || t_fail "process $(cat "$TMPDIR/pid") outlived its test"

# what a test leaves running when it ends by itself
cat >"$room/t_leaves.sh" <<'SH'
set -m
sleep 1000 &
echo $! >"$1"
SH
"$runner" "$room/t_leaves.sh" "$TMPDIR/pid" || t_fail "code $?"
sleep 0.2
! t_alive "$(cat "$TMPDIR/pid")" || t_fail "process $(cat "$TMPDIR/pid") outlived its test"

echo "t_late.sh two 1" >"$TMPDIR/run.tab"
bash "$TMPDIR/short" "$room/t_late.sh" /dev/null >"$TMPDIR/out" 2>&1
[ $? = 99 ] || t_fail "a malformed table line was accepted"
t_contains "$TMPDIR/out" "bad line for t_late.sh: 'two'"
exit 0
