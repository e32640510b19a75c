#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# The part of check-trixie.sh that runs inside the other system: what is missing,
# the build, the tests. Not for other use.
set -euo pipefail

cd /src/ucx-ascend
contrib/install-deps.sh --without-ompi
[ "${given:-}" = yes ] || contrib/get-ucx-src.sh /src/ucx-src
[ configure -nt configure.ac ] || ./autogen.sh

cd /build
[ -f Makefile ] ||
    /src/ucx-ascend/configure --enable-werror --without-ompi --with-ucx-src=/src/ucx-src
make -j"$JOBS"
exec make -k check "$@"
