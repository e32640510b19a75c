# SPDX-License-Identifier: BSD-3-Clause
# Protects: relayed messages in each rendezvous scheme of UCX, and on endpoints
# that handle the failure of peers.
. "$ASC_TOP_SRCDIR/tests/lib.sh"

for scheme in get_zcopy put_zcopy; do
    UCX_RNDV_SCHEME=$scheme "$ASC_TOP_BUILDDIR/tests/ucx_tl/t_relay" ||
        t_fail "UCX_RNDV_SCHEME=$scheme"
done
"$ASC_TOP_BUILDDIR/tests/ucx_tl/t_relay" peer || t_fail "endpoints that handle failures"
