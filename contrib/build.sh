#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# From a clone to a build in the source tree. A second run does only what is
# left to do.
#
# usage: contrib/build.sh [CONFIGURE-OPTION...]
set -euo pipefail

cd "$(dirname "$0")/.."
contrib/install-deps.sh
contrib/get-ucx-src.sh
# In a clone a configure without a Makefile may be what an interrupted autogen.sh
# left: it would configure a tree in which make finds nothing to build.
[ -x configure ] && { [ -f Makefile ] || [ ! -e .git ]; } || ./autogen.sh

wanted=$(printf "'%s' " "$@")
[ $# -gt 0 ] || wanted=
if [ ! -f Makefile ] || [ "$(cat .configured-with 2>/dev/null)" != "$wanted" ]; then
    ./configure "$@"
    printf '%s\n' "$wanted" >.configured-with
fi
make -j"$(nproc)"
